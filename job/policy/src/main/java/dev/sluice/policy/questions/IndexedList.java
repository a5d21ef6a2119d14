package dev.sluice.policy.questions;

import dev.sluice.engine.rules.Match;
import dev.sluice.policy.questions.BoxList.Region;
import dev.sluice.policy.questions.CoverProof.Result;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** First-match list with its index, and what questions about it share. */
final class IndexedList {
    /** Most rules of a covering set that is made minimal. */
    static final int MOST_MINIMAL = 400;

    /** Most comparisons of coordinates in the proofs about a rule. */
    private static final long BUDGET = 200_000_000;

    /** Number of the first point that is drawn. */
    private static final int RANDOM = 3;

    /** Points of a region that are tried before anything is proven. */
    static final int POINTS = 5;

    final BoxList boxes;
    final OverlapIndex index;
    final CoverProof proof;

    /** The boxes of each owner, ascending. */
    final int[][] owned;

    private final Match[] matches;
    private final SplittableRandom random = new SplittableRandom(42);

    /** Boxes that count for a proof about a box. */
    interface Counting {
        boolean counts(int box, int other);
    }

    IndexedList(List<MatchEntry> given, int owners) {
        List<MatchEntry> entries = HeaderSpace.split(given);
        boxes = new BoxList(HeaderSpace.of(entries), entries);
        index = new OverlapIndex(boxes);
        proof = new CoverProof(boxes, BUDGET);
        matches = boxes.matches;
        owned = owned(owners);
    }

    private int[][] owned(int owners) {
        int[] count = new int[owners];
        int[][] all = new int[owners][];
        Arrays.stream(boxes.owner, 0, boxes.size)
                .filter(owner -> owner != MatchEntry.NOBODY)
                .forEach(owner -> count[owner]++);
        Arrays.setAll(all, owner -> new int[count[owner]]);
        Arrays.fill(count, 0);
        for (int box = 0; box < boxes.size; box++) {
            int owner = boxes.owner[box];
            if (owner != MatchEntry.NOBODY) {
                all[owner][count[owner]++] = box;
            }
        }
        return all;
    }

    /** The header of a point that a box holds; null: the header is not one of the box. */
    int @Nullable [] header(int box, int[] point) {
        int[] header = boxes.space.header(point);
        return matches[box].matches(header) ? header : null;
    }

    /** A point of a region: a usual one, the corners, then random ones. */
    int[] point(Region region, int number) {
        int[] point = new int[boxes.dimensions + 1];
        int kind = number < RANDOM ? CoverProof.firstKind(region.kinds()) : randomKind(region);
        for (int d = 0; d < boxes.dimensions; d++) {
            int low = region.bounds()[2 * d];
            int high = region.bounds()[2 * d + 1];
            point[d] =
                    switch (number) {
                        case 0 -> boxes.space.usual(d, kind, low, high);
                        case 1 -> low;
                        case 2 -> high;
                        default -> random.nextInt(low, high + 1);
                    };
        }
        point[boxes.dimensions] = kind;
        return point;
    }

    private int randomKind(Region region) {
        int word = random.nextInt(region.kinds().length);
        long left = region.kinds()[word];
        if (left == 0) {
            return CoverProof.firstKind(region.kinds());
        }
        for (int skip = random.nextInt(Long.bitCount(left)); skip > 0; skip--) {
            left &= left - 1;
        }
        return 64 * word + Long.numberOfTrailingZeros(left);
    }

    /** A point that a box of an owner wins, of those that are tried; null: none of them. */
    int @Nullable [] witness(int box, int owner) {
        Region region = boxes.region(box);
        for (int number = 0; number < POINTS; number++) {
            int[] point = point(region, number);
            if (!boxes.isHidden(box, point) && index.first(point, box, owner) < 0) {
                return point;
            }
        }
        return null;
    }

    /** Returns whether something that no header tells may keep a box from a point that it wins. */
    boolean isDoubtful(int box, int[] point, int owner) {
        return !boxes.certain[box]
                || boxes.doubts
                        && (!boxes.holds(box, point)
                                || index.visit(
                                        box, box, 0, box, one -> mayTake(one, point, owner)));
    }

    private boolean mayTake(int box, int[] point, int owner) {
        return boxes.decides[box] && boxes.owner[box] != owner && boxes.mayHold(box, point);
    }

    /**
     * The boxes before an end that cover some of a region, but for those of an owner, and those of
     * packets that are hidden from two boxes; some of them where the budget is used up.
     */
    int[] before(int box, int other, int end, Region region, int without) {
        IntStream.Builder found = IntStream.builder();
        boxes.hidden(box, region).forEach(found::add);
        if (box != other) {
            boxes.hidden(other, region).forEach(found::add);
        }
        index.visit(
                box,
                other,
                0,
                end,
                one -> {
                    if (boxes.covers[one]
                            && boxes.owner[one] != without
                            && boxes.overlaps(one, region)) {
                        found.add(one);
                    }
                    return proof.spend(boxes.dimensions);
                });
        return found.build().toArray();
    }

    /** Proves that boxes which count cover all of some boxes, and notes those that it needs. */
    Result prove(int[] some, Counting counting, BitSet leaned) {
        Result all = Result.COVERED;
        for (int box : some) {
            Region region = boxes.region(box);
            IntStream.Builder covering = IntStream.builder();
            boxes.hidden(box, region)
                    .filter(one -> isCounted(box, one, counting))
                    .forEach(covering::add);
            index.visit(
                    box,
                    box,
                    0,
                    boxes.size,
                    one -> {
                        if (boxes.covers[one]
                                && isCounted(box, one, counting)
                                && boxes.overlaps(one, region)) {
                            covering.add(one);
                        }
                        return proof.spend(boxes.dimensions);
                    });
            Result result = proof.prove(region, covering.build().toArray());
            if (result == Result.OPEN) {
                return result;
            }
            all = result == Result.UNDECIDED ? result : all;
            leaned.or(proof.leaned());
        }
        return all;
    }

    private boolean isCounted(int box, int one, Counting counting) {
        return boxes.owner[one] == MatchEntry.NOBODY || counting.counts(box, one);
    }

    /** The owners of boxes. */
    List<Integer> owners(BitSet of) {
        return of.stream()
                .map(box -> boxes.owner[box])
                .filter(owner -> owner != MatchEntry.NOBODY)
                .distinct()
                .sorted()
                .boxed()
                .toList();
    }

    /**
     * Owners without those that can be left out, one after the other, the last one first.
     *
     * @param counting boxes that count, if their owner is still among the owners or {@code given}
     *     does
     */
    List<Integer> minimal(int[] some, List<Integer> owners, Counting counting, Counting given) {
        List<Integer> kept = new ArrayList<>(owners);
        BitSet left = new BitSet();
        kept.forEach(left::set);
        for (int i = kept.size() - 1; i >= 0; i--) {
            left.clear(kept.get(i));
            Result result =
                    prove(
                            some,
                            (box, one) ->
                                    given.counts(box, one)
                                            || left.get(boxes.owner[one])
                                                    && counting.counts(box, one),
                            new BitSet());
            if (result == Result.COVERED) {
                kept.remove(i);
            } else {
                left.set(kept.get(i));
            }
        }
        return kept;
    }
}
