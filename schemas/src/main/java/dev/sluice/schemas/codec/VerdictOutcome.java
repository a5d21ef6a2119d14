package dev.sluice.schemas.codec;

import java.util.Arrays;
import java.util.Locale;

/** Fate of a packet by a policy, in the order in which the schemas list them. */
public enum VerdictOutcome {
    /** The rules stand for themselves: their actions say it. */
    NONE,
    PERMIT,
    DENY,
    /** A condition decides that nothing in the packet tells. */
    DEPENDS,
    /** The packet does not come to the policy. */
    NOT_JUDGED,
    /** An outcome that a later writer added. */
    UNKNOWN;

    private static final VerdictOutcome[] ALL = values();

    /** Returns the outcome that the schemas list at an index, from 0 to 5. */
    static VerdictOutcome at(int index) {
        return ALL[index];
    }

    /** Number of outcomes that the schemas list. */
    static int count() {
        return ALL.length;
    }

    /** Returns the outcome that a message names, whatever its writer knows. */
    static VerdictOutcome ofSymbol(Object symbol) {
        String name = symbol.toString();
        return Arrays.stream(ALL)
                .filter(outcome -> outcome.name().equals(name))
                .findFirst()
                .orElse(UNKNOWN);
    }

    /** Returns its name as people read it, as in {@code not-judged}; empty for {@link #NONE}. */
    public String label() {
        return this == NONE ? "" : name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
