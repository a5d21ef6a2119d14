package dev.sluice.policy.flatten;

import dev.sluice.engine.rules.Match;

/**
 * Packets that meet a condition.
 *
 * @param unknown whether the condition may also fail them
 */
record Alternative(Match box, boolean unknown) {
    static final Alternative ALL = new Alternative(Boxes.ALL, false);

    /** Returns whether every packet is one of them. */
    boolean isCertain() {
        return !unknown && box.equals(Boxes.ALL);
    }
}
