package dev.sluice.engine.crossproduct;

import dev.sluice.engine.image.BuildMeter;
import dev.sluice.engine.image.Image;
import dev.sluice.engine.image.MemoryBudgetException;
import dev.sluice.engine.image.WordWriter;
import dev.sluice.engine.lookup.UnsupportedRulesException;
import dev.sluice.engine.prefix.PrefixTables;
import dev.sluice.engine.rfc.RfcCompiler;
import dev.sluice.engine.rules.Rule;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.schemas.header.HeaderLayout;
import dev.sluice.schemas.header.HeaderWord;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Compiles a rule set: divides it into groups, writes what finds the address prefixes, the tables
 * of the other fields' classes, the groups' cells and, by {@link CrossproductLists}, their lists.
 * Not thread-safe: one instance a build.
 */
public final class CrossproductCompiler {
    /**
     * A rule set is refused if it has more cells for each rule, unless they are fewer than {@link
     * #CELLS_AT_LEAST}.
     */
    private static final long MOST_CELLS_A_RULE = 24;

    /**
     * Cells that a rule may have if they are no more than {@link #FEW_CELLS} in all: some 32 MB and
     * three seconds for policies whose prefixes nest 24 deep.
     */
    private static final long MOST_OF_FEW_CELLS_A_RULE = 80;

    private static final long FEW_CELLS = 10_000_000;
    private static final long CELLS_AT_LEAST = 100_000;

    private static final int MOST_RULES = 1 << CrossproductCells.POSITION_BITS;

    /** Cells start at multiples of so many words, the most that one load of a GPU reads. */
    private static final int VECTOR = 4;

    /** Bytes that the tables of the other fields' classes may take while they are made. */
    private static final long MOST_CLASS_BYTES = 40L << 20;

    private final RuleSet rules;
    private final CrossproductLimits limits;
    private final BuildMeter meter;
    private final WordWriter out;
    private final int head;
    private final int[][] addressWords;
    private final RuleKinds kinds;
    private final RuleKinds.@Nullable Services services;
    private final AddressAxis[] axes = new AddressAxis[2];
    private final List<PrefixTables> levels = new ArrayList<>();

    private CrossproductCompiler(RuleSet rules, BuildMeter meter, CrossproductLimits limits) {
        if (rules.size() > MOST_RULES) {
            throw new UnsupportedRulesException(
                    CrossproductLayout.LABEL, 0, "it has more than " + MOST_RULES + " rules");
        }
        this.rules = rules;
        this.limits = limits;
        this.meter = meter;
        this.out = new WordWriter(CrossproductLayout.LABEL, meter.budgetBytes());
        addressWords =
                new int[][] {
                    addressWords(HeaderWord.IPV4_SRC, HeaderWord.IPV6_SRC),
                    addressWords(HeaderWord.IPV4_DST, HeaderWord.IPV6_DST)
                };
        kinds = new RuleKinds(rules, addressWords[0], addressWords[1]);
        services = rules.layout().position(HeaderWord.PORTS) < 0 ? null : kinds.services();
        head = out.reserve(CrossproductLayout.HEAD);
        out.set(CrossproductLayout.HEAD_AT, head);
        long levelBytes = Math.min(limits.levelBytes(), out.budgetBytes() / 4);
        for (int a = 0; a < axes.length; a++) {
            axes[a] = new AddressAxis(addressWords[a], kinds.prefixes[a], levelBytes);
            PrefixTables found = axes[a].levels();
            if (found != null) {
                levels.add(found);
            }
        }
    }

    /**
     * Compiles a rule set.
     *
     * @param meter counts what is done and held
     * @throws UnsupportedRulesException if an address mask is no prefix, IPv4 and IPv6 addresses
     *     are mixed, or the rules overlap so much that there are too many cells
     * @throws MemoryBudgetException if the image passes the budget
     */
    public static Image compile(RuleSet rules, BuildMeter meter) {
        return compile(rules, meter, CrossproductLimits.STANDARD);
    }

    /** As above, with limits of one's own. */
    public static Image compile(RuleSet rules, BuildMeter meter, CrossproductLimits limits) {
        return new CrossproductCompiler(rules, meter, limits).compile();
    }

    private Image compile() {
        int start = out.size();
        // Mostly there are more classes than kinds.
        boolean few =
                rules.size() > 0
                        && VerdictMatrix.mayFit(kinds.prefixes, kinds.kinds.size(), limits, meter);
        RfcCompiler.ClassTables tables = few ? classesOfKinds() : null;
        VerdictMatrix matrix = tables == null ? null : matrix(tables);
        if (tables != null && matrix != null) {
            int record = records(List.of(matrix), tables);
            matrix.write(out, record, VECTOR);
            out.set(head + CrossproductLayout.LIST_FORM, CrossproductLayout.BY_CLASS);
        } else {
            groups(tables, start);
        }
        return Image.seal(out.toArray(), CrossproductClassifier.CODE, rules.layout(), rules.size());
    }

