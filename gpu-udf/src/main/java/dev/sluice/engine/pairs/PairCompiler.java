package dev.sluice.engine.pairs;

import dev.sluice.engine.Algorithm;
import dev.sluice.engine.UnsupportedRulesException;
import dev.sluice.engine.image.Image;
import dev.sluice.engine.image.MemoryBudgetException;
import dev.sluice.engine.image.WordWriter;
import dev.sluice.engine.prefix.Prefix;
import dev.sluice.engine.prefix.PrefixSet;
import dev.sluice.engine.rfc.PrefixTables;
import dev.sluice.engine.rfc.RfcCompiler;
import dev.sluice.engine.rules.Match;
import dev.sluice.engine.rules.Rule;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.schemas.header.HeaderLayout;
import dev.sluice.schemas.header.HeaderWord;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Writes tries, class tables, cells and lists. Not thread-safe: one instance a build. */
public final class PairCompiler {
    /** Cells of all groups, a rule, beyond which the structure does not suit the rules. */
    private static final long MOST_CELLS_A_RULE = 24;

    private static final long CELLS_AT_LEAST = 100_000;

    /** A position shares a number with its cell while cells are sorted. */
    private static final int POSITION_BITS = 20;

    private static final int MOST_RULES = 1 << POSITION_BITS;

    /** A group's cells lie in a plain table unless that is so many times larger. */
    private static final long DIRECT_UP_TO = 4;

    private static final long DIRECT_AT_LEAST = 1 << 14;

    /**
     * Tables of fixed strides may take so many bytes a prefix, and those of so many prefixes more.
     */
    private static final long LEVEL_BYTES_A_PREFIX = 400;

    private static final int LEVEL_PREFIXES = 10_000;

    /** Bytes of the patterns' rows; where they need more, lists are tested rule by rule. */
    private static final long MOST_PATTERN_BYTES = 16L << 20;

    /** Words that one load of a GPU takes: rows and cells start at multiples of it. */
    private static final int VECTOR = 4;

    /** Bytes of the tables that reduce the other fields. */
    private static final long MOST_CLASS_BYTES = 16L << 20;

    private final RuleSet rules;
    private final WordWriter out;
    private final Prefix[] src;
    private final Prefix[] dst;
    private final int[] kindOf;
    private final List<Rule> kinds = new ArrayList<>();
    private final Map<Long, List<int[]>> lists = new HashMap<>();
    private final List<int[]> cellLists = new ArrayList<>();
    private final ListCells listCells = new ListCells();
    private int head;
    private int mapStride;
    private int classCount;
    private int matrixWords;
    private int matrix;
    private int anyKind = -1;

    private PairCompiler(RuleSet rules, long budgetBytes) {
        this.rules = rules;
        this.out = new WordWriter(Algorithm.PAIRS.label(), budgetBytes);
        this.src = new Prefix[rules.size()];
        this.dst = new Prefix[rules.size()];
        this.kindOf = new int[rules.size()];
    }

    /**
     * Compiles a rule set.
     *
     * @throws UnsupportedRulesException if an address mask is no prefix, IPv4 and IPv6 addresses
     *     are mixed, or the rules overlap so much that cells explode
     * @throws MemoryBudgetException if the image passes the budget
     */
    public static Image compile(RuleSet rules, long budgetBytes) {
        return new PairCompiler(rules, budgetBytes).compile();
    }

