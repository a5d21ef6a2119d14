package dev.sluice.policy.questions;

import dev.sluice.engine.rules.Match;
import dev.sluice.schemas.header.Field;
import org.jspecify.annotations.Nullable;

/**
 * Box of a first-match list.
 *
 * @param owner number of the user's rule that it belongs to; {@link #NOBODY}: packets that do not
 *     come to the list
 * @param decides whether it decides about its packets; else they go on to the boxes behind
 * @param certain whether it holds its packets for certain; else something that no header tells
 *     decides
 * @param hidden the packets of the box that do not come to it; null: none
 */
public record MatchEntry(
        Match match, int owner, boolean decides, boolean certain, @Nullable Hidden hidden) {
    /**
     * Packets that leave a chain before its end.
     *
     * @param owner number of the user's rule that they leave by
     * @param certain whether they do for certain
     * @param outer further packets; null: none
     */
    public record Hidden(Match match, int owner, boolean certain, @Nullable Hidden outer) {}

    /** A box that hides none of its packets. */
    public MatchEntry(Match match, int owner, boolean decides, boolean certain) {
        this(match, owner, decides, certain, null);
    }

    /** Owner of packets that do not come to the list. */
    public static final int NOBODY = -1;

    /** Bit of {@link Field#FRAGMENT} that later fragments alone have. */
    private static final int LATER = Field.FRAGMENT_LATER & ~Field.FRAGMENT_FIRST;

    /** Returns whether a match is of later fragments alone. */
    static boolean isOfLaterFragments(Match match) {
        int word = Field.FRAGMENT.word();
        int later = Field.FRAGMENT.extract(match.mask(word) & match.value(word));
        return (later & LATER) != 0;
    }

    /** Returns whether the boxes behind get none of its packets. */
    boolean covers() {
        return decides && certain;
    }
}