    /** All rules as one matrix of verdicts, null if that is not small. */
    private @Nullable VerdictMatrix matrix(RfcCompiler.ClassTables tables) {
        long[][] classes = tables.rules();
        return VerdictMatrix.of(
                kinds, classesOf(kinds.kinds.size(), classes), classes.length, limits, meter);
    }

    /**
     * Writes the rules divided into groups, and the lists of their cells.
     *
     * @param written tables of the kinds' classes if they are written, from
     * @param start on
     */
    private void groups(RfcCompiler.@Nullable ClassTables written, int start) {
        List<CrossproductCells> cells = cells();
        CellLists cellLists = new CellLists(kinds.kindOf, kinds.anyKind, meter);
        List<int[]> numbers = cells.stream().map(cellLists::numbersOf).toList();
        CrossproductLists lists =
                new CrossproductLists(out, meter, head, kinds.kindOf, cellLists, limits);
        // Mostly there are more classes than kinds: what does not fit over kinds is not tried.
        boolean tried = services == null || lists.patternsFit(kinds.kinds.size());
        RfcCompiler.ClassTables ofKinds = written == null && tried ? classesOfKinds() : written;
        boolean byKind =
                ofKinds != null
                        && (services == null || tried && lists.patternsFit(ofKinds.rules().length));
        if (!byKind) {
            out.dropFrom(start);
        }
        RfcCompiler.ClassTables tables =
                byKind
                        ? Objects.requireNonNull(ofKinds)
                        : classes(Objects.requireNonNull(services).rests());
        catchAlls(tables.rules(), byKind ? null : services);
        int records = records(cells, tables);
        for (int g = 0; g < cells.size(); g++) {
            group(records + g * CrossproductLayout.RECORD, cells.get(g), numbers.get(g), lists);
        }
        if (byKind) {
            lists.write(kindClasses(tables.rules()));
        } else {
            out.set(
                    head + CrossproductLayout.PORTS_POSITION,
                    rules.layout().position(HeaderWord.PORTS));
            lists.write(serviceLists(Objects.requireNonNull(services), tables.rules()));
        }
    }

    /**
     * Writes for each class the best rule that holds there for all addresses and ports.
     *
     * @param classes which kinds hold in each class, or where these are given
     * @param of which rests of them
     */
    private void catchAlls(long[][] classes, RuleKinds.@Nullable Services of) {
        int[] best = new int[classes.length];
        Arrays.fill(best, CrossproductLayout.NO_RULE);
        for (int r = rules.size() - 1; r >= 0; r--) {
            if (!kinds.catchesAll(r)) {
                continue;
            }
            meter.work(classes.length);
            int kind = of == null ? kinds.kindOf[r] : of.restOf()[kinds.kindOf[r]];
            for (int c = 0; c < classes.length; c++) {
                if (holds(classes[c], kind)) {
                    best[c] = r;
                }
            }
        }
        out.set(head + CrossproductLayout.CATCH_ALLS, out.append(best, 1));
    }

    private List<CrossproductCells> cells() {
        int[] inCells =
                IntStream.range(0, rules.size()).filter(r -> !kinds.catchesAll(r)).toArray();
        List<int[]> groups = new ArrayList<>(CrossproductGroups.of(kinds, inCells));
        groups.sort((a, b) -> Integer.compare(a[0], b[0]));
        List<CrossproductCells> cells = new ArrayList<>();
        long few = Math.min(FEW_CELLS, MOST_OF_FEW_CELLS_A_RULE * rules.size());
        long room = Math.max(Math.max(CELLS_AT_LEAST, few), MOST_CELLS_A_RULE * rules.size());
        for (int[] group : groups) {
            int line = rules.rules().get(group[0]).line();
            cells.add(new CrossproductCells(group, kinds, room, line, limits, meter));
            room -= cells.get(cells.size() - 1).sorted.length;
        }
        return cells;
    }

    /** Writes tables of the kinds' classes; null if these are too many and services will do. */
    private RfcCompiler.@Nullable ClassTables classesOfKinds() {
        try {
            return classes(kinds.kinds);
        } catch (UnsupportedRulesException e) {
            if (services == null) {
                throw e;
            }
            return null;
        }
    }

    private ServiceLists serviceLists(RuleKinds.Services of, long[][] classes) {
        if (classes.length > ServiceLists.MOST_CLASSES) {
            throw new UnsupportedRulesException(
                    CrossproductLayout.LABEL,
                    0,
                    "protocol and the other small fields combine in too many ways");
        }
        int[][] classesOfRest = classesOf(of.rests().size(), classes);
        int[][] classesOfKind =
                Arrays.stream(of.restOf()).mapToObj(r -> classesOfRest[r]).toArray(int[][]::new);
        return new ServiceLists(out, meter, kinds.kindOf, of.ports(), classesOfKind);
    }

