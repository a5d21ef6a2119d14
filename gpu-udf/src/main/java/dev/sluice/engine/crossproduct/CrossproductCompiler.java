package dev.sluice.engine.crossproduct;

import static dev.sluice.engine.crossproduct.model.CrossproductLimits.refused;

import dev.sluice.engine.crossproduct.cells.CrossproductGroups;
import dev.sluice.engine.crossproduct.cells.GroupCells;
import dev.sluice.engine.crossproduct.cells.SortedCells;
import dev.sluice.engine.crossproduct.lists.CellLists;
import dev.sluice.engine.crossproduct.lists.CrossproductLists;
import dev.sluice.engine.crossproduct.lists.ServiceLists;
import dev.sluice.engine.crossproduct.model.CrossproductLayout;
import dev.sluice.engine.crossproduct.model.CrossproductLimits;
import dev.sluice.engine.crossproduct.model.GroupPrefixes;
import dev.sluice.engine.crossproduct.model.RuleKinds;
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

    private static final int MOST_RULES = 1 << SortedCells.POSITION_BITS;

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
            throw refused(0, "it has more than " + MOST_RULES + " rules");
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
        List<GroupCells> cells = cells();
        CellLists cellLists = new CellLists(kinds.kindOf, kinds.anyKind, meter);
        List<int[]> numbers =
                cells.stream().map(group -> cellLists.numbersOf(group.cells())).toList();
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
            int record = records + g * CrossproductLayout.RECORD;
            cells.get(g).write(out, record, numbers.get(g), lists, meter);
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

    private List<GroupCells> cells() {
        int[] inCells =
                IntStream.range(0, rules.size()).filter(r -> !kinds.catchesAll(r)).toArray();
        List<int[]> groups = new ArrayList<>(CrossproductGroups.of(kinds, inCells));
        groups.sort((a, b) -> Integer.compare(a[0], b[0]));
        List<GroupCells> cells = new ArrayList<>();
        long few = Math.min(FEW_CELLS, MOST_OF_FEW_CELLS_A_RULE * rules.size());
        long room = Math.max(Math.max(CELLS_AT_LEAST, few), MOST_CELLS_A_RULE * rules.size());
        for (int[] group : groups) {
            int line = rules.rules().get(group[0]).line();
            cells.add(new GroupCells(group, kinds, room, line, limits, meter));
            room -= cells.get(cells.size() - 1).cells().entries();
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
            throw refused(0, "protocol and the other small fields combine in too many ways");
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
            throw refused(0, "it names IPv4 and IPv6 addresses");
        }
        int last = -1;
        for (int i = 0; i < 4; i++) {
            last = layout.position(v6 + i) >= 0 ? i : last;
        }
        int[] words = new int[last + 1];
        for (int i = 0; i <= last; i++) {
            words[i] = v6 + i;
            if (layout.position(v6 + i) < 0) {
                throw refused(0, "an IPv6 address mask is no prefix");
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
            throw refused(0, "ports, protocol and the other small fields combine in too many ways");
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
}