    private Image compile() {
        if (rules.size() > MOST_RULES) {
            throw new UnsupportedRulesException(
                    Algorithm.PAIRS, 0, "it has more than " + MOST_RULES + " rules");
        }
        HeaderLayout layout = rules.layout();
        int[] sourceWords = addressWords(HeaderWord.IPV4_SRC, HeaderWord.IPV6_SRC);
        int[] destinationWords = addressWords(HeaderWord.IPV4_DST, HeaderWord.IPV6_DST);
        split(sourceWords, destinationWords);
        PrefixSet sources = new PrefixSet(Arrays.asList(src));
        PrefixSet destinations = new PrefixSet(Arrays.asList(dst));
        head = out.reserve(PairLayout.HEAD);
        out.set(PairLayout.HEAD_AT, head);
        List<PrefixTables> levels = new ArrayList<>();
        int[] steps = {-1, -1};
        levels(sources, sourceWords, levels, steps, 0);
        levels(destinations, destinationWords, levels, steps, 1);
        RfcCompiler.ClassTables tables = classes(levels);
        for (int a = 0; a < 2; a++) {
            out.set(
                    head + PairLayout.SOURCE_STEP + a,
                    steps[a] < 0 ? -1 : tables.results()[steps[a]]);
        }
        out.set(
                head + PairLayout.SOURCE_ROOT,
                steps[0] >= 0
                        ? -1
                        : PrefixTrie.write(out, sources, positions(layout, sourceWords)));
        out.set(
                head + PairLayout.DESTINATION_ROOT,
                steps[1] >= 0
                        ? -1
                        : PrefixTrie.write(out, destinations, positions(layout, destinationWords)));
        List<int[]> groups = rules.size() == 0 ? List.of() : PairGroups.of(src, dst);
        groups = new ArrayList<>(groups);
        groups.sort((a, b) -> Integer.compare(a[0], b[0]));
        int records = out.reserve((long) groups.size() * PairLayout.RECORD);
        out.set(head + PairLayout.GROUPS, records);
        out.set(head + PairLayout.GROUP_COUNT, groups.size());
        mapStride = (groups.size() + 3) / 4 * 4;
        out.set(head + PairLayout.MAP_STRIDE, mapStride);
        out.set(
                head + PairLayout.SOURCES,
                out.reserveAligned((sources.size() + 1L) * mapStride, VECTOR));
        out.set(
                head + PairLayout.DESTINATIONS,
                out.reserveAligned((destinations.size() + 1L) * mapStride, VECTOR));
        long room = Math.max(CELLS_AT_LEAST, MOST_CELLS_A_RULE * rules.size());
        for (int g = 0; g < groups.size(); g++) {
            room -=
                    group(
                            records + g * PairLayout.RECORD,
                            groups.get(g),
                            sources,
                            destinations,
                            room);
        }
        patterns();
        return Image.seal(out.toArray(), Algorithm.PAIRS.code(), layout, rules.size());
    }

