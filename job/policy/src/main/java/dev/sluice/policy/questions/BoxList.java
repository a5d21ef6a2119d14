package dev.sluice.policy.questions;

import dev.sluice.engine.rules.Match;
import dev.sluice.schemas.header.Field;
import dev.sluice.schemas.header.HeaderWord;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * First-match list in the coordinates of a space, as flat arrays: a box is a region, first and last
 * coordinate a dimension, and a set of kinds.
 */
final class BoxList {
    /**
     * Region of packets.
     *
     * @param bounds first and last coordinate of each dimension
     * @param runs runs of each dimension that has not all coordinates between; null: it has
     */
    record Region(int[] bounds, long[] kinds, int[] @Nullable [] runs) {
        Region(int[] bounds, long[] kinds) {
            this(bounds, kinds, new int[bounds.length / 2][]);
        }

        Region copy() {
            return new Region(bounds.clone(), kinds.clone(), runs.clone());
        }

        /** The smallest box that has all of it. */
        Region hull() {
            return new Region(bounds.clone(), kinds.clone());
        }

        /** Leaves the coordinates of a dimension from a first to a last one; some are left. */
        void clip(int d, int first, int last) {
            int low = Math.max(bounds[2 * d], first);
            int high = Math.min(bounds[2 * d + 1], last);
            int[] all = runs[d];
            set(d, all == null ? new int[] {low, high} : Coordinates.within(all, low, high));
        }

        /** Removes the coordinates of a dimension from a first to a last one; some are left. */
        void remove(int d, int first, int last) {
            set(d, Coordinates.without(runs(d), first, last));
        }

        /** The runs of a dimension. */
        int[] runs(int d) {
            int[] all = runs[d];
            return all == null ? new int[] {bounds[2 * d], bounds[2 * d + 1]} : all;
        }

        private void set(int d, int[] left) {
            bounds[2 * d] = left[0];
            bounds[2 * d + 1] = left[left.length - 1];
            runs[d] = left.length == 2 ? null : left;
        }
    }

    private static final Match ALL = new Match.Builder().build();

    final HeaderSpace space;

    final int size;

    /** Number of boxes of packets that cannot be, which come first. */
    final int impossible;

    /** Number of dimensions beside the kinds. */
    final int dimensions;

    private final int words;
    private final int[] bounds;
    private final long[] kinds;
    final int[] owner;
    final boolean[] covers;
    final boolean[] decides;

    /** Marks of the boxes that hold their packets for certain. */
    final boolean[] certain;

    final int[] version;

    /** True if something that no header tells decides about some of the packets. */
    final boolean doubts;

    /** First box of the packets hidden from a box, and of such a box the next one; -1: none. */
    private final int[] hidden;

    /** Number of boxes from a box of hidden packets to the last one. */
    private final int[] depth;

    /** Places of the dimensions in which a box has not all values: the others need no look. */
    private final int[][] bounded;

    /** Match of each box; of packets that cannot be one of all. */
    final Match[] matches;

    BoxList(HeaderSpace space, List<MatchEntry> entries) {
        this.space = space;
        dimensions = space.size();
        words = space.kinds.words();
        List<Region> regions = new ArrayList<>(impossible(space));
        impossible = regions.size();
        List<@Nullable MatchEntry> of = new ArrayList<>();
        regions.forEach(region -> of.add(null));
        for (MatchEntry entry : entries) {
            Region region = region(entry.match());
            if (region != null) {
                regions.add(region);
                of.add(entry);
            }
        }
        size = regions.size();
        HiddenBoxes<Region> behind = new HiddenBoxes<>(size, this::region);
        int[] heads = of.stream().mapToInt(e -> e == null ? -1 : behind.head(e.hidden())).toArray();
        behind.regions.forEach(regions::add);
        int all = regions.size();
        hidden = Arrays.copyOf(heads, all);
        behind.outer.forEach((box, outer) -> hidden[box] = outer);
        depth = new int[all - size];
        for (int i = 0; i < depth.length; i++) { // the outer ones come first
            depth[i] = hidden[size + i] < 0 ? 1 : 1 + depth[hidden[size + i] - size];
        }
        bounds = new int[2 * dimensions * all];
        kinds = new long[words * all];
        owner = new int[all];
        covers = new boolean[all];
        decides = new boolean[size];
        certain = new boolean[size];
        version = new int[size];
        matches = new Match[size];
        boolean anyDoubt = false;
        for (int box = 0; box < all; box++) {
            Region region = regions.get(box);
            System.arraycopy(region.bounds, 0, bounds, 2 * dimensions * box, 2 * dimensions);
            System.arraycopy(region.kinds, 0, kinds, words * box, words);
            if (box >= size) {
                owner[box] = behind.of.get(box - size).owner();
                covers[box] = behind.of.get(box - size).certain();
                anyDoubt |= !covers[box];
                continue;
            }
            MatchEntry entry = of.get(box);
            owner[box] = entry == null ? MatchEntry.NOBODY : entry.owner();
            covers[box] = entry == null || entry.covers();
            decides[box] = entry == null || entry.decides();
            certain[box] = entry == null || entry.certain();
            version[box] = version(region.kinds);
            matches[box] = entry == null ? ALL : entry.match();
            anyDoubt |= decides[box] && !certain[box];
        }
        doubts = anyDoubt;
        bounded = new int[all][];
        for (int box = 0; box < all; box++) {
            int at = 2 * dimensions * box;
            bounded[box] =
                    IntStream.range(0, dimensions)
                            .filter(
                                    d ->
                                            bounds[at + 2 * d] > 0
                                                    || bounds[at + 2 * d + 1]
                                                            < space.dimensions.get(d).size() - 1)
                            .map(d -> 2 * d)
                            .toArray();
        }
    }

