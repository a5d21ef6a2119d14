package dev.sluice.engine.crossproduct.model;

import dev.sluice.engine.lookup.UnsupportedRulesException;

/**
 * Limits by which the build chooses one form of a table over another. All forms give the same
 * verdicts.
 *
 * @param levelBytes tables of fixed strides find an address's prefix if they take at most so many
 *     bytes; else a binary search does
 * @param directAtLeast a group whose plain table has at most so many entries gets it
 * @param directUpTo so does one whose plain table has at most so many entries for each cell
 * @param mappedUpTo so does one with a map of its pairs if these are at most so many for each cell
 * @param listedUpTo else a group gets lists if, on average over its cells, the list that a cell is
 *     in has at most so many; else a hash table
 * @param patternBytes bytes that the patterns may take; if they would take more, there are none,
 *     and lists are searched by service, or tested rule by rule
 * @param matrixBytes all rules are one group with rows of verdicts if it takes at most so many
 *     bytes
 */
public record CrossproductLimits(
        long levelBytes,
        long directAtLeast,
        long directUpTo,
        long mappedUpTo,
        int listedUpTo,
        long patternBytes,
        long matrixBytes) {
    /** As measured best on ClassBench sets of 10,000 and 100,000 rules. */
    public static final CrossproductLimits STANDARD =
            new CrossproductLimits(1000L << 10, 1 << 14, 4, 32, 2, 16L << 20, 64L << 20);

    /**
     * Refuses rules that the algorithm cannot express.
     *
     * @param line line of the rule, 0 if it is not one rule's fault
     */
    public static UnsupportedRulesException refused(int line, String why) {
        return new UnsupportedRulesException(CrossproductLayout.LABEL, line, why);
    }
}
