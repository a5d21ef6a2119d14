package dev.sluice.engine.crossproduct;

import dev.sluice.engine.image.Image;
import dev.sluice.engine.image.MemoryBudgetException;
import dev.sluice.engine.image.WordWriter;
import dev.sluice.engine.lookup.UnsupportedRulesException;
import dev.sluice.engine.prefix.Prefix;
import dev.sluice.engine.rfc.PrefixTables;
import dev.sluice.engine.rfc.RfcCompiler;
import dev.sluice.engine.rules.Match;
import dev.sluice.engine.rules.Rule;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.schemas.header.HeaderLayout;
import dev.sluice.schemas.header.HeaderWord;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Compiles a rule set: divides it into groups, writes what finds the address prefixes, the tables
 * of the other fields' classes, the groups' cells and their lists. Not thread-safe: one instance a
 * build.
 */
public final class CrossproductCompiler {
    /**
     * A rule set is refused if it has more cells for each rule, and than {@link #CELLS_AT_LEAST}.
     */
    private static final long MOST_CELLS_A_RULE = 24;

    private static final long CELLS_AT_LEAST = 100_000;

    private static final int MOST_RULES = 1 << CrossproductCells.POSITION_BITS;

    /** Cells start at multiples of so many words, the most that one load of a GPU reads. */
    private static final int VECTOR = 4;

    /** Bits of a cell at most: less than 32, since a shift by 32 bits shifts by none. */
    private static final int MOST_CELL_BITS = 31;

    /** Bytes that the tables of the other fields' classes may take. */
    private static final long MOST_CLASS_BYTES = 16L << 20;

    private final RuleSet rules;
    private final CrossproductLimits limits;
    private final WordWriter out;
    private final Prefix[] src;
    private final Prefix[] dst;
    private final int[] kindOf;
    private final List<Rule> kinds = new ArrayList<>();
    private final Map<Long, List<int[]>> lists = new HashMap<>();
    private final List<int[]> cellLists = new ArrayList<>();
    private final ListCells listCells = new ListCells();
    private int head;
    private int classCount;
    private int matrixWords;
    private int matrix;
    private int anyKind = -1;

    private CrossproductCompiler(RuleSet rules, long budgetBytes, CrossproductLimits limits) {
        this.rules = rules;
        this.limits = limits;
        this.out = new WordWriter(CrossproductAlgorithm.LABEL, budgetBytes);
        this.src = new Prefix[rules.size()];
        this.dst = new Prefix[rules.size()];
        this.kindOf = new int[rules.size()];
    }

    /**
     * Compiles a rule set.
     *
     * @throws UnsupportedRulesException if an address mask is no prefix, IPv4 and IPv6 addresses
     *     are mixed, or the rules overlap so much that there are too many cells
     * @throws MemoryBudgetException if the image passes the budget
     */
    public static Image compile(RuleSet rules, long budgetBytes) {
        return compile(rules, budgetBytes, CrossproductLimits.STANDARD);
    }

    /** As above, with limits of one's own. */
    public static Image compile(RuleSet rules, long budgetBytes, CrossproductLimits limits) {
        return new CrossproductCompiler(rules, budgetBytes, limits).compile();
    }

    private Image compile() {
        if (rules.size() > MOST_RULES) {
            throw new UnsupportedRulesException(
                    CrossproductAlgorithm.LABEL, 0, "it has more than " + MOST_RULES + " rules");
        }
        HeaderLayout layout = rules.layout();
        int[] sourceWords = addressWords(HeaderWord.IPV4_SRC, HeaderWord.IPV6_SRC);
        int[] destinationWords = addressWords(HeaderWord.IPV4_DST, HeaderWord.IPV6_DST);
        split(sourceWords, destinationWords);
        List<int[]> groups = rules.size() == 0 ? List.of() : CrossproductGroups.of(src, dst);
        groups = new ArrayList<>(groups);
        groups.sort((a, b) -> Integer.compare(a[0], b[0]));
        long levelBytes = Math.min(limits.levelBytes(), out.budgetBytes() / 4);
        AddressAxis[] axes = {
            new AddressAxis(sourceWords, src, levelBytes),
            new AddressAxis(destinationWords, dst, levelBytes)
        };
        head = out.reserve(CrossproductLayout.HEAD);
        out.set(CrossproductLayout.HEAD_AT, head);
        List<PrefixTables> levels = new ArrayList<>();
        int[] numbers = new int[axes.length];
        for (int a = 0; a < axes.length; a++) {
            PrefixTables tables = axes[a].levels();
            if (tables != null) {
                levels.add(tables);
                numbers[a] = levels.size();
            }
        }
        int[] steps = classes(levels).results();
        List<CrossproductCells> cells = new ArrayList<>();
        long room = Math.max(CELLS_AT_LEAST, MOST_CELLS_A_RULE * rules.size());
        for (int[] group : groups) {
            int line = rules.rules().get(group[0]).line();
            cells.add(new CrossproductCells(group, new Prefix[][] {src, dst}, room, line, limits));
            room -= cells.get(cells.size() - 1).sorted.length;
        }
        int records = out.reserve((long) groups.size() * CrossproductLayout.RECORD);
        out.set(head + CrossproductLayout.GROUPS, records);
        out.set(head + CrossproductLayout.GROUP_COUNT, groups.size());
        for (int a = 0; a < axes.length; a++) {
            axes[a].write(
                    out,
                    head + CrossproductLayout.AXES + a * CrossproductLayout.AXIS,
                    steps[numbers[a]],
                    positions(layout, a == 0 ? sourceWords : destinationWords),
                    cells,
                    a,
                    records);
        }
        for (int g = 0; g < cells.size(); g++) {
            group(records + g * CrossproductLayout.RECORD, cells.get(g));
        }
        patterns();
        return Image.seal(out.toArray(), CrossproductAlgorithm.CODE, layout, rules.size());
    }