    /** Returns whether a box that covers does not get all packets of a region that it has. */
    boolean isHoled(int box, Region region) {
        return hole(box, region) >= 0;
    }

    /** Number of boxes of packets hidden from a box. */
    int holes(int box) {
        return box < size && hidden[box] >= 0 ? depth[hidden[box] - size] : 0;
    }

    /** The first box of packets hidden from a box that overlaps a region; -1: none. */
    int hole(int box, Region region) {
        int at = box < size ? hidden[box] : -1;
        while (at >= 0 && !overlaps(at, region)) {
            at = hidden[at];
        }
        return at;
    }

    /** Number of boxes with those of hidden packets, which stand behind the others. */
    int all() {
        return hidden.length;
    }

    /** The first box of packets hidden from a box, the next one of such a box; -1: none. */
    int hiddenFrom(int box) {
        return hidden[box];
    }

    /** Returns whether a point of a box is hidden from it for certain. */
    boolean isHidden(int box, int[] point) {
        for (int at = hidden[box]; at >= 0; at = hidden[at]) {
            if (covers[at] && has(at, point)) {
                return true;
            }
        }
        return false;
    }

    /** The boxes of packets hidden for certain from a box, of those that overlap a region. */
    IntStream hidden(int box, Region region) {
        IntStream.Builder all = IntStream.builder();
        for (int at = hidden[box]; at >= 0; at = hidden[at]) {
            if (covers[at] && overlaps(at, region)) {
                all.add(at);
            }
        }
        return all.build();
    }

    /** Returns whether a box is before another: one of hidden packets always is. */
    boolean isBefore(int one, int box) {
        return one < box || one >= size;
    }

    /**
     * ICMP with types or codes of more than 8 bits, and fragments of IPv6 without a fragment
     * header.
     */
    private static List<Region> impossible(HeaderSpace space) {
        List<Region> regions = new ArrayList<>();
        long[] icmp = space.kinds.icmp();
        for (int d = 0; d < space.size() && Arrays.stream(icmp).anyMatch(word -> word != 0); d++) {
            int first = space.dimensions.get(d).atNoIcmp();
            if (first > 0) {
                int[] bounds = all(space);
                bounds[2 * d] = first;
                regions.add(new Region(bounds, icmp));
            }
        }
        long[] fragments = space.fragments();
        for (int d = 0; d < space.size() && !isEmpty(fragments); d++) {
            for (int[] run : space.dimensions.get(d).withoutFragmentHeader()) {
                int[] bounds = all(space);
                bounds[2 * d] = run[0];
                bounds[2 * d + 1] = run[1];
                regions.add(new Region(bounds, fragments));
            }
        }
        return regions;
    }

    private static int[] all(HeaderSpace space) {
        int[] bounds = new int[2 * space.size()];
        for (int d = 0; d < space.size(); d++) {
            bounds[2 * d + 1] = space.dimensions.get(d).size() - 1;
        }
        return bounds;
    }

    /** The region of a match; null: no packet. */
    @Nullable Region region(Match match) {
        long[] left = space.kinds.of(match);
        int[] region = new int[2 * dimensions];
        for (int d = 0; d < dimensions; d++) {
            Dimension of = space.dimensions.get(d);
            region[2 * d] = of.first(match);
            region[2 * d + 1] = of.last(match);
            if (region[2 * d + 1] < region[2 * d]) {
                return null;
            }
        }
        return isEmpty(left) ? null : new Region(region, left);
    }

