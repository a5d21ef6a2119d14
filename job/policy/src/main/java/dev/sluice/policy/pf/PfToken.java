package dev.sluice.policy.pf;

import dev.sluice.policy.RuleSyntaxException;

/**
 * Word of a text for pf.
 *
 * @param quoted whether it stood in quotes
 * @param line its line, or that of the macro that it comes from
 * @param end offset in the text of the character behind it
 */
record PfToken(String text, boolean quoted, int line, int column, int start, int end) {
    /** Text of the end of a line. */
    static final String NEWLINE = "\n";

    /** Returns whether it is a word or sign of some text. */
    boolean is(String other) {
        return !quoted && text.equals(other);
    }

    /** Returns whether a statement ends here. */
    boolean ends() {
        return text.isEmpty() && !quoted || is(NEWLINE) || is("}");
    }

    RuleSyntaxException refused(String problem) {
        return new RuleSyntaxException(column, text.equals(NEWLINE) ? "end of line" : text, problem)
                .onLine(line);
    }
}
