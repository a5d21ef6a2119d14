package dev.sluice.policy.cases;

/**
 * Result of a case.
 *
 * @param outcome outcome or action of the packet
 * @param action action of the rule that decides, or {@code depends}
 * @param line its line; 0: none
 * @param text its words
 */
public record CaseResult(
        VerdictCase of, String outcome, String action, int line, String text, boolean passed) {
    /** The result in a sentence. */
    public String describe() {
        String expected =
                of.line() == null ? of.expected() : of.expected() + " by line " + of.line();
        String by = line == 0 ? "" : " by line %d: %s".formatted(line, text);
        String is = outcome.equals(action) ? outcome : outcome + " (" + action + ")";
        return "%s: expected %s, is %s%s".formatted(of.name(), expected, is, by);
    }
}
