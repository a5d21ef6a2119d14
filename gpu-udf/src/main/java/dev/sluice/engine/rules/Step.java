package dev.sluice.engine.rules;

/**
 * Part of a policy of chains that a rule stands for. Such a rule set is a walk: its rules are boxes
 * of segments that lead to one another, and the answers that packets get ({@code engine.walk}).
 *
 * @param kind what it does
 * @param permits whether a decision, an answer or the end of a stage lets packets pass
 * @param segment segment that a box belongs to; of a stage the way that it is of, from 0: {@link
 *     #STATES} times the way and the connection state that it is tried under, from 0, of {@link
 *     Kind#STAGE}; of an element the bit of its set in {@link
 *     dev.sluice.schemas.header.HeaderWord#SETS}
 * @param rule key of the user's rule that it acts for; 0: none
 * @param unknown key of the user's rule whose condition may fail the packets of a box; 0: none.
 *     {@link #WORLD} of a {@link Kind#JUDGES}: its way is one through a possible world, which tells
 *     of packets that depend otherwise
 * @param to segment that it leads to; 0: none
 */
public record Step(Kind kind, boolean permits, int segment, long rule, long unknown, int to) {
    /** Most connection states that a way is tried under. */
    public static final int STATES = 4;

    /** Mark of a way through a possible world. */
    public static final long WORLD = 1;

    /** Function of a step. */
    public enum Kind {
        /** Answer to packets that the user's rule decides about. */
        ANSWER,
        /** Answer to packets that depend on the user's rule. */
        DEPENDS,
        /**
         * Stage that permits the packets that come to the policy; its rule states the assumption.
         */
        JUDGES,
        /** Stage that permits the packets that connection tracking skips. */
        SKIPS,
        /** Stage of packets that connection tracking skips. */
        UNTRACKED,
        /** Stage of packets under a connection state. */
        STAGE,
        /** The segment behind another one. */
        NEXT,
        /** Box of a set of packets, which boxes of segments ask for by a bit. */
        ELEMENT,
        /** Box whose packets are decided about. */
        DECIDE,
        /** Box whose packets leave the chain. */
        RETURN,
        /** Box whose packets walk through another segment, and then behind this one. */
        CALL,
        /** Box whose packets go to another segment. */
        GO,
        /** Box whose packets go on behind the segment in doubt: they may have left the chain. */
        DOUBT,
        /** Box whose packets walk through another segment in doubt, and then behind this one. */
        CALL_IN_DOUBT;

        /** Returns whether it belongs to boxes of a segment. */
        public boolean isBox() {
            return compareTo(DECIDE) >= 0;
        }

        /** Returns whether it belongs to stages. */
        public boolean isStage() {
            return compareTo(JUDGES) >= 0 && compareTo(STAGE) <= 0;
        }
    }
}
