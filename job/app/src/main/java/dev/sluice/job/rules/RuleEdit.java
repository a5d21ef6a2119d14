package dev.sluice.job.rules;

import dev.sluice.engine.rules.Rule;
import dev.sluice.policy.RuleText;
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
    record Position(Side side, @Nullable Name beside) {
        /** Behind all others. */
        public static final Position LAST = new Position(Side.LAST, null);
    }

    /** Adds a rule. */
    record Add(Rule rule, Position position) implements RuleEdit {}

    /** Removes a rule. */
    record Remove(Name rule) implements RuleEdit {}

    /**
     * Changes a rule, which keeps its id, and its place if its priority stays. Where more than its
     * action changes, its line of a file says something else, and it has none from then on.
     */
    record Change(Name rule, Rule to) implements RuleEdit {}

    /**
     * How a user names a rule that is there.
     *
     * @param words what the user wrote
     * @param number its id, or else its line; no meaning if there is a text
     * @param text a rule of the same priority, match and action, or null if named by number
     */
    record Name(String words, long number, @Nullable Rule text) {
        /**
         * The name in a user's words: a whole number, or the text of a rule.
         *
         * @throws dev.sluice.policy.io.SluiceException if it is neither
         */
        public static Name parse(String words) {
            String name = words.strip();
            if (name.matches("-?\\d+")) {
                try {
                    return new Name(name, Long.parseLong(name), null);
                } catch (NumberFormatException e) {
                    return new Name(name, 0, RuleText.parse(name)); // says what is wrong with it
                }
            }
            return new Name(name, 0, RuleText.parse(name));
        }
    }
}
