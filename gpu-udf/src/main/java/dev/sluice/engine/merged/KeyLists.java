package dev.sluice.engine.merged;

import dev.sluice.engine.image.BuildMeter;
import dev.sluice.engine.image.HashMultipliers;
import dev.sluice.engine.image.Image;
import dev.sluice.engine.memory.Arena;
import dev.sluice.engine.rules.Match;
import dev.sluice.engine.tuplespace.Tuple;
import dev.sluice.engine.tuplespace.TupleSpaceLayout;
import dev.sluice.engine.tuplespace.TupleTables;
import dev.sluice.schemas.header.HeaderWord;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A second hash table for each tuple of a sealed image, made for speed: its index is a hash of the
 * key, and a word of it names a list of rules. One load tells whether the tuple may have a rule for
 * a header; keys with the same hash share a list. A list is read entry by entry. An entry fills one
 * sector of the GPU's memory and tests three words of one rule, beginning with the words that the
 * fewest headers match; a rule that names more words has more entries.
 *
 * <p>The lists of all tuples lie in the order of their best rules, so that a list that begins
 * behind a certain one has no better rule, and need not be read. {@link KeyListLayout} has the
 * words of tables and entries.
 */
public final class KeyLists {
    /** Tests of an entry: pairs (value, mask). */
    private static final int TESTS = 3;

    /**
     * Size of a table in words for each key: with so many, most headers of other keys find no list.
     */
    private static final int WORDS_A_KEY = 4;

    private static final int LARGEST_TABLE_BITS = 26;

    /** Number of rules from which the chance of a match is estimated. */
    private static final int SAMPLE = 4096;

    /** Words and masks whose values are sampled at most. */
    private static final int MOST_SAMPLED = 1024;

    private final TupleTables tables;
    private final Arena arena;
    private final int words;
    private final int ports;
    private final int count;

    /**
     * For a word's position and a mask: the estimated chance that a header matches a rule there.
     */
    private final Map<Long, Double> likely = new HashMap<>();

    private KeyLists(TupleTables tables, int count) {
        this.tables = tables;
        this.arena = tables.arena();
        this.words = tables.layout().size();
        this.ports = tables.layout().position(HeaderWord.PORTS);
        this.count = count;
    }

    /** Returns whether a sealed image of tuples has lists beside its cells. */
    public static boolean has(Image image) {
        return image.words()[TupleSpaceLayout.EXTRA_AT] != 0;
    }

    /**
     * Writes tables and lists for the rules in slots 0 to count - 1, whose ranks must be their
     * slots. Writes nothing if the rules are more than entries can number (about a million), if
     * they name no word, or if the lists do not fit the arena's budget: look-ups then use the
     * cuckoo tables.
     */
    public static void write(TupleTables tables, int count) {
        if (count <= KeyListLayout.RANK && tables.layout().size() > 0) {
            new KeyLists(tables, count).write();
        }
    }

    private void write() {
        int[] entriesOf = new int[count];
        int total = 0;
        for (int slot = 0; slot < count; slot++) {
            entriesOf[slot] = entries(slot);
            total += entriesOf[slot];
        }
        long needed = (long) KeyListLayout.ENTRY * (total + 2);
        List<Tuple> order = tables.order();
        for (Tuple tuple : order) {
            needed += KeyListLayout.FIRST_WORD + (1L << bits(tuple));
        }
        if (total >= KeyListLayout.LIST_FIRST || !arena.hasRoom(needed)) {
            return;
        }
        int[] cellOf = new int[count];
        for (Tuple tuple : order) {
            int at = arena.allocate(KeyListLayout.FIRST_WORD + (1L << bits(tuple)));
            arena.set(at + KeyListLayout.TABLE_BITS, bits(tuple));
            arena.set(tuple.record + TupleSpaceLayout.LISTS, at);
        }
        int block = arena.allocate((long) KeyListLayout.ENTRY * (total + 2));
        int entries =
                (block + KeyListLayout.ENTRY - 1 & -KeyListLayout.ENTRY) + KeyListLayout.ENTRY;
        arena.set(TupleSpaceLayout.EXTRA_AT, entries);
        int[] w = arena.words();
        int[] listOf = new int[count];
        int[] tagOf = new int[count];
        int[] first = new int[count + 1];
        int lists = 0;
        // Tables name lists by number until their lengths are known.
        for (int slot = 0; slot < count; slot++) {
            Tuple tuple = tables.tupleOfSlot(slot);
            int table = w[tuple.record + TupleSpaceLayout.LISTS];
            int key = key(tuple.mask, tables.rowAt(slot) + TupleSpaceLayout.VALUES);
            int shift = 32 - w[table + KeyListLayout.TABLE_BITS];
            int cell = table + KeyListLayout.FIRST_WORD + (key >>> shift);
            cellOf[slot] = cell;
            if (w[cell] == 0) {
                tagOf[lists] = tag(key);
                w[cell] = ++lists;
            }
            int list = w[cell] - 1;
            listOf[slot] = list;
            first[list + 1] += entriesOf[slot];
            if (tagOf[list] != tag(key)) {
                tagOf[list] = 0;
            }
        }
        for (int list = 0; list < lists; list++) {
            first[list + 1] += first[list];
        }
        int[] end = Arrays.copyOf(first, lists);
        int opened = 0;
        for (int slot = 0; slot < count; slot++) {
            int list = listOf[slot];
            if (list == opened) {
                w[cellOf[slot]] = tagOf[list] << KeyListLayout.LIST_BITS | first[list] + 1;
                opened++;
            }
            int at = entries + KeyListLayout.ENTRY * end[list];
            end[list] += entriesOf[slot];
            int last = end[list] == first[list + 1] ? KeyListLayout.LAST : 0;
            entry(at, slot, entriesOf[slot], last, first[opened] + 1, tagOf[list] == 0);
        }
    }