    private int version(long[] of) {
        int version = -1;
        for (int kind = 0; kind < space.kinds.size(); kind++) {
            if ((of[kind >>> 6] >>> kind & 1) != 0) {
                int one = Field.IP_VERSION.extract(space.kinds.sample(kind)[HeaderWord.IP]);
                if (version >= 0 && version != one) {
                    return -1;
                }
                version = one;
            }
        }
        return version;
    }

    static boolean isEmpty(long[] set) {
        for (long word : set) {
            if (word != 0) {
                return false;
            }
        }
        return true;
    }

    int first(int box, int dimension) {
        return bounds[2 * (box * dimensions + dimension)];
    }

    int last(int box, int dimension) {
        return bounds[2 * (box * dimensions + dimension) + 1];
    }

    long kinds(int box, int word) {
        return kinds[box * words + word];
    }

    Region region(int box) {
        return new Region(
                Arrays.copyOfRange(bounds, 2 * dimensions * box, 2 * dimensions * (box + 1)),
                Arrays.copyOfRange(kinds, words * box, words * (box + 1)));
    }

    boolean overlaps(int box, Region region) {
        int at = 2 * dimensions * box;
        int[] of = region.bounds;
        for (int i : bounded[box]) {
            if (bounds[at + i] > of[i + 1] || bounds[at + i + 1] < of[i]) {
                return false;
            }
        }
        for (int w = 0; w < words; w++) {
            if ((kinds[box * words + w] & region.kinds[w]) != 0) {
                return meetsRuns(box, region);
            }
        }
        return false;
    }

    private boolean meetsRuns(int box, Region region) {
        int at = 2 * dimensions * box;
        for (int i : bounded[box]) {
            int[] runs = region.runs[i >> 1];
            if (runs != null && !Coordinates.meet(runs, bounds[at + i], bounds[at + i + 1])) {
                return false;
            }
        }
        return true;
    }

    /** The share of a region that a box has, about. */
    double share(int box, Region region) {
        double share = kindShare(box, region);
        for (int d = 0; d < dimensions; d++) {
            share *= share(box, region, d);
        }
        return share;
    }

    /** The share of a region's coordinates in a dimension that a box has. */
    double share(int box, Region region, int d) {
        int low = region.bounds()[2 * d];
        int high = region.bounds()[2 * d + 1];
        int both = Math.min(high, last(box, d)) - Math.max(low, first(box, d)) + 1;
        return (double) both / (high - low + 1);
    }

    /** The share of a region's kinds that a box has. */
    double kindShare(int box, Region region) {
        int all = 0;
        int both = 0;
        for (int w = 0; w < region.kinds().length; w++) {
            all += Long.bitCount(region.kinds()[w]);
            both += Long.bitCount(region.kinds()[w] & kinds(box, w));
        }
        return (double) both / all;
    }

    /** Returns whether a box has all of a region. */
    boolean spans(int box, Region region) {
        int at = 2 * dimensions * box;
        for (int i : bounded[box]) {
            if (bounds[at + i] > region.bounds[i] || bounds[at + i + 1] < region.bounds[i + 1]) {
                return false;
            }
        }
        for (int w = 0; w < words; w++) {
            if ((region.kinds[w] & ~kinds[box * words + w]) != 0) {
                return false;
            }
        }
        return true;
    }

    /** Returns whether a box has a point, and the point is not hidden from it. */
    boolean holds(int box, int[] point) {
        if (!has(box, point)) {
            return false;
        }
        for (int at = hidden[box]; at >= 0; at = hidden[at]) {
            if (has(at, point)) {
                return false;
            }
        }
        return true;
    }

    /** Returns whether a box has a point that is not hidden from it for certain. */
    boolean mayHold(int box, int[] point) {
        return has(box, point) && !isHidden(box, point);
    }

    private boolean has(int box, int[] point) {
        int at = 2 * dimensions * box;
        for (int d = 0; d < dimensions; d++) {
            if (bounds[at + 2 * d] > point[d] || bounds[at + 2 * d + 1] < point[d]) {
                return false;
            }
        }
        int kind = point[dimensions];
        return (kinds[box * words + (kind >>> 6)] >>> kind & 1) != 0;
    }

    /** The packets of two boxes; null: none. */
    @Nullable Region both(int box, int other) {
        return both(region(box), other);
    }

    /** The packets of a region that a box has; null: none. */
    @Nullable Region both(Region of, int box) {
        if (!overlaps(box, of)) {
            return null;
        }
        Region region = of.copy();
        for (int i : bounded[box]) {
            region.clip(i >> 1, first(box, i >> 1), last(box, i >> 1));
        }
        for (int w = 0; w < words; w++) {
            region.kinds[w] &= kinds(box, w);
        }
        return region;
    }
}
