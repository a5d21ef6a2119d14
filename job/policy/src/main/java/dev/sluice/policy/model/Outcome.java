package dev.sluice.policy.model;

import java.util.regex.Pattern;

/** Fate of a packet. */
public enum Outcome {
    PERMIT("permit"),
    DENY("deny"),
    /** Decided by what nobody can see in the packet. */
    DEPENDS("depends");

    private static final Pattern PERMITS =
            Pattern.compile("accept|permit|pass|allow|normal", Pattern.CASE_INSENSITIVE);
    private static final Pattern DENIES =
            Pattern.compile("(drop|deny|reject|discard|block)(?![a-z])", Pattern.CASE_INSENSITIVE);

    private final String label;

    Outcome(String label) {
        this.label = label;
    }

    /**
     * Returns whether an action of a rule that stands for itself permits and does nothing else:
     * accept, permit, pass, allow or normal.
     */
    public static boolean permits(String action) {
        return PERMITS.matcher(action).matches();
    }

    /** Returns whether an action's first word is drop, deny, reject, discard or block. */
    public static boolean denies(String action) {
        return DENIES.matcher(action).lookingAt();
    }

    /** The word that users read. */
    public String label() {
        return label;
    }
}
