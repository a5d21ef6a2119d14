package dev.sluice.policy.questions;

import dev.sluice.policy.questions.BoxList.Region;
import java.util.Arrays;
import java.util.BitSet;

/**
 * Proof that boxes cover a region, or a point of it that none holds: exact subtraction, by a budget
 * of steps that the proofs of a question share.
 */
final class CoverProof {
    /** Result of a proof. */
    enum Result {
        COVERED,
        /** {@link #point} lies in no box. */
        OPEN,
        /** The budget is used up. */
        UNDECIDED
    }

    /** Number of dimensions that a box does not span, of one that is no slab. */
    private static final int NEVER_SLAB = 2;

    private static final int MOST_DEEP = 1_500;

    /** Whole budgets that the questions about a list have; then each has this part of one. */
    private static final int SHARES = 50;

    private final BoxList boxes;
    private final long budget;
    private final BitSet leaned = new BitSet();
    private final int[] point;
    private long steps;
    private long total;

    /**
     * Makes a prover.
     *
     * @param budget most comparisons of coordinates in the proofs of a question
     */
    CoverProof(BoxList boxes, long budget) {
        this.boxes = boxes;
        this.budget = budget;
        point = new int[boxes.dimensions + 1];
    }

    /** Begins a question, which has the whole budget while all have used little. */
    void begin() {
        total += steps;
        steps = 0;
    }

    /** Notes comparisons outside of proofs; returns whether the budget is used up. */
    boolean spend(long more) {
        steps += more;
        return steps > (total > SHARES * budget ? budget / SHARES : budget);
    }

    /** Proves; all boxes must overlap the region. */
    Result prove(Region region, int[] covering) {
        leaned.clear();
        return run(region.copy(), covering, covering.length, 0);
    }

    /** The boxes that the last proof needed. Do not change. */
    BitSet leaned() {
        return leaned;
    }

    /** The open point of the last proof. Do not change. */
    int[] point() {
        return point;
    }

    private Result run(Region region, int[] covering, int n, int depth) {
        if (spend(1 + cost(covering, n)) || depth > MOST_DEEP) {
            return Result.UNDECIDED;
        }
        boolean[] holed = new boolean[n];
        for (int i = 0; i < n; i++) {
            holed[i] = boxes.isHoled(covering[i], region);
            if (!holed[i] && boxes.spans(covering[i], region)) {
                leaned.set(covering[i]);
                return Result.COVERED;
            }
        }
        int gap = kindGap(region, covering, n);
        if (gap >= 0) {
            return open(region, boxes.dimensions, gap);
        }
        int[] missing = new int[n]; // dimensions that a box does not span
        for (int i = 0; i < n; i++) {
            missing[i] = holed[i] ? NEVER_SLAB : missing(covering[i], region);
        }
        if (slabsOfKinds(region, covering, n, missing)) {
            return Result.COVERED;
        }
        for (int d = 0; d < boxes.dimensions; d++) {
            int found = sweep(region, covering, n, missing, d);
            if (found == SLABS) {
                return Result.COVERED;
            }
            if (found >= 0) {
                return open(region, d, found);
            }
        }
        int box = largest(region, covering, n, holed);
        return box < 0
                ? splitAtHole(region, covering, n, depth)
                : subtract(region, covering, n, depth, box);
    }

    private long cost(int[] covering, int n) {
        long cost = (1L + boxes.dimensions) * n;
        for (int i = 0; i < n; i++) {
            cost += boxes.holes(covering[i]);
        }
        return cost;
    }

