package dev.sluice.operators.statistics;

/**
 * The rules that verdicts were given under, as far as counting needs them: what turns a verdict's
 * number into a rule's stable id. Two verdict numbers of one instance name the same rule if they
 * are equal; of two instances {@link #numbersAlike} says whether they do.
 */
public interface CountedRules {
    /** Id of the rule history that {@link #version} is a number of; empty: none is known. */
    String history();

    /** Rule-set version. */
    long version();

    /** Bound of the verdicts: every verdict but the miss is in 0..slots() - 1. */
    int slots();

    /** Stable id of the rule that a verdict names. */
    long ruleId(int verdict);

    /** Whether each verdict of these and the other rules names a rule of the same id in both. */
    default boolean numbersAlike(CountedRules other) {
        return other == this;
    }
}