    /** Returns whether a kind is one of those that hold in a class. */
    private static boolean holds(long[] kindsOfClass, int kind) {
        return (kindsOfClass[kind >> 6] >>> kind & 1) != 0;
    }

    /** For each kind the classes in which it holds, ascending. */
    private static int[][] classesOf(int kinds, long[][] classes) {
        int[][] of = new int[kinds][];
        for (int k = 0; k < kinds; k++) {
            int kind = k;
            of[k] =
                    IntStream.range(0, classes.length)
                            .filter(c -> holds(classes[c], kind))
                            .toArray();
        }
        return of;
    }

    /** Writes both addresses and reserves the groups' records, whose offset it returns. */
    private int records(List<? extends GroupPrefixes> groups, RfcCompiler.ClassTables tables) {
        int records = out.reserve((long) groups.size() * CrossproductLayout.RECORD);
        out.set(head + CrossproductLayout.GROUPS, records);
        out.set(head + CrossproductLayout.GROUP_COUNT, groups.size());
        int level = 1;
        for (int a = 0; a < axes.length; a++) {
            int step = axes[a].levels() == null ? 0 : level++;
            axes[a].write(
                    out,
                    head + CrossproductLayout.AXES + a * CrossproductLayout.AXIS,
                    tables.results()[step],
                    positions(rules.layout(), addressWords[a]),
                    groups,
                    a,
                    records);
        }
        return records;
    }

