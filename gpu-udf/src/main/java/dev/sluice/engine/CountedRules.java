package dev.sluice.engine;

import java.util.function.IntToLongFunction;

/**
 * Mapping of verdict numbers to stable ids of rules, for counting.
 *
 * <p>Within one instance equal numbers denote the same rule; {@link #numbersAlike} compares two
 * instances.
 */
public interface CountedRules {
    /** Returns the id of the rule history of {@link #version}; empty: none is known. */
    String history();

    /** Returns the rule-set version. */
    long version();

    /** Returns the bound of the verdicts: every verdict but the miss is in 0..slots() - 1. */
    int slots();

    /** Returns the stable id of the rule of a verdict, which must not be a miss. */
    long ruleId(int verdict);

    /**
     * Rules of no known history.
     *
     * @param ids stable id of the rule of a verdict
     */
    record Numbered(long version, int slots, IntToLongFunction ids) implements CountedRules {
        @Override
        public String history() {
            return "";
        }

        @Override
        public long ruleId(int verdict) {
            return ids.applyAsLong(verdict);
        }
    }

    /** Tells whether each verdict denotes a rule of the same id here and in the other rules. */
    default boolean numbersAlike(CountedRules other) {
        return other == this;
    }
}