    /** Fixed strides for an address of one word, if they stay small. */
    private static void levels(
            PrefixSet set, int[] words, List<PrefixTables> levels, int[] steps, int axis) {
        if (words.length == 1) {
            PrefixTables tables =
                    PrefixLevels.of(
                            set, words[0], LEVEL_BYTES_A_PREFIX * (set.size() + LEVEL_PREFIXES));
            if (tables != null) {
                levels.add(tables);
                steps[axis] = levels.size();
            }
        }
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
                    Algorithm.PAIRS, 0, "it names IPv4 and IPv6 addresses");
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
                        Algorithm.PAIRS, 0, "an IPv6 address mask is no prefix");
            }
        }
        return words;
    }

    private static int[] positions(HeaderLayout layout, int[] words) {
        return Arrays.stream(words).map(layout::position).toArray();
    }

    /** Takes each rule apart: two prefixes, and the kind of what it asks of the other fields. */
    private void split(int[] sourceWords, int[] destinationWords) {
        Map<Match, Integer> numbers = new HashMap<>();
        for (int r = 0; r < rules.size(); r++) {
            Rule rule = rules.rules().get(r);
            Match match = rule.match();
            Prefix source = Prefix.of(match, sourceWords);
            Prefix destination = Prefix.of(match, destinationWords);
            if (source == null || destination == null) {
                throw new UnsupportedRulesException(
                        Algorithm.PAIRS, rule.line(), "an address mask is no prefix");
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
                    Algorithm.PAIRS,
                    0,
                    "ports, protocol and the other small fields combine in too many ways");
        }
        out.set(head + PairLayout.STEPS, tables.records());
        out.set(head + PairLayout.STEP_COUNT, tables.steps());
        out.set(head + PairLayout.STEPS_END, tables.end());
        out.set(head + PairLayout.CLASS_STEP, tables.results()[0]);
        long[][] classes = tables.rules();
        classCount = classes.length;
        matrixWords = (classes.length + 31) / 32;
        matrix = out.reserve((long) matrixWords * kinds.size());
        out.set(head + PairLayout.MATRIX, matrix);
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

    /** Writes a group and returns its number of cell entries. */
    private long group(
            int record, int[] members, PrefixSet allSources, PrefixSet allDestinations, long room) {
        PrefixSet sources = new PrefixSet(Arrays.stream(members).mapToObj(r -> src[r]).toList());
        PrefixSet destinations =
                new PrefixSet(Arrays.stream(members).mapToObj(r -> dst[r]).toList());
        long entries = 0;
        for (int r : members) {
            entries += (long) sources.descendants(src[r]) * destinations.descendants(dst[r]);
        }
        if (entries > room) {
            throw new UnsupportedRulesException(
                    Algorithm.PAIRS,
                    rules.rules().get(members[0]).line(),
                    "its prefixes nest so deeply that " + entries + " address pairs arise");
        }
        int columns = destinations.size() + 1;
        // Cell and position in one number: sorted, a cell's rules follow each other, best first.
        long[] sorted = new long[(int) entries];
        int n = 0;
        for (int r : members) {
            int s0 = sources.indexOf(src[r]);
            int d0 = destinations.indexOf(dst[r]);
            for (int s = s0; s < sources.end[s0]; s++) {
                for (int d = d0; d < destinations.end[d0]; d++) {
                    sorted[n++] = ((s + 1L) * columns + d + 1) << POSITION_BITS | r;
                }
            }
        }
        Arrays.sort(sorted);
        int cells = 0;
        for (int i = 0; i < n; i++) {
            cells +=
                    i == 0 || sorted[i] >>> POSITION_BITS != sorted[i - 1] >>> POSITION_BITS
                            ? 1
                            : 0;
        }
        long plain = (sources.size() + 1L) * columns;
        boolean direct = plain <= Math.max(DIRECT_AT_LEAST, DIRECT_UP_TO * cells);
        out.set(record + PairLayout.BEST, members[0]);
        int g = (record - out.get(head + PairLayout.GROUPS)) / PairLayout.RECORD;
        map(PairLayout.SOURCES, g, sources.longestAround(allSources), direct ? columns : 1);
        map(PairLayout.DESTINATIONS, g, destinations.longestAround(allDestinations), 1);
        int slots = direct ? 0 : Integer.highestOneBit(Math.max(2, 2 * cells - 1)) * 2;
        int table =
                direct
                        ? out.reserveAligned(plain * PairLayout.CELL, VECTOR)
                        : out.reserveAligned((long) slots * PairLayout.SLOT, VECTOR);
        out.set(record + PairLayout.CELLS, table);
        out.set(record + PairLayout.SLOT_MASK, slots - 1);
        for (int i = 0; i < n; ) {
            long cell = sorted[i] >>> POSITION_BITS;
            int to = i;
            while (to < n && sorted[to] >>> POSITION_BITS == cell) {
                to++;
            }
            int list = list(sorted, i, to);
            if (direct) {
                listCells.add(table + (int) cell * PairLayout.CELL, list);
            } else {
                int s = (int) (cell / columns);
                int d = (int) (cell % columns);
                int slot = PairLayout.hash(s, d) & slots - 1;
                while (out.get(table + slot * PairLayout.SLOT) != 0) {
                    slot = slot + 1 & slots - 1;
                }
                int at = table + slot * PairLayout.SLOT;
                out.set(at, s);
                out.set(at + 1, d);
                listCells.add(at + 2, list);
            }
            i = to;
        }
        return entries;
    }

    /** Fills a group's column of the map from a rule set's prefix to the group's around it. */
    private void map(int which, int g, int[] around, int factor) {
        int at = out.get(head + which);
        for (int i = 0; i < around.length; i++) {
            out.set(at + (i + 1) * mapStride + g, around[i] * factor);
        }
    }

    /** Number of a cell's list, which {@link #patterns} writes; equal lists are one. */
    private int list(long[] sorted, int from, int to) {
        int[] kept = new int[to - from];
        int n = 0;
        long hash = 1;
        next:
        for (int i = from; i < to; i++) {
            int r = (int) (sorted[i] & MOST_RULES - 1);
            for (int k = 0; k < n; k++) {
                if (kindOf[kept[k]] == kindOf[r]) {
                    continue next; // whatever gets here was taken by that rule
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

    /** Where lists are named: offsets of words, and numbers of lists. */
    private static final class ListCells {
        private int[] words = new int[1024];
        private int[] lists = new int[1024];
        private int size;

        void add(int word, int list) {
            if (size == words.length) {
                words = Arrays.copyOf(words, 2 * size);
                lists = Arrays.copyOf(lists, 2 * size);
            }
            words[size] = word;
            lists[size++] = list;
        }
    }

    /**
     * Lists of the same kinds in the same order have one pattern: for each class the number, from 1
     * on, of the first rule whose kind holds. Where the patterns' rows stay small a list is its
     * positions, and the cells name its row; else it is (row of the kind, position) pairs, the last
     * position marked.
     */
    private void patterns() {
        Map<List<Integer>, Integer> rows = new HashMap<>();
        List<List<Integer>> patterns = new ArrayList<>();
        int[] patternOf = new int[cellLists.size()];
        for (int l = 0; l < patternOf.length; l++) {
            List<Integer> kindsOf =
                    Arrays.stream(cellLists.get(l)).mapToObj(r -> kindOf[r]).toList();
            Integer row = rows.putIfAbsent(kindsOf, patterns.size());
            patternOf[l] = row == null ? patterns.size() : row;
            if (row == null) {
                patterns.add(kindsOf);
            }
        }
        int rowWords = (classCount + 1) / 2;
        long words = (long) rowWords * patterns.size();
        boolean plain = 4 * words > MOST_PATTERN_BYTES;
        if (!plain) {
            int table = out.reserve(words);
            out.set(head + PairLayout.PATTERNS, table);
            out.set(head + PairLayout.PATTERNS_END, out.size());
            for (int p = 0; p < patterns.size(); p++) {
                pattern(table + p * rowWords, patterns.get(p));
            }
        }
        int[] offsets = new int[cellLists.size()];
        for (int l = 0; l < offsets.length; l++) {
            offsets[l] = plain ? pairsOfKind(cellLists.get(l)) : positions(cellLists.get(l));
        }
        for (int c = 0; c < listCells.size; c++) {
            int list = listCells.lists[c];
            out.set(listCells.words[c], offsets[list]);
            out.set(listCells.words[c] + 1, 2 * patternOf[list] * rowWords);
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

    /** Writes the positions of a list, and returns the offset before the first. */
    private int positions(int[] list) {
        int at = out.reserve(list.length);
        for (int k = 0; k < list.length; k++) {
            out.set(at + k, list[k]);
        }
        return at - 1;
    }

    private int pairsOfKind(int[] list) {
        int at = out.reserve(2L * list.length);
        for (int k = 0; k < list.length; k++) {
            int position = list[k];
            out.set(at + 2 * k, matrix + kindOf[position] * matrixWords);
            out.set(at + 2 * k + 1, k == list.length - 1 ? position | Integer.MIN_VALUE : position);
        }
        return at;
    }
}
