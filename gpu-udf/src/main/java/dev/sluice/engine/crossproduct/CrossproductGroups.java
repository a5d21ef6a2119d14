package dev.sluice.engine.crossproduct;

import dev.sluice.engine.prefix.Prefix;
import dev.sluice.engine.prefix.PrefixSet;
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
final class CrossproductGroups {
    /** Cells that a rule may take in a group whose rules are specific in both addresses. */
    private static final long NARROW_CELLS = 16;

    /** Descendants up to which a prefix counts as specific. */
    private static final int NARROW = 16;

    /** Cells that a rule may take where one address is specific. */
    private static final long MIXED_CELLS = 256;

    private static final int ROUNDS = 5;

    /** Cells that the rules of groups that become one may take together, on average. */
    private static final int MERGED_CELLS = 4;

    /** A group of so few rules stays as it is: its cells are in the first-level cache. */
    private static final int FEW_RULES = 32;

    private final Prefix[] src;
    private final Prefix[] dst;
    private final List<int[]> groups = new ArrayList<>();

    private CrossproductGroups(Prefix[] src, Prefix[] dst) {
        this.src = src;
        this.dst = dst;
    }

    /** Prefixes of a group and the cells that each of its rules would take. */
    private final class Group {
        final int[] rules;
        final PrefixSet sources;
        final PrefixSet destinations;

        Group(int[] rules) {
            this.rules = rules;
            this.sources = new PrefixSet(Arrays.stream(rules).mapToObj(r -> src[r]).toList());
            this.destinations = new PrefixSet(Arrays.stream(rules).mapToObj(r -> dst[r]).toList());
        }

        int source(int rule) {
            return sources.descendants(src[rule]);
        }

        int destination(int rule) {
            return destinations.descendants(dst[rule]);
        }

        long cells(int rule) {
            return (long) source(rule) * destination(rule);
        }

        long allCells() {
            return Arrays.stream(rules).mapToLong(this::cells).sum();
        }

        int[] where(IntPredicate holds) {
            return Arrays.stream(rules).filter(holds).toArray();
        }
    }

    /** Groups of positions, ascending within a group. */
    static List<int[]> of(Prefix[] src, Prefix[] dst) {
        CrossproductGroups split = new CrossproductGroups(src, dst);
        int[] rest = new int[src.length];
        Arrays.setAll(rest, r -> r);
        for (int round = 0; round < ROUNDS && rest.length > 0; round++) {
            rest = split.round(rest, round == 0 ? NARROW_CELLS : 4 * NARROW_CELLS);
            if (rest.length <= Math.max(8, src.length / 1000)) {
                break;
            }
        }
        split.add(rest);
        return split.merged();
    }

    /**
     * The groups, of which as many are one as have few cells together: a look-up reads a cell of
     * every group.
     */
    private List<int[]> merged() {
        List<int[]> open = new ArrayList<>(groups);
        open.sort(Comparator.comparingInt((int[] group) -> group.length).reversed());
        List<int[]> kept = new ArrayList<>();
        int[] one = open.isEmpty() ? new int[0] : open.remove(0);
        long room = (long) MERGED_CELLS * src.length;
        for (int[] group : open) {
            int[] both =
                    IntStream.concat(Arrays.stream(one), Arrays.stream(group)).sorted().toArray();
            if (group.length > FEW_RULES && new Group(both).allCells() <= room) {
                one = both;
            } else {
                kept.add(group);
            }
        }
        if (one.length > 0) {
            kept.add(one);
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
        boolean[] placed = new boolean[src.length];
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