    private int[] addressWords(int v4, int v6) {
        HeaderLayout layout = rules.layout();
        boolean six = false;
        for (int w = HeaderWord.IPV6_SRC; w < HeaderWord.COUNT; w++) {
            six |= layout.position(w) >= 0;
        }
        if (!six) {
            return layout.position(v4) < 0 ? new int[0] : new int[] {v4};
        }
        if (layout.position(HeaderWord.IPV4_SRC) >= 0
                || layout.position(HeaderWord.IPV4_DST) >= 0) {
            throw new UnsupportedRulesException(
                    CrossproductAlgorithm.LABEL, 0, "it names IPv4 and IPv6 addresses");
        }
        int last = -1;
        for (int i = 0; i < 4; i++) {
            last = layout.position(v6 + i) >= 0 ? i : last;
        }
        int[] words = new int[last + 1];
        for (int i = 0; i <= last; i++) {
            words[i] = v6 + i;
            if (layout.position(v6 + i) < 0) {
                throw new UnsupportedRulesException(
                        CrossproductAlgorithm.LABEL, 0, "an IPv6 address mask is no prefix");
            }
        }
        return words;
    }

    private static int[] positions(HeaderLayout layout, int[] words) {
        return Arrays.stream(words).map(layout::position).toArray();
    }

    /** Divides each rule into two prefixes and the kind of what it asks of the other fields. */
    private void split(int[] sourceWords, int[] destinationWords) {
        Map<Match, Integer> numbers = new HashMap<>();
        for (int r = 0; r < rules.size(); r++) {
            Rule rule = rules.rules().get(r);
            Match match = rule.match();
            Prefix source = Prefix.of(match, sourceWords);
            Prefix destination = Prefix.of(match, destinationWords);
            if (source == null || destination == null) {
                throw new UnsupportedRulesException(
                        CrossproductAlgorithm.LABEL, rule.line(), "an address mask is no prefix");
            }
            src[r] = source;
            dst[r] = destination;
            Match others = match.without(sourceWords).without(destinationWords);
            Integer kind = numbers.putIfAbsent(others, kinds.size());
            if (kind == null) {
                kind = kinds.size();
                if (others.usedWords() == 0) {
                    anyKind = kind;
                }
                kinds.add(new Rule(kind, 0, others, "", rule.line()));
            }
            kindOf[r] = kind;
        }
    }

    private RfcCompiler.ClassTables classes(List<PrefixTables> levels) {
        RuleSet ofKinds = RuleSet.of(rules.name(), 0, RuleSet.DROP, kinds);
        RfcCompiler.ClassTables tables;
        try {
            tables =
                    RfcCompiler.writeClasses(
                            out, ofKinds, rules.layout(), levels, MOST_CLASS_BYTES);
        } catch (MemoryBudgetException e) {
            if (e.budgetBytes() != MOST_CLASS_BYTES) {
                throw e;
            }
            throw new UnsupportedRulesException(
                    CrossproductAlgorithm.LABEL,
                    0,
                    "ports, protocol and the other small fields combine in too many ways");
        }
        out.set(head + CrossproductLayout.STEPS, tables.records());
        out.set(head + CrossproductLayout.STEP_COUNT, tables.steps());
        out.set(head + CrossproductLayout.STEPS_END, tables.end());
        out.set(head + CrossproductLayout.CLASS_STEP, tables.results()[0]);
        long[][] classes = tables.rules();
        classCount = classes.length;
        matrixWords = (classes.length + 31) / 32;
        matrix = out.reserve((long) matrixWords * kinds.size());
        for (int c = 0; c < classes.length; c++) {
            for (int k = 0; k < kinds.size(); k++) {
                if ((classes[c][k >> 6] >>> k & 1) != 0) {
                    int at = matrix + k * matrixWords + (c >> 5);
                    out.set(at, out.get(at) | 1 << c);
                }
            }
        }
        return tables;
    }