    /** Log2 of the words of a tuple's table. */
    private static int bits(Tuple tuple) {
        int bits = 1;
        while (1L << bits < (long) WORDS_A_KEY * tuple.keys && bits < LARGEST_TABLE_BITS) {
            bits++;
        }
        return bits;
    }

    /** Entries of a rule. */
    private int entries(int slot) {
        int tests = ranges(slot) ? 1 : 0;
        for (int mask : tables.maskOfSlot(slot)) {
            tests += mask == 0 ? 0 : 1;
        }
        return Math.max(1, (tests + TESTS - 1) / TESTS);
    }

    /** Returns whether a rule has a port range, which its mask does not express. */
    private boolean ranges(int slot) {
        if (ports < 0) {
            return false;
        }
        int[] w = arena.words();
        int row = tables.rowAt(slot);
        return w[row + TupleSpaceLayout.SRC_PORTS] != Match.ANY_PORT
                || w[row + TupleSpaceLayout.DST_PORTS] != Match.ANY_PORT;
    }

    /** Writes a rule's entries; the words that the fewest headers match come first. */
    private void entry(int at, int slot, int count, int last, int next, boolean shared) {
        int[] w = arena.words();
        int row = tables.rowAt(slot);
        int[] mask = tables.maskOfSlot(slot);
        int[] named = tables.tupleOfSlot(slot).mask;
        List<Integer> positions = new ArrayList<>();
        double[] share = new double[words];
        for (int p = 0; p < words; p++) {
            if (mask[p] != 0) {
                share[p] = likely(p, shared ? mask[p] : mask[p] & ~named[p]);
                positions.add(p);
            }
        }
        positions.sort(Comparator.comparingDouble(p -> share[p]));
        boolean ranges = ranges(slot);
        for (int e = 0; e < count; e++) {
            boolean ports = ranges && e == count - 1;
            int[] position = new int[TESTS];
            for (int t = 0; t < (ports ? TESTS - 1 : TESTS); t++) {
                int test = TESTS * e + t;
                if (test < positions.size()) {
                    int p = positions.get(test);
                    position[t] = p;
                    w[at + KeyListLayout.FIRST_VALUE + 2 * t] =
                            w[row + TupleSpaceLayout.VALUES + p];
                    w[at + KeyListLayout.FIRST_MASK + 2 * t] = mask[p];
                }
            }
            if (ports) {
                position[TESTS - 1] = this.ports;
                w[at + KeyListLayout.THIRD_VALUE] = w[row + TupleSpaceLayout.SRC_PORTS];
                w[at + KeyListLayout.THIRD_MASK] = w[row + TupleSpaceLayout.DST_PORTS];
            }
            w[at + KeyListLayout.RANK_WORD] =
                    slot
                            | last
                            | position[0] << KeyListLayout.FIRST_AT
                            | position[1] << KeyListLayout.SECOND_AT;
            w[at + KeyListLayout.NEXT_WORD] =
                    next
                            | position[2] << KeyListLayout.THIRD_AT
                            | (ports ? KeyListLayout.RANGES : 0)
                            | count - 1 - e << KeyListLayout.MORE_AT;
            at += KeyListLayout.ENTRY;
        }
    }

    /**
     * Chance that two rules that name these bits of a word name the same value: from a sample;
     * where ever other bits are named, from their number.
     */
    private double likely(int position, int mask) {
        if (mask == 0) {
            return 1;
        }
        long known = (long) position << 32 | mask & 0xffffffffL;
        if (likely.size() >= MOST_SAMPLED && !likely.containsKey(known)) {
            return Math.pow(0.5, Integer.bitCount(mask));
        }
        return likely.computeIfAbsent(
                known,
                key -> {
                    arena.work((long) BuildMeter.JUMP * Math.min(count, SAMPLE));
                    int[] w = arena.words();
                    int[] values = new int[Math.min(count, SAMPLE)];
                    int n = 0;
                    for (int k = 0; k < values.length; k++) {
                        int slot = (int) ((long) k * count / values.length);
                        if ((tables.maskOfSlot(slot)[position] & mask) == mask) {
                            values[n++] =
                                    w[tables.rowAt(slot) + TupleSpaceLayout.VALUES + position]
                                            & mask;
                        }
                    }
                    return MergedMasks.squares(values, n) / Math.max(1.0, (double) n * n);
                });
    }

    private int key(int[] mask, int values) {
        int[] w = arena.words();
        int key = 0;
        int terms = 0;
        for (int p = 0; p < words; p++) {
            if (mask[p] != 0) {
                key = add(key, terms++, w[values + p] & mask[p]);
            }
        }
        return spread(key);
    }

    /** Adds a word to a hash of {@code terms} words. */
    static int add(int key, int terms, int word) {
        return switch (terms) {
            case 0 -> first(word);
            case 1 -> key + second(word);
            default -> with(key, word);
        };
    }

    static int first(int word) {
        return word * HashMultipliers.GOLDEN;
    }

    /** Its halves exchanged, so that a short prefix, which has no lower bits, fills all bits. */
    static int second(int word) {
        return (word << 16 | word >>> 16) * HashMultipliers.FINISH_1;
    }

    static int with(int key, int word) {
        int h = (key ^ word) * HashMultipliers.WORD;
        return h ^ h >>> 15;
    }

    /** Completes a hash. */
    static int spread(int key) {
        int h = (key ^ key >>> 15) * HashMultipliers.FINISH_2;
        return h ^ h >>> 16;
    }

    /** Some bits of a hash that a table's word keeps to tell keys apart, never 0. */
    static int tag(int key) {
        return key & (1 << 32 - KeyListLayout.LIST_BITS) - 1 | 1;
    }
}
