package dev.sluice.engine.crossproduct;

import dev.sluice.engine.image.BuildMeter;
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
 * of the other fields' classes, the groups' cells and, by {@link CrossproductLists}, their lists.
 * Not thread-safe: one instance a build.
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

    /** Bytes that the tables of the other fields' classes may take while they are made. */
    private static final long MOST_CLASS_BYTES = 40L << 20;

    private final RuleSet rules;
    private final CrossproductLimits limits;
    private final BuildMeter meter;
    private final WordWriter out;
    private final Prefix[] src;
    private final Prefix[] dst;
    private final int[] kindOf;
    private final List<Rule> kinds = new ArrayList<>();
    private int head;
    private int anyKind = -1;

    private CrossproductCompiler(RuleSet rules, BuildMeter meter, CrossproductLimits limits) {
        this.rules = rules;
        this.limits = limits;
        this.meter = meter;
        this.out = new WordWriter(CrossproductAlgorithm.LABEL, meter.budgetBytes());
        this.src = new Prefix[rules.size()];
        this.dst = new Prefix[rules.size()];
        this.kindOf = new int[rules.size()];
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
            PrefixTables found = axes[a].levels();
            if (found != null) {
                levels.add(found);
                numbers[a] = levels.size();
            }
        }
        RfcCompiler.ClassTables tables = classes(levels);
        int[] steps = tables.results();
        CrossproductLists lists =
                new CrossproductLists(
                        out, meter, head, kindOf, anyKind, matrix(tables.rules()), limits);
        List<CrossproductCells> cells = new ArrayList<>();
        long room = Math.max(CELLS_AT_LEAST, MOST_CELLS_A_RULE * rules.size());
        for (int[] group : groups) {
            int line = rules.rules().get(group[0]).line();
            cells.add(
                    new CrossproductCells(
                            group, new Prefix[][] {src, dst}, room, line, limits, meter));
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
            group(records + g * CrossproductLayout.RECORD, cells.get(g), lists);
        }
        lists.write();
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
        // Cut below the budget, so that a refusal tells which of the two was passed.
        long classBytes = Math.min(MOST_CLASS_BYTES, meter.budgetBytes() - 1);
        try {
            tables =
                    RfcCompiler.writeClasses(
                            out,
                            ofKinds,
                            rules.layout(),
                            levels,
                            new BuildMeter(CrossproductAlgorithm.LABEL, classBytes));
        } catch (MemoryBudgetException e) {
            if (e.budgetBytes() != classBytes) {
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
        return tables;
    }

    /** Writes in which classes the kinds hold. */
    private CrossproductLists.KindClasses matrix(long[][] classes) {
        int rowWords = (classes.length + 31) / 32;
        int matrix = out.reserve((long) rowWords * kinds.size());
        for (int c = 0; c < classes.length; c++) {
            for (int k = 0; k < kinds.size(); k++) {
                if ((classes[c][k >> 6] >>> k & 1) != 0) {
                    int at = matrix + k * rowWords + (c >> 5);
                    out.set(at, out.get(at) | 1 << c);
                }
            }
        }
        return new CrossproductLists.KindClasses(matrix, rowWords, classes.length);
    }

    /** Writes a group's cells. */
    private void group(int record, CrossproductCells cells, CrossproductLists lists) {
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
            int list = lists.list(sorted, i, to);
            int major = (int) (cell / columns);
            int minor = (int) (cell % columns);
            if (cells.form == CrossproductLayout.DIRECT) {
                lists.cell(table + (int) cell, list, 0);
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
}
