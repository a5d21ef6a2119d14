package dev.sluice.engine.lookup;

import dev.sluice.engine.rules.RuleSet;
import dev.sluice.schemas.header.HeaderWord;

/**
 * A rule set and what is expected of it: what algorithms look at to say whether it suits them.
 *
 * @param updatesPerSecond rule changes to expect
 */
public record RuleProfile(RuleSet rules, double updatesPerSecond) {
    /** Rule changes a second from which on bases have to be compiled quickly. */
    private static final double MANY_UPDATES = 1000;

    /** Returns whether rules change so often that bases have to be compiled quickly. */
    public boolean changesOften() {
        return updatesPerSecond >= MANY_UPDATES;
    }

    /** Returns whether rules name MAC addresses. */
    public boolean namesMacs() {
        return rules.layout().position(HeaderWord.MAC_HIGH) >= 0;
    }
}
