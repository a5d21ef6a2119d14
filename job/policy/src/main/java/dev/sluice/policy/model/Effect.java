package dev.sluice.policy.model;

/** Consequence of a rule for a packet that meets the rule's condition. */
public sealed interface Effect {
    /** The end of the walk through a stage. */
    record Decide(Outcome outcome) implements Effect {
        /** Refuses an outcome that decides nothing. */
        public Decide {
            if (outcome == Outcome.DEPENDS) {
                throw new IllegalArgumentException("a rule permits or denies");
            }
        }
    }

    /** A call of a chain; the walk comes back behind the rule. */
    record Jump(String chain) implements Effect {}

    /** A move to a chain; at its end the walk goes on behind the last jump. */
    record Goto(String chain) implements Effect {}

    /** The end of a chain; in the base chain the rule at the stage's end decides. */
    record Return() implements Effect {}

    /**
     * A new mark for the packet, which later rules of the stage see.
     *
     * @param mask bits that are cleared
     * @param flipped bits that are flipped then
     * @param lost bits that nobody tells then
     */
    record Mark(int mask, int flipped, int lost) implements Effect {
        /** A mark by a constant. */
        public Mark(int mask, int flipped) {
            this(mask, flipped, 0);
        }

        /** The bits that may be others then. */
        public int bits() {
            return mask | flipped | lost;
        }
    }

    /** Nothing that bears on the packet's fate, such as a log line. */
    record Continue() implements Effect {}
}
