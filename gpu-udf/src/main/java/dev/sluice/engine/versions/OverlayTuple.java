package dev.sluice.engine.versions;

import dev.sluice.engine.merged.RelaxedMask;
import dev.sluice.engine.tuplespace.KeyMasks;
import dev.sluice.schemas.header.HeaderLayout;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Tuple as the writer of {@link VersionedTuples} knows it. */
final class OverlayTuple {
    final int index;
    final int[] mask;
    final int bits;
    int record;
    int table;
    int shift;

    /** Entries in its chains, dead ones too. */
    int linked;

    int live;

    /** By chain: its last entry, its entries, and at how many of them it is walked next. */
    int[] last = {};

    int[] length = {};
    int[] walkAt = {};

    OverlayTuple(int index, int[] mask) {
        this.index = index;
        this.mask = mask;
        this.bits = RelaxedMask.bits(mask);
    }

    /**
     * The tuple of the longest mask that a rule's mask contains; null where a new one is better.
     */
    static @Nullable OverlayTuple longest(
            List<OverlayTuple> tuples, HeaderLayout layout, int[] mask) {
        OverlayTuple best = null;
        for (int t = 0; t < tuples.size(); t++) {
            OverlayTuple tuple = tuples.get(t);
            if ((best == null || tuple.bits > best.bits) && KeyMasks.contains(mask, tuple.mask)) {
                best = tuple;
            }
        }
        // In a tuple whose mask is empty all rules share a key: better a new tuple.
        boolean empty = best != null && best.bits == 0;
        boolean other = empty && hasRoom(tuples) && RelaxedMask.bits(mask) > 0;
        return other && RelaxedMask.bits(RelaxedMask.of(layout, mask)) > 0 ? null : best;
    }

    /**
     * Returns whether a tuple of any mask may be opened. The last one that there is room for has an
     * empty mask, which every rule's mask contains, unless there is such a tuple.
     */
    static boolean hasRoom(List<OverlayTuple> tuples) {
        int room = VersionedTuplesLayout.MOST_TUPLES - tuples.size();
        return room > 1 || room == 1 && tuples.stream().anyMatch(tuple -> tuple.bits == 0);
    }

    /**
     * A mask between the tuple's and a rule's: prefixes cut to a multiple of four bits, the rest as
     * it is; the rule's own where that is no longer than the tuple's.
     */
    int[] towards(int[] rule) {
        int[] cut = rule.clone();
        for (int p = 0; p < cut.length; p++) {
            int ones = Integer.numberOfLeadingZeros(~rule[p]);
            if (ones < 32 && rule[p] << ones == 0) {
                int kept = ones & ~3;
                cut[p] = (kept == 0 ? 0 : -1 << 32 - kept) | mask[p];
            }
        }
        return RelaxedMask.bits(cut) > bits ? cut : rule.clone();
    }
}
