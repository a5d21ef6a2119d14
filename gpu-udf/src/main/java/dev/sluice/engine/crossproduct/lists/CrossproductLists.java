package dev.sluice.engine.crossproduct.lists;

import static dev.sluice.engine.crossproduct.model.CrossproductLimits.refused;

import dev.sluice.engine.crossproduct.cells.CellWords;
import dev.sluice.engine.crossproduct.model.CrossproductLayout;
import dev.sluice.engine.crossproduct.model.CrossproductLimits;
import dev.sluice.engine.image.BuildMeter;
import dev.sluice.engine.image.WordWriter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToIntFunction;

/**
 * Writes the lists of rules that the cells of all groups name. {@link #cell} collects the cells,
 * then one of the other methods writes the lists and fills the cells.
 *
 * <p>Lists with the same kinds in the same order have one pattern: for each class the number, from
 * 1 on, of the first rule of the list whose kind holds. If the patterns do not take too much memory
 * and a cell has enough bits, it names its pattern and its list: a list of one rule by 1 + the
 * rule's position, a longer one by a number behind these, at which the positions of its rules lie.
 * Else a cell is the offset of intervals of services ({@link ServiceLists}), or, where ports are no
 * ranges, of pairs (row of the kind, position of the rule), the last position marked. Not
 * thread-safe: one instance a build.
 */
public final class CrossproductLists implements CellWords {
    /** Bits of a cell at most: less than 32, since a shift by 32 bits shifts by none. */
    private static final int MOST_CELL_BITS = 31;

    /**
     * In which classes the kinds hold: a row of bits for each kind, a bit for each class.
     *
     * @param matrix offset of the first kind's row
     * @param rowWords words of a row
     * @param count number of classes
     */
    public record KindClasses(int matrix, int rowWords, int count) {
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
    private final CellLists lists;
    private final long patternBytes;
    private final List<List<Integer>> patterns = new ArrayList<>();
    private final int[] patternOf;
    private final int listBits;
    private final int patternBits;

    /** Rules of the lists of several rules. */
    private final int listed;

    private final ListCells listCells = new ListCells();

    /**
     * Lists that are complete.
     *
     * @param head offset of the image's head record
     * @param kindOf kind of each rule
     */
    public CrossproductLists(
            WordWriter out,
            BuildMeter meter,
            int head,
            int[] kindOf,
            CellLists cellLists,
            CrossproductLimits limits) {
        this.out = out;
        this.meter = meter;
        this.head = head;
        this.ruleCount = kindOf.length;
        this.kindOf = kindOf;
        this.lists = cellLists;
        this.patternBytes = limits.patternBytes();
        this.patternOf = new int[lists.count()];
        Map<List<Integer>, Integer> rows = new HashMap<>();
        int several = 0;
        for (int l = 0; l < patternOf.length; l++) {
            int[] list = lists.list(l);
            List<Integer> kinds = cellLists.kindsOf(list);
            Integer row = rows.putIfAbsent(kinds, patterns.size());
            patternOf[l] = row == null ? patterns.size() : row;
            if (row == null) {
                patterns.add(kinds);
            }
            several += list.length == 1 ? 0 : list.length;
        }
        listed = several;
        listBits = 32 - Integer.numberOfLeadingZeros(ruleCount + listed);
        patternBits = 32 - Integer.numberOfLeadingZeros(Math.max(0, patterns.size() - 1));
    }

    /** Returns whether patterns are small enough over so many classes, and cells have the bits. */
    public boolean patternsFit(int classes) {
        return 2L * entries(classes) * patterns.size() <= patternBytes
                && listBits + patternBits <= listCells.bits();
    }

    /** Entries of a pattern's row. */
    private static int entries(int classes) {
        return (classes + 1) / 2 * 2;
    }

    @Override
    public void cell(int word, int list, int above) {
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

    /** Writes patterns if they fit, else lists that are tested rule by rule. */
    public void write(KindClasses classes) {
        if (patternsFit(classes.count())) {
            patterns(classes);
        } else {
            out.set(head + CrossproductLayout.LIST_FORM, CrossproductLayout.BY_KIND);
            named(list -> pairs(list, classes));
        }
    }

    /** Writes lists that are searched by service. */
    public void write(ServiceLists services) {
        out.set(head + CrossproductLayout.LIST_FORM, CrossproductLayout.BY_SERVICE);
        named(services::write);
        out.set(head + CrossproductLayout.LIST_FLAGS, services.flags());
    }

    private void patterns(KindClasses classes) {
        out.set(head + CrossproductLayout.LIST_FORM, CrossproductLayout.BY_PATTERN);
        int entries = entries(classes.count());
        int table = out.reserve((long) entries / 2 * patterns.size());
        out.set(head + CrossproductLayout.PATTERNS, table);
        out.set(head + CrossproductLayout.PATTERNS_END, out.size());
        out.set(head + CrossproductLayout.PATTERN_ENTRIES, entries);
        out.set(head + CrossproductLayout.LIST_BITS, listBits);
        for (int p = 0; p < patterns.size(); p++) {
            pattern(table + p * entries / 2, patterns.get(p), classes);
        }
        int positions = out.reserve(listed);
        out.set(head + CrossproductLayout.LISTS, positions);
        int[] cellOf = new int[lists.count()];
        int before = 0;
        for (int l = 0; l < cellOf.length; l++) {
            int[] list = lists.list(l);
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

    /** Lists that cells name by their offset. */
    private void named(ToIntFunction<int[]> write) {
        int[] cellOf = new int[lists.count()];
        Arrays.setAll(cellOf, l -> write.applyAsInt(lists.list(l)));
        int bits = 32 - Integer.numberOfLeadingZeros(out.size());
        if (bits > listCells.bits()) {
            throw refused(0, "its address pairs and their rules are too many");
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

    private void pattern(int row, List<Integer> kindsOf, KindClasses classes) {
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

    private int pairs(int[] list, KindClasses classes) {
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

    /**
     * The search of an image's lists.
     *
     * @param head offset of the image's head record
     * @param rules number of rules
     */
    public static ListSearch open(int[] words, int head, int rules) {
        return switch (words[head + CrossproductLayout.LIST_FORM]) {
            case CrossproductLayout.BY_PATTERN -> new PatternSearch(words, head, rules);
            case CrossproductLayout.BY_SERVICE -> new IntervalSearch(words, head);
            default -> new KindSearch(words);
        };
    }
}
