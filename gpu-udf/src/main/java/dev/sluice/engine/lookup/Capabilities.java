package dev.sluice.engine.lookup;

/**
 * Abilities of an algorithm.
 *
 * @param updates how rules can change that it looks up
 * @param refuses what rule sets it cannot serve, in some words; empty if it serves all
 * @param quickBuildRules rules up to which a build ends within seconds; not a limit
 */
public record Capabilities(Updates updates, String refuses, int quickBuildRules) {
    /** Rules of the largest rule sets that are measured. */
    public static final int ANY_SIZE = 1 << 20;

    /** How rules can change. */
    public enum Updates {
        /** As {@link #VERSIONS}; and, for comparisons, in place, in two copies of a structure. */
        IN_PLACE,
        /** By versions over its images, which the engine has for every algorithm. */
        VERSIONS
    }

    /** Serves every rule set of any size. */
    public static Capabilities everything(Updates updates) {
        return new Capabilities(updates, "", ANY_SIZE);
    }

    /** Returns whether there are rule sets that it cannot serve. */
    public boolean mayRefuse() {
        return !refuses.isEmpty();
    }
}