    /** Writes a group's cells. */
    private void group(int record, CrossproductCells cells) {
        int columns = cells.columns();
        boolean hashed = cells.form == 0;
        int places = hashed ? Integer.highestOneBit(Math.max(2, 2 * cells.count - 1)) * 2 : 0;
        int width = hashed ? 32 - Integer.numberOfLeadingZeros(columns - 1) : columns;
        long size =
                cells.form == CrossproductLayout.DIRECT
                        ? (cells.prefixes[0].size() + 1L) * columns
                        : (long) CrossproductLayout.KEYED_CELL * (hashed ? places : cells.count);
        int table = out.reserveAligned(size, VECTOR);
        out.set(record + CrossproductLayout.CELLS, table);
        out.set(record + CrossproductLayout.FORM_OR_MASK, hashed ? places - 1 : cells.form);
        out.set(record + CrossproductLayout.BEST, cells.rules[0]);
        out.set(record + CrossproductLayout.WIDTH, width);
        BitSet taken = new BitSet(places);
        long[] sorted = cells.sorted;
        int n = 0;
        for (int i = 0; i < sorted.length; n++) {
            long cell = sorted[i] >>> CrossproductCells.POSITION_BITS;
            int to = i;
            while (to < sorted.length && sorted[to] >>> CrossproductCells.POSITION_BITS == cell) {
                to++;
            }
            int list = list(sorted, i, to);
            int major = (int) (cell / columns);
            int minor = (int) (cell % columns);
            if (cells.form == CrossproductLayout.DIRECT) {
                listCells.add(table + (int) cell, list, 0);
            } else if (hashed) {
                int place = CrossproductLayout.hash(major, minor) & places - 1;
                while (taken.get(place)) {
                    place = place + 1 & places - 1;
                }
                taken.set(place);
                int at = table + place * CrossproductLayout.KEYED_CELL;
                long key = (long) major << width | minor;
                out.set(at + CrossproductLayout.CELL_KEY, (int) key);
                int named = at + CrossproductLayout.CELL_NAMED;
                listCells.add(named, list, (int) (key >>> 32));
            } else {
                boolean last =
                        to == sorted.length
                                || (sorted[to] >>> CrossproductCells.POSITION_BITS) / columns
                                        != major;
                int at = table + n * CrossproductLayout.KEYED_CELL;
                out.set(
                        at + CrossproductLayout.CELL_KEY,
                        minor | (last ? CrossproductLayout.LAST : 0));
                listCells.add(at + CrossproductLayout.CELL_NAMED, list, 0);
            }
            i = to;
        }
    }

    /** Number of a cell's list, which {@link #patterns} writes; equal lists have one number. */
    private int list(long[] sorted, int from, int to) {
        int[] kept = new int[to - from];
        int n = 0;
        long hash = 1;
        next:
        for (int i = from; i < to; i++) {
            int r = (int) (sorted[i] & MOST_RULES - 1);
            for (int k = 0; k < n; k++) {
                if (kindOf[kept[k]] == kindOf[r]) {
                    continue next; // a better rule of the list matches whatever this one does
                }
            }
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
        int[] stored = new int[n + 1];
        stored[0] = cellLists.size();
        System.arraycopy(kept, 0, stored, 1, n);
        equal.add(stored);
        cellLists.add(Arrays.copyOf(kept, n));
        return stored[0];
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

    /**
     * Fills the cells. Lists with the same kinds in the same order have one pattern: for each class
     * the number, from 1 on, of the first rule of the list whose kind holds. If the patterns do not
     * take too much memory and a cell has enough bits, it names its pattern and its list: a list of
     * one rule by 1 + the rule's position, a longer one by a number behind these, at which the
     * positions of its rules lie. Else a cell is the offset of pairs (row of the kind, position of
     * the rule), the last position marked.
     */
    private void patterns() {
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
        int entries = (classCount + 1) / 2 * 2;
        int listBits = 32 - Integer.numberOfLeadingZeros(rules.size() + listed);
        int patternBits = 32 - Integer.numberOfLeadingZeros(Math.max(0, patterns.size() - 1));
        if (2L * entries * patterns.size() > limits.patternBytes()
                || listBits + patternBits > listCells.bits()) {
            lists();
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
                named = rules.size() + 1 + before;
                for (int position : list) {
                    out.set(positions + before++, position);
                }
            }
            cellOf[l] = named | patternOf[l] << listBits;
        }
        cells(cellOf, listBits + patternBits);
    }

    private void lists() {
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
        for (int c = 0; c < classCount; c++) {
            int first = 0;
            for (int k = 0; k < kindsOf.size() && first == 0; k++) {
                int bits = out.get(matrix + kindsOf.get(k) * matrixWords + (c >> 5));
                first = (bits >>> c & 1) != 0 ? k + 1 : 0;
            }
            int at = row + (c >> 1);
            out.set(at, out.get(at) | first << (c << 4 & 16));
        }
    }

    private int pairsOfKind(int[] list) {
        int first = out.reserve((long) CrossproductLayout.LISTED * list.length);
        for (int k = 0; k < list.length; k++) {
            int position = list[k];
            int last = k == list.length - 1 ? CrossproductLayout.LAST : 0;
            int at = first + CrossproductLayout.LISTED * k;
            out.set(at + CrossproductLayout.LIST_ROW, matrix + kindOf[position] * matrixWords);
            out.set(at + CrossproductLayout.LIST_POSITION, position | last);
        }
        return first;
    }
}