    private int[] addressWords(int v4, int v6) {
        HeaderLayout layout = rules.layout();
        boolean six = false;
        for (int w = HeaderWord.IPV6_SRC; HeaderWord.isIpv6(w); w++) {
            six |= layout.position(w) >= 0;
        }
        if (!six) {
            return layout.position(v4) < 0 ? new int[0] : new int[] {v4};
        }
        if (layout.position(HeaderWord.IPV4_SRC) >= 0
                || layout.position(HeaderWord.IPV4_DST) >= 0) {
            throw new UnsupportedRulesException(
                    CrossproductLayout.LABEL, 0, "it names IPv4 and IPv6 addresses");
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
                        CrossproductLayout.LABEL, 0, "an IPv6 address mask is no prefix");
            }
        }
        return words;
    }

    private static int[] positions(HeaderLayout layout, int[] words) {
        return Arrays.stream(words).map(layout::position).toArray();
    }

    /** Writes the tables that give a header's class: which of some kinds hold. */
    private RfcCompiler.ClassTables classes(List<Rule> of) {
        RuleSet ofKinds = RuleSet.of(rules.name(), 0, RuleSet.DROP, of);
        RfcCompiler.ClassTables tables;
        // Cut below the budget, so that a refusal tells which of the two was passed.
        long classBytes = Math.min(MOST_CLASS_BYTES, meter.budgetBytes() - 1);
        try {
            tables =
                    RfcCompiler.writeClasses(
                            out,
                            ofKinds,
                            rules.layout(),
                            levels,
                            new BuildMeter(CrossproductLayout.LABEL, classBytes));
        } catch (MemoryBudgetException e) {
            if (e.budgetBytes() != classBytes) {
                throw e;
            }
            throw new UnsupportedRulesException(
                    CrossproductLayout.LABEL,
                    0,
                    "ports, protocol and the other small fields combine in too many ways");
        }
        out.set(head + CrossproductLayout.STEPS, tables.records());
        out.set(head + CrossproductLayout.STEP_COUNT, tables.steps());
        out.set(head + CrossproductLayout.STEPS_END, tables.end());
        out.set(head + CrossproductLayout.CLASS_STEP, tables.results()[0]);
        return tables;
    }

    /** Writes in which classes the kinds hold. */
    private CrossproductLists.KindClasses kindClasses(long[][] classes) {
        int rowWords = (classes.length + 31) / 32;
        int matrix = out.reserve((long) rowWords * kinds.kinds.size());
        for (int c = 0; c < classes.length; c++) {
            for (int k = 0; k < kinds.kinds.size(); k++) {
                if (holds(classes[c], k)) {
                    int at = matrix + k * rowWords + (c >> 5);
                    out.set(at, out.get(at) | 1 << c);
                }
            }
        }
        return new CrossproductLists.KindClasses(matrix, rowWords, classes.length);
    }

    /** Writes a group's cells. */
    private void group(
            int record, CrossproductCells cells, int[] numbers, CrossproductLists lists) {
        int columns = cells.columns();
        boolean hashed = cells.form == CrossproductLayout.HASHED;
        CellPlaces places = hashed ? places(record, cells) : null;
        int width =
                switch (cells.form) {
                    case CrossproductLayout.HASHED ->
                            32 - Integer.numberOfLeadingZeros(columns - 1);
                    case CrossproductLayout.MAPPED -> map(record, cells);
                    default -> columns;
                };
        long size =
                switch (cells.form) {
                    case CrossproductLayout.DIRECT -> (cells.prefixes[0].size() + 1L) * columns;
                    // The first word is what a pair without a cell reads.
                    case CrossproductLayout.MAPPED -> 1L + cells.count;
                    default ->
                            (long) CrossproductLayout.KEYED_CELL
                                    * (places == null ? cells.count : places.places);
                };
        int table = out.reserveAligned(size, VECTOR);
        out.set(record + CrossproductLayout.CELLS, table);
        out.set(record + CrossproductLayout.GROUP_FORM, cells.form);
        out.set(record + CrossproductLayout.BEST, cells.rules[0]);
        out.set(record + CrossproductLayout.WIDTH, width);
        long[] sorted = cells.sorted;
        int n = 0;
        for (int i = 0; i < sorted.length; n++) {
            long cell = sorted[i] >>> CrossproductCells.POSITION_BITS;
            int to = cells.endOfCell(i);
            int list = numbers[n];
            int major = (int) (cell / columns);
            int minor = (int) (cell % columns);
            if (cells.form == CrossproductLayout.DIRECT) {
                lists.cell(table + (int) cell, list, 0);
            } else if (cells.form == CrossproductLayout.MAPPED) {
                lists.cell(table + 1 + n, list, 0);
            } else if (places != null) {
                int at = table + places.placeOf[n] * CrossproductLayout.KEYED_CELL;
                long key = (long) major << width | minor;
                out.set(at + CrossproductLayout.CELL_KEY, (int) key);
                int named = at + CrossproductLayout.CELL_NAMED;
                lists.cell(named, list, (int) (key >>> 32));
            } else {
                boolean last =
                        to == sorted.length
                                || (sorted[to] >>> CrossproductCells.POSITION_BITS) / columns
                                        != major;
                int at = table + n * CrossproductLayout.KEYED_CELL;
                out.set(
                        at + CrossproductLayout.CELL_KEY,
                        minor | (last ? CrossproductLayout.LAST : 0));
                lists.cell(at + CrossproductLayout.CELL_NAMED, list, 0);
            }
            i = to;
        }
    }

    /** Writes the map of a group's pairs that have a cell; returns its entries a source. */
    private int map(int record, CrossproductCells cells) {
        int columns = cells.columns();
        int width = (columns - 1 >>> CrossproductLayout.MAP_SHIFT) + 1;
        int entries = (cells.prefixes[0].size() + 1) * width;
        int map = out.reserveAligned((long) CrossproductLayout.MAP_ENTRY * entries, VECTOR);
        out.set(record + CrossproductLayout.MAP, map);
        long[] sorted = cells.sorted;
        int number = 1;
        for (int i = 0; i < sorted.length; i = cells.endOfCell(i), number++) {
            long cell = sorted[i] >>> CrossproductCells.POSITION_BITS;
            int minor = (int) (cell % columns);
            int entry = (int) (cell / columns) * width + (minor >>> CrossproductLayout.MAP_SHIFT);
            int at = map + entry * CrossproductLayout.MAP_ENTRY;
            int bits = out.get(at + CrossproductLayout.MAP_BITS);
            if (bits == 0) {
                out.set(at + CrossproductLayout.MAP_FIRST, number);
            }
            out.set(at + CrossproductLayout.MAP_BITS, bits | 1 << minor);
        }
        return width;
    }

    /** Finds places of a hashed group's cells, and writes their seeds. */
    private CellPlaces places(int record, CrossproductCells cells) {
        int[] major = new int[cells.count];
        int[] minor = new int[cells.count];
        int n = 0;
        for (int i = 0; i < cells.sorted.length; i = cells.endOfCell(i)) {
            long cell = cells.sorted[i] >>> CrossproductCells.POSITION_BITS;
            major[n] = (int) (cell / cells.columns());
            minor[n++] = (int) (cell % cells.columns());
        }
        CellPlaces places = new CellPlaces(major, minor, meter);
        int seeds = out.reserve((places.seeds.length + 1) / 2);
        for (int b = 0; b < places.seeds.length; b++) {
            int at = seeds + (b >> 1);
            out.set(at, out.get(at) | places.seeds[b] << (b << 4 & 16));
        }
        out.set(record + CrossproductLayout.SEEDS, seeds);
        out.set(record + CrossproductLayout.BUCKET_SHIFT, places.shift);
        out.set(record + CrossproductLayout.PLACES, places.places);
        return places;
    }
}