    /** Proves what is hidden from a box without it, and the rest with it. */
    private Result splitAtHole(Region region, int[] covering, int n, int depth) {
        int hole = boxes.hole(covering[0], region);
        Region left = region.copy();
        for (int d = 0; d < boxes.dimensions; d++) {
            int low = left.bounds()[2 * d];
            int high = left.bounds()[2 * d + 1];
            int first = Math.max(low, boxes.first(hole, d));
            int last = Math.min(high, boxes.last(hole, d));
            Result outside = Result.COVERED;
            if (low < first) {
                outside = piece(left, d, low, first - 1, covering, n, depth);
            }
            if (outside == Result.COVERED && last < high) {
                outside = piece(left, d, last + 1, high, covering, n, depth);
            }
            if (outside != Result.COVERED) {
                return outside;
            }
            left.bounds()[2 * d] = first;
            left.bounds()[2 * d + 1] = last;
        }
        Region others = left.copy();
        for (int w = 0; w < left.kinds().length; w++) {
            others.kinds()[w] &= ~boxes.kinds(hole, w);
            left.kinds()[w] &= boxes.kinds(hole, w);
        }
        int[] some = new int[n];
        if (!BoxList.isEmpty(others.kinds())) {
            Result outside = run(others, some, filter(others, covering, n, some), depth + 1);
            if (outside != Result.COVERED) {
                return outside;
            }
        }
        int[] without = Arrays.copyOfRange(covering, 1, n);
        return run(left, some, filter(left, without, n - 1, some), depth + 1);
    }

    private Result open(Region region, int dimension, int at) {
        point[boxes.dimensions] = firstKind(region.kinds());
        point[dimension] = at;
        for (int d = 0; d < boxes.dimensions; d++) {
            if (d != dimension) {
                int low = region.bounds()[2 * d];
                int high = region.bounds()[2 * d + 1];
                point[d] = boxes.space.usual(d, point[boxes.dimensions], low, high);
            }
        }
        return Result.OPEN;
    }

    static int firstKind(long[] kinds) {
        int word = 0;
        while (kinds[word] == 0) {
            word++;
        }
        return 64 * word + Long.numberOfTrailingZeros(kinds[word]);
    }

    private int kindGap(Region region, int[] covering, int n) {
        for (int w = 0; w < region.kinds().length; w++) {
            long left = region.kinds()[w];
            for (int i = 0; i < n && left != 0; i++) {
                left &= ~boxes.kinds(covering[i], w);
            }
            if (left != 0) {
                return 64 * w + Long.numberOfTrailingZeros(left);
            }
        }
        return -1;
    }

    private boolean spansKinds(int box, Region region) {
        for (int w = 0; w < region.kinds().length; w++) {
            if ((region.kinds()[w] & ~boxes.kinds(box, w)) != 0) {
                return false;
            }
        }
        return true;
    }

    private boolean spans(int box, Region region, int d) {
        return boxes.first(box, d) <= region.bounds()[2 * d]
                && boxes.last(box, d) >= region.bounds()[2 * d + 1];
    }

    private int missing(int box, Region region) {
        int missing = spansKinds(box, region) ? 0 : 1;
        for (int d = 0; d < boxes.dimensions; d++) {
            missing += spans(box, region, d) ? 0 : 1;
        }
        return missing;
    }

    private boolean slabsOfKinds(Region region, int[] covering, int n, int[] missing) {
        long[] left = region.kinds().clone();
        BitSet slabs = new BitSet();
        for (int i = 0; i < n; i++) {
            if (missing[i] == 1 && !spansKinds(covering[i], region)) {
                boolean more = false;
                for (int w = 0; w < left.length; w++) {
                    more |= (left[w] & boxes.kinds(covering[i], w)) != 0;
                    left[w] &= ~boxes.kinds(covering[i], w);
                }
                slabs.set(covering[i], more || slabs.get(covering[i]));
            }
        }
        if (!BoxList.isEmpty(left)) {
            return false;
        }
        leaned.or(slabs);
        return true;
    }

    private static final int NO_GAP = -1;
    private static final int SLABS = -2;

