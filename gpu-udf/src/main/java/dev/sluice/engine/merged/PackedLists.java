package dev.sluice.engine.merged;

import dev.sluice.engine.image.Image;
import dev.sluice.engine.rules.Match;
import dev.sluice.engine.tuplespace.TupleSpaceLayout;
import dev.sluice.schemas.header.HeaderWord;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

/**
 * The lists of an image ({@link KeyLists}) as a CPU reads them: two header words in a 64-bit one,
 * and a rule whole where the image has it in up to eleven entries. Made once from an image; the
 * image stays as it is, for devices. 24 bytes a rule for the entries, 8 for each two words of the
 * layout, 8 or 16 beside them, and the words of the tables. Immutable, thread-safe.
 *
 * <pre>
 * table  tag (10 bits) . number of the list's first rule (22), as in the image
 * entry  number of the first list that has no better rule (63..32) . pair that is tested (24..21)
 *        . 1 in the list's last rule (20) . rank (19..0) | the pair's value | its mask
 * row    values of all pairs | offset of the masks | source, destination port range where any rule has one
 * </pre>
 *
 * <p>Rules are numbered from 1 in the order of the lists; entry and row 0 are none.
 */
final class PackedLists {
    /** Size of an entry in words. */
    static final int ENTRY = 3;

    /** In an entry's first word: the list ends with this rule. */
    static final int LAST_AT = 20;

    /** In an entry's first word: which pair of header words is tested. */
    static final int PAIR_AT = 21;

    /** In an entry's first word: the first list that has no better rule. */
    static final int LIMIT_AT = 32;

    private static final long LOW = 0xffffffffL;

    /** Tables of all tuples, one behind the other. */
    final int[] tables;

    final Tuple[] tuples;

    final long[] entries;

    /** Values of a rule's pairs, where its masks are, and its port ranges. */
    final long[] rows;

    /** Masks of the pairs, each combination that rules have once. */
    final long[] masks;

    /** Header words of a layout, two and two. */
    final int pairs;

    /** Size of a row in words. */
    final int rowWords;

    /** Position of the ports where a rule has a range of them, else -1. */
    final int portsPosition;

    /**
     * A tuple.
     *
     * @param positions of the header words that its key names
     * @param masks what it names of them
     * @param table offset in {@link #tables}
     * @param shift what a key is shifted by to give a word of the table
     * @param firstList the list that has its best rule
     */
    record Tuple(int[] positions, int[] masks, int table, int shift, int firstList) {}

    PackedLists(Image image) {
        int[] w = image.words();
        int size = image.layout().size();
        int rules = image.rules();
        pairs = (size + 1) / 2;
        int[] numberOf = new int[entriesEnd(w, rules) + 1];
        int[] firstEntry = firstEntries(w, rules, numberOf);
        portsPosition = ranges(w, rules) ? image.layout().position(HeaderWord.PORTS) : -1;
        rowWords = pairs + (portsPosition < 0 ? 1 : 2);
        entries = new long[ENTRY * (rules + 1)];
        rows = new long[rowWords * (rules + 1)];
        masks = rows(w, rules, size, firstEntry, numberOf);
        int count = w[TupleSpaceLayout.TUPLES_AT];
        tuples = new Tuple[count];
        int words = 0;
        for (int t = 0; t < count; t++) {
            words += 1 << w[table(w, t)];
        }
        tables = new int[words];
        int at = 0;
        for (int t = 0; t < count; t++) {
            tuples[t] = tuple(w, t, at, numberOf);
            at += 1 << w[table(w, t)];
        }
    }

    /** Bytes of the arrays. */
    long bytes() {
        return 4L * tables.length + 8L * (entries.length + rows.length + masks.length);
    }

    private static int record(int[] w, int t) {
        int order = w[TupleSpaceLayout.ORDER_AT] + TupleSpaceLayout.ORDER_ENTRY * t;
        return w[order + TupleSpaceLayout.ORDER_RECORD];
    }

    /** Offset of a tuple's table in the image. */
    private static int table(int[] w, int t) {
        return w[record(w, t) + TupleSpaceLayout.LISTS];
    }

    /** Offset of an entry by its number, the first one being 1. */
    private static int entry(int[] w, int number) {
        return w[TupleSpaceLayout.EXTRA_AT] + KeyListLayout.ENTRY * (number - 1);
    }

    private static int more(int[] w, int number) {
        return w[entry(w, number) + KeyListLayout.NEXT_WORD] >>> KeyListLayout.MORE_AT;
    }

    /** Number behind that of the image's last entry. */
    private static int entriesEnd(int[] w, int rules) {
        int number = 1;
        for (int k = 0; k < rules; k++) {
            number += 1 + more(w, number);
        }
        return number;
    }

