package dev.sluice.lab.generate;

import dev.sluice.job.UsageException;

/**
 * The knobs of policies ({@link RuleShape#isPolicy()}).
 *
 * @param kinds distinct (source ports, destination ports, protocol) among the rules
 * @param depth prefixes of the longest chain, each of which lies in the one before; 0.0.0.0/0 does
 *     not count
 */
public record PolicyCounts(int kinds, int depth) {
    /** The longest chain of prefixes that is generated. */
    public static final int DEEPEST = SubnetTree.DEEPEST;

    private static final int USUAL_KINDS = 100;
    private static final int USUAL_DEPTH = 4;

    /** The usual policy of so many rules: fewer kinds than rules, gentle nesting. */
    public static PolicyCounts usual(int rules) {
        return new PolicyCounts(
                Math.max(1, Math.min(USUAL_KINDS, rules / 10)),
                Math.max(1, Math.min(USUAL_DEPTH, rules / 10)));
    }

    /**
     * Checks that so many rules can have these.
     *
     * @throws UsageException if they cannot
     */
    void check(int rules) {
        requireAtMostRules("--kinds", kinds, rules);
        requireAtMostRules("--depth", depth, rules);
    }

    private static void requireAtMostRules(String option, int value, int rules) {
        if (value < 1 || value > rules) {
            throw new UsageException(
                    "%s %d is not in 1..%d, the number of rules".formatted(option, value, rules));
        }
    }
}
