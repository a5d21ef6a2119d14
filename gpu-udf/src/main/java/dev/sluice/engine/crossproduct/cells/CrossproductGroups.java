package dev.sluice.engine.crossproduct.cells;

import dev.sluice.engine.crossproduct.model.RuleKinds;
import dev.sluice.engine.prefix.PrefixSubset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;

/**
 * Divides rules into groups with few cells. A rule is in the cell of every pair of a source and a
 * destination prefix within its own two, but only prefixes of its own group count. So rules that
 * are specific in both addresses form one group, those specific in one address two more, and the
 * rest is divided again. Groups that have few cells together become one.
 */
public final class CrossproductGroups {
    /** Cells that a rule may take in a group whose rules are specific in both addresses. */
    private static final long NARROW_CELLS = 16;

    /** Descendants up to which a prefix counts as specific. */
    private static final int NARROW = 16;

    /** Cells that a rule may take where one address is specific. */
    private static final long MIXED_CELLS = 256;

    private static final int ROUNDS = 5;

    /** Cells that the rules of groups that become one may take together, on average. */
    private static final int MERGED_CELLS = 4;

    /** The same, of all groups, where the pairs of the one group are dense. */
    private static final int DENSE_CELLS = 22;

    /** Pairs of prefixes for each cell, counted once a rule, up to which they are dense. */
    private static final long DENSE_PAIRS_A_CELL = 16;

    /** A group of so few rules stays as it is: its cells are in the first-level cache. */
    private static final int FEW_RULES = 32;

    private final RuleKinds kinds;
    private final int ruleCount;
    private final List<int[]> groups = new ArrayList<>();

    private CrossproductGroups(RuleKinds kinds) {
        this.kinds = kinds;
        this.ruleCount = kinds.kindOf.length;
    }

    /** Prefixes of a group and the cells that each of its rules would take. */
    private final class Group {
        final int[] rules;
        final PrefixSubset sources;
        final PrefixSubset destinations;

        /** The cells of all rules, negative while nobody asked. */
        private long allCells = -1;

        Group(int[] rules) {
            this.rules = rules;
            this.sources = new PrefixSubset(kinds.prefixes[0], kinds.prefixOf[0], rules);
            this.destinations = new PrefixSubset(kinds.prefixes[1], kinds.prefixOf[1], rules);
        }

        int source(int rule) {
            return sources.descendants(kinds.prefixOf[0][rule]);
        }

        int destination(int rule) {
            return destinations.descendants(kinds.prefixOf[1][rule]);
        }

        long cells(int rule) {
            return (long) source(rule) * destination(rule);
        }

        long allCells() {
            if (allCells < 0) {
                allCells = Arrays.stream(rules).mapToLong(this::cells).sum();
            }
            return allCells;
        }

        /** Pairs of a source and a destination, of which some have no cell. */
        long pairs() {
            return (sources.size() + 1L) * (destinations.size() + 1L);
        }

        /** This group and another one as one. */
        Group and(Group other) {
            return new Group(
                    IntStream.concat(Arrays.stream(rules), Arrays.stream(other.rules))
                            .sorted()
                            .toArray());
        }

        int[] where(IntPredicate holds) {
            return Arrays.stream(rules).filter(holds).toArray();
        }
    }

    /**
     * Groups of some rules.
     *
     * @param kinds prefixes of all rules
     * @param rules positions of those that are divided, ascending
     * @return positions, ascending within a group
     */
    public static List<int[]> of(RuleKinds kinds, int[] rules) {
        CrossproductGroups split = new CrossproductGroups(kinds);
        int[] rest = rules;
        for (int round = 0; round < ROUNDS && rest.length > 0; round++) {
            rest = split.round(rest, round == 0 ? NARROW_CELLS : 4 * NARROW_CELLS);
            if (rest.length <= Math.max(8, split.ruleCount / 1000)) {
                break;
            }
        }
        split.add(rest);
        return split.merged();
    }

    /**
     * The groups, of which as many are one as have few cells together, or more where a good part of
     * all pairs of their prefixes has one, so that a map finds them: a look-up reads a cell of
     * every group.
     */
    private List<int[]> merged() {
        List<Group> open = new ArrayList<>();
        groups.forEach(rules -> open.add(new Group(rules)));
        open.sort(Comparator.comparingInt((Group group) -> group.rules.length).reversed());
        long cells = open.stream().mapToLong(Group::allCells).sum();
        List<int[]> kept = new ArrayList<>();
        Group one = open.isEmpty() ? new Group(new int[0]) : open.remove(0);
        for (Group group : open) {
            if (group.rules.length <= FEW_RULES) {
                kept.add(group.rules);
                continue;
            }
            Group both = one.and(group);
            long together = both.allCells();
            long all = cells - one.allCells() - group.allCells() + together;
            boolean few = together <= (long) MERGED_CELLS * ruleCount;
            boolean dense =
                    all <= (long) DENSE_CELLS * ruleCount
                            && both.pairs() <= DENSE_PAIRS_A_CELL * together;
            if (few || dense) {
                one = both;
                cells = all;
            } else {
                kept.add(group.rules);
            }
        }
        if (one.rules.length > 0) {
            kept.add(one.rules);
        }
        return kept;
    }

    private int[] round(int[] from, long narrowCells) {
        Group all = new Group(from);
        int[] narrow = all.where(r -> all.cells(r) <= narrowCells);
        int[] rest = from;
        if (narrow.length * 20L >= from.length) {
            add(narrow);
            rest = all.where(r -> all.cells(r) > narrowCells);
        }
        int[] narrowSource =
                Arrays.stream(rest)
                        .filter(r -> all.source(r) <= NARROW && all.source(r) <= all.destination(r))
                        .toArray();
        int[] narrowDestination =
                Arrays.stream(rest)
                        .filter(
                                r ->
                                        all.destination(r) <= NARROW
                                                && all.source(r) > all.destination(r))
                        .toArray();
        boolean[] placed = new boolean[ruleCount];
        for (int[] mixed : List.of(narrowSource, narrowDestination)) {
            Group group = new Group(mixed);
            int[] kept = group.where(r -> group.cells(r) <= MIXED_CELLS);
            add(kept);
            for (int r : kept) {
                placed[r] = true;
            }
        }
        return Arrays.stream(rest).filter(r -> !placed[r]).toArray();
    }

    private void add(int[] group) {
        if (group.length > 0) {
            groups.add(group);
        }
    }
}
