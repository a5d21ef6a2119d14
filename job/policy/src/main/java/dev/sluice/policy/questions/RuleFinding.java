package dev.sluice.policy.questions;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Answer about a user's rule in a list.
 *
 * @param reach whether some packet reaches it
 * @param witness header of a packet that it wins, in {@code HeaderWord}s; null: none is known
 * @param doubtful whether something that no header tells may keep the witness from the rule
 * @param covering the owners of the boxes that leave it no packet; none of them can be left out
 *     where {@code minimal}
 * @param need whether its removal changes an outcome
 * @param behind of a redundant rule the owners whose rules decide alike without it
 * @param conflict a rule before of another outcome, where each of the two has packets that the
 *     other has not; null: none
 */
public record RuleFinding(
        Reach reach,
        int @Nullable [] witness,
        boolean doubtful,
        List<Integer> covering,
        boolean minimal,
        Need need,
        List<Integer> behind,
        @Nullable Integer conflict) {
    /** Reach of a rule, the strongest first. */
    public enum Reach {
        LIVE,
        /** The proof's budget was used up. */
        UNDECIDED,
        /** The rules before it leave it no packet, or no packet meets its conditions. */
        DEAD,
        /** The list does not have the rule. */
        ABSENT
    }

    /** Need of a rule. */
    public enum Need {
        /** Without it some packet has another outcome. */
        NEEDED,
        /** Without it every packet has the outcome that it has. */
        REDUNDANT,
        /** The proof's budget was used up. */
        UNDECIDED,
        /** Not asked: the rule decides nothing, or gets no packet. */
        NOT_ASKED
    }

    /** Returns whether packets reach the rule, and none can show more need of it. */
    boolean isSettled() {
        return reach == Reach.LIVE && (need == Need.NEEDED || need == Need.NOT_ASKED);
    }

    /** Nothing is known. */
    static final RuleFinding ABSENT =
            new RuleFinding(
                    Reach.ABSENT, null, false, List.of(), true, Need.NOT_ASKED, List.of(), null);
}
