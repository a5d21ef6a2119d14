package dev.sluice.engine.crossproduct;

import dev.sluice.engine.image.BuildMeter;
import dev.sluice.engine.image.WordWriter;
import dev.sluice.engine.lookup.UnsupportedRulesException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The lists of rules that the cells of all groups name. {@link #list} and {@link #cell} collect
 * them, then {@link #write} writes them and fills the cells.
 *
 * <p>Lists with the same kinds in the same order have one pattern: for each class the number, from
 * 1 on, of the first rule of the list whose kind holds. If the patterns do not take too much memory
 * and a cell has enough bits, it names its pattern and its list: a list of one rule by 1 + the
 * rule's position, a longer one by a number behind these, at which the positions of its rules lie.
 * Else a cell is the offset of pairs (row of the kind, position of the rule), the last position
 * marked. Not thread-safe: one instance a build.
 */
final class CrossproductLists {
    /** Bits of a cell at most: less than 32, since a shift by 32 bits shifts by none. */
    private static final int MOST_CELL_BITS = 31;

    /** Bytes of a list beside its rules while the image is written. */
    private static final long LIST_BYTES = 96;

    /**
     * In which classes the kinds hold: a row of bits for each kind, a bit for each class.
     *
     * @param matrix offset of the first kind's row
     * @param rowWords words of a row
     * @param count number of classes
     */
    record KindClasses(int matrix, int rowWords, int count) {
        /** Offset of a kind's row. */
        int row(int kind) {
            return matrix + kind * rowWords;
        }
    }

    private final WordWriter out;
    private final BuildMeter meter;
    private final int head;
    private final int ruleCount;
    private final int[] kindOf;
    private final int anyKind;
    private final KindClasses classes;
    private final CrossproductLimits limits;
    private final Map<Long, List<int[]>> lists = new HashMap<>();
    private final List<int[]> cellLists = new ArrayList<>();
    private final ListCells listCells = new ListCells();

    /** For each kind the last list, by the number of calls, that has a rule of it. */
    private final int[] lastListOf;

    private int calls;

    /**
     * No lists yet.
     *
     * @param head offset of the image's head record
     * @param kindOf kind of each rule
     * @param anyKind the kind that holds in every class, -1 if there is none
     */
    CrossproductLists(
            WordWriter out,
            BuildMeter meter,
            int head,
            int[] kindOf,
            int anyKind,
            KindClasses classes,
            CrossproductLimits limits) {
        this.out = out;
        this.meter = meter;
        this.lastListOf = new int[Arrays.stream(kindOf).max().orElse(-1) + 1];
        this.head = head;
        this.ruleCount = kindOf.length;
        this.kindOf = kindOf;
        this.anyKind = anyKind;
        this.classes = classes;
        this.limits = limits;
    }

    /**
     * Takes a cell's list, and returns its number; equal lists have one number.
     *
     * @param sorted as {@link CrossproductCells#sorted}
     * @param from index of the cell's first rule there
     * @param to index behind its last one
     */
    int list(long[] sorted, int from, int to) {
        meter.work(to - from);
        int[] kept = new int[to - from];
        int n = 0;
        long hash = 1;
        calls++;
        for (int i = from; i < to; i++) {
            int r = (int) (sorted[i] & (1 << CrossproductCells.POSITION_BITS) - 1);
            if (lastListOf[kindOf[r]] == calls) {
                continue; // a better rule of the list matches whatever this one does
            }
            lastListOf[kindOf[r]] = calls;
            kept[n++] = r;
            hash = hash * 0x9e3779b97f4a7c15L + r;
            if (kindOf[r] == anyKind) {
                break;
            }
        }
        List<int[]> equal = lists.computeIfAbsent(hash, h -> new ArrayList<>(1));
        for (int[] other : equal) {
            if (other.length == n + 1 && Arrays.equals(other, 1, n + 1, kept, 0, n)) {
                return other[0];
            }
        }
        meter.hold(LIST_BYTES + 8L * n);
        int[] stored = new int[n + 1];
        stored[0] = cellLists.size();
        System.arraycopy(kept, 0, stored, 1, n);
        equal.add(stored);
        cellLists.add(Arrays.copyOf(kept, n));
        return stored[0];
    }

    /**
     * Takes a cell that has a list.
     *
     * @param word offset of the word that is to name the list
     * @param list number of the list
     * @param above bits that the cell's key has in the upper part of that word
     */
    void cell(int word, int list, int above) {
        listCells.add(word, list, above);
    }

    /**
     * The cells that have a list: offsets of their words, numbers of their lists, and the bits that
     * keys have in the upper part of the same words.
     */
    private static final class ListCells {
        private int[] words = new int[1024];
        private int[] lists = new int[1024];
        private int[] upper = new int[1024];
        private int size;
        private int allUpper;

        void add(int word, int list, int above) {
            if (size == words.length) {
                words = Arrays.copyOf(words, 2 * size);
                lists = Arrays.copyOf(lists, 2 * size);
                upper = Arrays.copyOf(upper, 2 * size);
            }
            words[size] = word;
            lists[size] = list;
            upper[size++] = above;
            allUpper |= above;
        }

        /** Bits of a word that no key uses, and cells may have. */
        int bits() {
            return Math.min(MOST_CELL_BITS, Integer.numberOfLeadingZeros(allUpper));
        }
    }

    /** Writes patterns and lists, and fills the cells that were taken. */
    void write() {
        Map<List<Integer>, Integer> rows = new HashMap<>();
        List<List<Integer>> patterns = new ArrayList<>();
        int[] patternOf = new int[cellLists.size()];
        int listed = 0;
        for (int l = 0; l < patternOf.length; l++) {
            int[] list = cellLists.get(l);
            List<Integer> kindsOf = Arrays.stream(list).mapToObj(r -> kindOf[r]).toList();
            Integer row = rows.putIfAbsent(kindsOf, patterns.size());
            patternOf[l] = row == null ? patterns.size() : row;
            if (row == null) {
                patterns.add(kindsOf);
            }
            listed += list.length == 1 ? 0 : list.length;
        }
        int entries = (classes.count() + 1) / 2 * 2;
        int listBits = 32 - Integer.numberOfLeadingZeros(ruleCount + listed);
        int patternBits = 32 - Integer.numberOfLeadingZeros(Math.max(0, patterns.size() - 1));
        if (2L * entries * patterns.size() > limits.patternBytes()
                || listBits + patternBits > listCells.bits()) {
            pairs();
            return;
        }
        int table = out.reserve((long) entries / 2 * patterns.size());
        out.set(head + CrossproductLayout.PATTERNS, table);
        out.set(head + CrossproductLayout.PATTERNS_END, out.size());
        out.set(head + CrossproductLayout.PATTERN_ENTRIES, entries);
        out.set(head + CrossproductLayout.LIST_BITS, listBits);
        for (int p = 0; p < patterns.size(); p++) {
            pattern(table + p * entries / 2, patterns.get(p));
        }
        int positions = out.reserve(listed);
        out.set(head + CrossproductLayout.LISTS, positions);
        int[] cellOf = new int[cellLists.size()];
        int before = 0;
        for (int l = 0; l < cellOf.length; l++) {
            int[] list = cellLists.get(l);
            int named = list[0] + 1;
            if (list.length > 1) {
                named = ruleCount + 1 + before;
                for (int position : list) {
                    out.set(positions + before++, position);
                }
            }
            cellOf[l] = named | patternOf[l] << listBits;
        }
        cells(cellOf, listBits + patternBits);
    }

    /** The form without patterns. */
    private void pairs() {
        int[] cellOf = cellLists.stream().mapToInt(this::pairsOfKind).toArray();
        int bits = 32 - Integer.numberOfLeadingZeros(out.size());
        if (bits > listCells.bits()) {
            throw new UnsupportedRulesException(
                    CrossproductAlgorithm.LABEL,
                    0,
                    "its address pairs and their rules are too many");
        }
        cells(cellOf, bits);
    }

    private void cells(int[] cellOf, int bits) {
        out.set(head + CrossproductLayout.CELL_BITS, bits);
        for (int c = 0; c < listCells.size; c++) {
            out.set(
                    listCells.words[c],
                    cellOf[listCells.lists[c]] | (int) ((long) listCells.upper[c] << bits));
        }
    }

    private void pattern(int row, List<Integer> kindsOf) {
        meter.work((long) kindsOf.size() * classes.rowWords());
        int[] open = new int[classes.rowWords()];
        Arrays.fill(open, -1);
        for (int k = 0; k < kindsOf.size(); k++) {
            int kind = classes.row(kindsOf.get(k));
            for (int w = 0; w < open.length; w++) {
                int here = out.get(kind + w) & open[w];
                open[w] &= ~here;
                for (; here != 0; here &= here - 1) {
                    int c = 32 * w + Integer.numberOfTrailingZeros(here);
                    int at = row + (c >> 1);
                    out.set(at, out.get(at) | k + 1 << (c << 4 & 16));
                }
            }
        }
    }

    private int pairsOfKind(int[] list) {
        int first = out.reserve((long) CrossproductLayout.LISTED * list.length);
        for (int k = 0; k < list.length; k++) {
            int position = list[k];
            int last = k == list.length - 1 ? CrossproductLayout.LAST : 0;
            int at = first + CrossproductLayout.LISTED * k;
            out.set(at + CrossproductLayout.LIST_ROW, classes.row(kindOf[position]));
            out.set(at + CrossproductLayout.LIST_POSITION, position | last);
        }
        return first;
    }
}
