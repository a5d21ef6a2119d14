package dev.sluice.policy.model;

/** Fate of a packet. */
public enum Outcome {
    PERMIT("permit"),
    DENY("deny"),
    /** Decided by what nobody can see in the packet. */
    DEPENDS("depends");

    private final String label;

    Outcome(String label) {
        this.label = label;
    }

    /** The word that users read. */
    public String label() {
        return label;
    }
}
