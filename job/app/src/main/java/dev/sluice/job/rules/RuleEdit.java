package dev.sluice.job.rules;

import dev.sluice.engine.rules.Rule;
import org.jspecify.annotations.Nullable;

/** One change of the rules, as a user asks for it. */
public sealed interface RuleEdit {
    /** On which side of what a rule is put; it matters among rules of equal priority only. */
    enum Side {
        FIRST,
        LAST,
        BEFORE,
        AFTER
    }

    /**
     * Position of a rule among those of its priority.
     *
     * @param beside the other rule, for BEFORE and AFTER; it has the same priority
     */
    record Position(Side side, @Nullable RuleName beside) {
        /** Behind all others. */
        public static final Position LAST = new Position(Side.LAST, null);
    }

    /** Adds a rule. */
    record Add(Rule rule, Position position) implements RuleEdit {}

    /** Removes a rule. */
    record Remove(RuleName rule) implements RuleEdit {}

    /**
     * Changes a rule, which keeps its id, and its place if its priority stays. Where more than its
     * action changes, its line of a file says something else, and it has none from then on.
     */
    record Change(RuleName rule, Rule to) implements RuleEdit {}
}
