package dev.sluice.job.report;

import dev.sluice.engine.rules.Rule;

/**
 * Rule of a report.
 *
 * @param line 1-based; 0: the default action
 * @param text the rule in the user's words; empty: unknown
 */
public record RuleLabel(int line, String action, String text) {
    /** The line in words. */
    String place() {
        return line == 0 ? "default" : String.valueOf(line);
    }

    /** The label of a rule. */
    static RuleLabel of(Rule rule) {
        return new RuleLabel(rule.line(), rule.action(), rule.text().strip());
    }

    /** Words for people. */
    String words() {
        return text.isEmpty() ? line == 0 ? "default action " + action : action : text;
    }
}
