package dev.sluice.engine.prefix;

/**
 * Subset of the prefixes of all rules that some rules have; a prefix is known by its index in the
 * set of all. Immutable.
 */
public final class PrefixSubset {
    private final PrefixSet all;

    /** For each prefix of all how many before it are in the subset; at the end their number. */
    private final int[] before;

    /**
     * The prefixes of some rules.
     *
     * @param numberOf index of each rule's prefix in the set of all
     * @param rules positions of the rules
     */
    public PrefixSubset(PrefixSet all, int[] numberOf, int[] rules) {
        this.all = all;
        before = new int[all.size() + 1];
        for (int r : rules) {
            before[numberOf[r] + 1] = 1;
        }
        for (int i = 1; i < before.length; i++) {
            before[i] += before[i - 1];
        }
    }

    /** Number of prefixes. */
    public int size() {
        return before[all.size()];
    }

    /** Index in the subset of one of its prefixes. */
    public int indexOf(int number) {
        return before[number];
    }

    /** Prefixes of the subset within one of its prefixes, itself counted. */
    public int descendants(int number) {
        return before[all.end[number]] - before[number];
    }

    /** The prefixes as a set of their own. */
    public PrefixSet set() {
        return all.subset(number -> before[number + 1] > before[number]);
    }
}
