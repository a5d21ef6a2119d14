package dev.sluice.engine.walk;

import dev.sluice.engine.rules.Rule;
import dev.sluice.engine.rules.Step;

/**
 * First-match list: the boxes of a segment that a reading takes, or the elements of a set.
 *
 * @param segment the segment's number among the rules, or the set's bit
 */
public record Part(int segment, View view) {
    /** Part that all packets of a policy are looked up in, once: {@link WholeList}. */
    public static final Part WHOLE = new Part(0, View.ALL); // 0 is no segment

    /** Reading of a segment. */
    public enum View {
        /** All boxes: no condition of a decision is unknown. */
        ALL,
        LOWER,
        UPPER,
        LOWER_IN_DOUBT,
        UPPER_IN_DOUBT,
        /** Elements of a set of packets. */
        SET;

        static View of(boolean upper, boolean inDoubt, boolean asks) {
            if (inDoubt) {
                return upper ? UPPER_IN_DOUBT : LOWER_IN_DOUBT;
            }
            return !asks ? ALL : upper ? UPPER : LOWER;
        }

        private boolean inDoubt() {
            return this == LOWER_IN_DOUBT || this == UPPER_IN_DOUBT;
        }

        /** Returns whether the reading takes a box. */
        boolean takes(Step box) {
            if (this == ALL) {
                return true;
            }
            if (box.kind() != Step.Kind.DECIDE) {
                return box.kind() != Step.Kind.DOUBT || !inDoubt();
            }
            boolean certain = !inDoubt() && box.unknown() == 0;
            return certain || box.permits() == (this == UPPER || this == UPPER_IN_DOUBT);
        }
    }

    /** Returns whether a rule is one of its boxes. */
    public boolean holds(Rule rule) {
        Step step = rule.step();
        return step != null && step.kind().isBox() && step.segment() == segment && view.takes(step);
    }
}
