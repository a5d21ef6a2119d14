package dev.sluice.policy;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * A format of rule files. A format is one class and its line in {@code
 * META-INF/services/dev.sluice.policy.RuleFormat}; nothing else names it. A format keeps nothing
 * from one file to the next.
 */
public interface RuleFormat {
    /** Most characters of a text that {@link #claims} is shown. */
    int BEGIN = 1 << 16;

    /** The word of {@code --rules-format}: lower case. */
    String label();

    /** The name that people know it by. */
    String title();

    /** A rule of this format, for messages. */
    String example();

    /**
     * Returns whether a text is of this format.
     *
     * @param begin the text, or as much of a long one as tells what it is
     */
    boolean claims(String begin);

    /**
     * Reads a text to its end and adds its rules in their order. Reports a defect by {@link
     * RuleReading#defect} and goes on, so that a user sees all defects of a file together.
     *
     * @throws RuleSyntaxException at a defect of the current line behind which nothing can be read
     */
    void read(RuleReading in) throws IOException, RuleSyntaxException;

    /**
     * The action of a rule that says none, to be given by {@code --actions}; null: each says its.
     */
    default @Nullable String missingAction() {
        return null;
    }
}
