package dev.sluice.engine.lookup;

/**
 * Abilities of an algorithm.
 *
 * @param refuses what rule sets it cannot serve, in some words; empty if it serves all
 * @param quickBuildRules rules up to which a build ends within seconds; not a limit
 */
public record Capabilities(String refuses, int quickBuildRules) {
    /** Rules of the largest rule sets that are measured. */
    public static final int ANY_SIZE = 1 << 20;

    /** Serves every rule set of any size. */
    public static final Capabilities EVERYTHING = new Capabilities("", ANY_SIZE);

    /** Returns whether there are rule sets that it cannot serve. */
    public boolean mayRefuse() {
        return !refuses.isEmpty();
    }
}
