package dev.sluice.engine.walk;

import dev.sluice.engine.walk.Walk.Move;

/** Boxes of packets in the parts of a walk. */
public interface FoundBoxes extends PacketHeaders {
    /**
     * Looks packets up.
     *
     * @param packets numbers of packets, of which the first {@code count} are looked up
     * @return at k the first box of the part that holds packet {@code packets[k]}, by a number that
     *     {@link #move} takes; below 0 where none does; valid until the next call
     */
    int[] in(int part, int[] packets, int count);

    /** The move of a box of a part. */
    Move move(int part, int box);
}