    /**
     * The first entry in the image of each rule.
     *
     * @param numberOf gets for each first entry of a rule the rule's number
     */
    private static int[] firstEntries(int[] w, int rules, int[] numberOf) {
        int[] first = new int[rules + 1];
        int number = 1;
        for (int k = 1; k <= rules; k++) {
            first[k] = number;
            numberOf[number] = k;
            number += 1 + more(w, number);
        }
        numberOf[number] = rules + 1;
        return first;
    }

    private static int row(int[] w, int slot) {
        return w[TupleSpaceLayout.ROWS_AT] + slot * w[TupleSpaceLayout.STRIDE_AT];
    }

    private static boolean ranges(int[] w, int rules) {
        boolean ranges = false;
        for (int slot = 0; slot < rules; slot++) {
            ranges |= w[row(w, slot) + TupleSpaceLayout.SRC_PORTS] != Match.ANY_PORT;
            ranges |= w[row(w, slot) + TupleSpaceLayout.DST_PORTS] != Match.ANY_PORT;
        }
        return ranges;
    }

    /** Writes entries and rows; returns the masks. */
    private long[] rows(int[] w, int rules, int size, int[] firstEntry, int[] numberOf) {
        Map<Integer, Integer> known = new HashMap<>();
        long[] all = {};
        for (int k = 1; k <= rules; k++) {
            int one = w[entry(w, firstEntry[k]) + KeyListLayout.RANK_WORD];
            int two = w[entry(w, firstEntry[k]) + KeyListLayout.NEXT_WORD];
            int last = firstEntry[k] + (two >>> KeyListLayout.MORE_AT);
            int limit = w[entry(w, last) + KeyListLayout.NEXT_WORD] & KeyListLayout.LIST_FIRST;
            int rank = one & KeyListLayout.RANK;
            int row = row(w, rank);
            int mask = w[row + TupleSpaceLayout.MASK];
            Integer offset = known.get(mask);
            if (offset == null) {
                offset = pairs * known.size();
                known.put(mask, offset);
                if (all.length < offset + pairs) {
                    all = Arrays.copyOf(all, 2 * all.length + pairs);
                }
                pack(w, mask, size, all, offset);
            }
            int to = rowWords * k;
            pack(w, row + TupleSpaceLayout.VALUES, size, rows, to);
            rows[to + pairs] = offset;
            if (portsPosition >= 0) {
                rows[to + pairs + 1] =
                        pair(
                                w[row + TupleSpaceLayout.SRC_PORTS],
                                w[row + TupleSpaceLayout.DST_PORTS]);
            }
            int tested = (one >>> KeyListLayout.FIRST_AT & KeyListLayout.POSITION) / 2;
            int low = rank | tested << PAIR_AT;
            if ((one & KeyListLayout.LAST) != 0) {
                low |= 1 << LAST_AT;
            }
            entries[ENTRY * k] = pair(numberOf[limit], low);
            entries[ENTRY * k + 1] = rows[to + tested];
            entries[ENTRY * k + 2] = all[offset + tested];
        }
        return Arrays.copyOf(all, pairs * known.size());
    }

    private static void pack(int[] w, int from, int size, long[] to, int at) {
        for (int p = 0; p < size; p += 2) {
            to[at + p / 2] = pair(w[from + p], p + 1 < size ? w[from + p + 1] : 0);
        }
    }

    /** Two words in one, the first one in the upper half. */
    static long pair(int first, int second) {
        return (long) first << 32 | second & LOW;
    }

    private Tuple tuple(int[] w, int t, int at, int[] numberOf) {
        int record = record(w, t);
        int terms = w[record + TupleSpaceLayout.TERMS];
        int[] positions = new int[terms];
        int[] named = new int[terms];
        for (int k = 0; k < terms; k++) {
            int term = record + TupleSpaceLayout.FIRST_TERM + TupleSpaceLayout.TERM * k;
            positions[k] = w[term + TupleSpaceLayout.TERM_POSITION];
            named[k] = w[term + TupleSpaceLayout.TERM_MASK];
        }
        int table = table(w, t);
        int bits = w[table + KeyListLayout.TABLE_BITS];
        int firstList = KeyListLayout.LIST_FIRST;
        for (int k = 0; k < 1 << bits; k++) {
            int word = w[table + KeyListLayout.FIRST_WORD + k];
            int list = word & KeyListLayout.LIST_FIRST;
            if (list != 0) {
                tables[at + k] = word & ~KeyListLayout.LIST_FIRST | numberOf[list];
                firstList = Math.min(firstList, numberOf[list]);
            }
        }
        return new Tuple(positions, named, at, 32 - bits, firstList);
    }
}
