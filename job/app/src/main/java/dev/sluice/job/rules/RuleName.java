package dev.sluice.job.rules;

import dev.sluice.engine.rules.Rule;
import dev.sluice.policy.RuleText;
import org.jspecify.annotations.Nullable;

/**
 * How a user names a rule that is there.
 *
 * @param words what the user wrote
 * @param number its id, or else its line; no meaning if there is a text
 * @param text a rule of the same priority, match and action, or null if named by number
 */
public record RuleName(String words, long number, @Nullable Rule text) {
    /**
     * The name in a user's words: a whole number, or the text of a rule.
     *
     * @throws dev.sluice.policy.io.SluiceException if it is neither
     */
    public static RuleName parse(String words) {
        String name = words.strip();
        if (isNumber(name)) {
            try {
                return new RuleName(name, Long.parseLong(name), null);
            } catch (NumberFormatException e) {
                return new RuleName(name, 0, RuleText.parse(name)); // says what is wrong with it
            }
        }
        return new RuleName(name, 0, RuleText.parse(name));
    }

    private static boolean isNumber(String name) {
        int from = name.startsWith("-") ? 1 : 0;
        for (int i = from; i < name.length(); i++) {
            if (name.charAt(i) < '0' || name.charAt(i) > '9') {
                return false;
            }
        }
        return name.length() > from;
    }
}
