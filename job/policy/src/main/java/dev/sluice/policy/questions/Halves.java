package dev.sluice.policy.questions;

import dev.sluice.policy.questions.BoxList.Region;
import java.util.Arrays;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Cuts of regions that many boxes overlap: to subtract k boxes one by one from what the others
 * leave takes O(k^2) comparisons, from halves with few boxes in both about O(k log k).
 */
final class Halves {
    /** Fewer boxes are not worth a cut. */
    static final int FEW = 32;

    /** Number of boxes by which a cut is chosen. */
    private static final int SAMPLE = 31;

    private final BoxList boxes;
    private final int[] bounds = new int[2 * SAMPLE];

    Halves(BoxList boxes) {
        this.boxes = boxes;
    }

    /** Number of comparisons that a choice takes. */
    int compared() {
        return 2 * SAMPLE * boxes.dimensions;
    }

    /**
     * The cut of a region with the fewest boxes in both halves, about: a dimension, and the first
     * coordinate of the upper half. Null: no cut is of use.
     */
    int @Nullable [] of(Region region, int[] candidates) {
        if (candidates.length < FEW) {
            return null;
        }
        int[] best = null;
        int fewest = SAMPLE + SAMPLE / 2;
        for (int d = 0; d < boxes.dimensions; d++) {
            int low = region.bounds()[2 * d];
            int high = region.bounds()[2 * d + 1];
            int count = 0;
            for (int i = 0; i < SAMPLE && low < high; i++) {
                int box = box(candidates, i);
                int first = boxes.first(box, d);
                int behind = boxes.last(box, d) + 1;
                if (first > low) {
                    bounds[count++] = first;
                }
                if (behind <= high) {
                    bounds[count++] = behind;
                }
            }
            if (count == 0) {
                continue;
            }
            Arrays.sort(bounds, 0, count);
            int cut = bounds[count / 2];
            int below = 0;
            int above = 0;
            for (int i = 0; i < SAMPLE; i++) {
                int box = box(candidates, i);
                below += boxes.first(box, d) < cut ? 1 : 0;
                above += boxes.last(box, d) >= cut ? 1 : 0;
            }
            if (below + above < fewest && Math.max(below, above) < SAMPLE - SAMPLE / 4) {
                fewest = below + above;
                best = new int[] {d, cut};
            }
        }
        return best;
    }

    /** The i-th of the boxes by which a cut is chosen. */
    private static int box(int[] candidates, int i) {
        return candidates[(int) ((long) i * candidates.length / SAMPLE)];
    }

    /** Passes the halves of a region. */
    static void cut(Region region, int[] cut, Consumer<Region> halves) {
        Region below = region.copy();
        below.clip(cut[0], 0, cut[1] - 1);
        halves.accept(below);
        Region above = region.copy();
        above.clip(cut[0], cut[1], Integer.MAX_VALUE);
        halves.accept(above);
    }
}