    /** A coordinate of no box; {@link #SLABS}: boxes that span all other dimensions cover all. */
    private int sweep(Region region, int[] covering, int n, int[] missing, int d) {
        long[] firsts = new long[n];
        boolean spanned = false;
        for (int i = 0; i < n; i++) {
            spanned |= spans(covering[i], region, d);
            firsts[i] = (long) boxes.first(covering[i], d) << 32 | i;
        }
        int low = region.bounds()[2 * d];
        int high = region.bounds()[2 * d + 1];
        if (low == high) {
            return NO_GAP;
        }
        Arrays.sort(firsts);
        int next = low;
        int slabNext = low;
        int best = -1;
        BitSet slabs = new BitSet();
        for (long one : firsts) {
            int i = (int) one;
            int first = (int) (one >>> 32);
            int last = boxes.last(covering[i], d);
            if (!spanned && first > next) {
                return next;
            }
            next = Math.max(next, last + 1);
            if (missing[i] != 1 || spans(covering[i], region, d)) {
                continue;
            }
            if (first > slabNext && best >= 0) { // the slab that reaches furthest
                slabs.set(covering[best]);
                slabNext = boxes.last(covering[best], d) + 1;
                best = -1;
            }
            if (first <= slabNext
                    && last >= slabNext
                    && (best < 0 || last > boxes.last(covering[best], d))) {
                best = i;
            }
        }
        if (best >= 0) {
            slabs.set(covering[best]);
            slabNext = boxes.last(covering[best], d) + 1;
        }
        if (slabNext > high) {
            leaned.or(slabs);
            return SLABS;
        }
        return !spanned && next <= high ? next : NO_GAP;
    }

    private Result subtract(Region region, int[] covering, int n, int depth, int box) {
        leaned.set(box);
        int[] order = new int[boxes.dimensions];
        double[] share = new double[boxes.dimensions];
        for (int d = 0; d < boxes.dimensions; d++) {
            share[d] = boxes.share(box, region, d);
            int at = d;
            while (at > 0 && share[order[at - 1]] > share[d]) {
                order[at] = order[at - 1];
                at--;
            }
            order[at] = d;
        }
        Region left = region.copy();
        int[] rest = Arrays.copyOf(covering, n);
        int count = n;
        for (int d : order) {
            int low = left.bounds()[2 * d];
            int high = left.bounds()[2 * d + 1];
            int first = Math.max(low, boxes.first(box, d));
            int last = Math.min(high, boxes.last(box, d));
            if (low < first) {
                Result below = piece(left, d, low, first - 1, rest, count, depth);
                if (below != Result.COVERED) {
                    return below;
                }
            }
            if (last < high) {
                Result above = piece(left, d, last + 1, high, rest, count, depth);
                if (above != Result.COVERED) {
                    return above;
                }
            }
            left.bounds()[2 * d] = first;
            left.bounds()[2 * d + 1] = last;
            count = filter(left, rest, count, rest);
        }
        boolean any = false;
        for (int w = 0; w < left.kinds().length; w++) {
            left.kinds()[w] &= ~boxes.kinds(box, w);
            any |= left.kinds()[w] != 0;
        }
        if (!any) {
            return Result.COVERED;
        }
        count = filter(left, rest, count, rest);
        return run(left, rest, count, depth + 1);
    }

    private Result piece(Region left, int d, int low, int high, int[] covering, int n, int depth) {
        Region piece = left.copy();
        piece.bounds()[2 * d] = low;
        piece.bounds()[2 * d + 1] = high;
        int[] some = new int[n];
        return run(piece, some, filter(piece, covering, n, some), depth + 1);
    }

    private int filter(Region region, int[] from, int n, int[] to) {
        int kept = 0;
        for (int i = 0; i < n; i++) {
            if (boxes.overlaps(from[i], region)) {
                to[kept++] = from[i];
            }
        }
        return kept;
    }

    /** The box of the largest share, of those that get all that they have; -1: there is none. */
    private int largest(Region region, int[] covering, int n, boolean[] holed) {
        int largest = -1;
        double most = -1;
        for (int i = 0; i < n; i++) {
            double size = holed[i] ? -1 : boxes.share(covering[i], region);
            if (size > most) {
                most = size;
                largest = covering[i];
            }
        }
        return largest;
    }
}
