package dev.sluice.engine.tuplespace;

import org.jspecify.annotations.Nullable;

/**
 * A mask that rules have, stored once in the arena however many rules have it. Not thread-safe.
 *
 * @see RuleRows#write
 */
public final class RuleMask {
    /** The mask: one word for each word of the layout, in its order. Do not change. */
    public final int[] words;

    /**
     * The tuple that an algorithm chose for rules of this mask. Who sets it also says how long the
     * choice holds, see {@link #targetVersion}.
     */
    public @Nullable Tuple target;

    /** {@link TupleTables#version} at which {@link #target} was chosen, -1 for never. */
    public long targetVersion = -1;

    /** Offset of the words in the arena. */
    final int offset;

    RuleMask(int[] words, int offset) {
        this.words = words;
        this.offset = offset;
    }
}
