package dev.sluice.job.hits;

import dev.sluice.engine.rules.Rule;
import dev.sluice.schemas.codec.Column;
import dev.sluice.schemas.codec.RuleStatistics;
import org.jspecify.annotations.Nullable;

/**
 * A rule and what hit it.
 *
 * @param standing what the rule is now
 * @param rule the rule; null: the default action, or a rule of which only its id is known
 * @param ruleId id of the rule; null: the default action
 * @param words what a person calls it: its line in the file, else what is known
 * @param action its action; empty where unknown
 * @param hits what hit it, all of it or in one window; null: nothing
 */
public record HitRow(
        Standing standing,
        @Nullable Rule rule,
        @Nullable Long ruleId,
        String words,
        String action,
        @Nullable RuleStatistics hits) {
    /** What a rule is now. */
    public enum Standing {
        IN_FORCE,
        /** Hit under an earlier version, and not in the newest. */
        REMOVED,
        /** No rule: the default action. */
        DEFAULT
    }

    long packets() {
        return hits == null ? 0 : hits.packets();
    }

    long bytes() {
        return hits == null ? 0 : hits.bytes();
    }

    long lastNs() {
        return hits == null ? Column.NO_TIME : hits.lastNs();
    }

    /** The rule's lines in its file for a person. */
    String lines() {
        return rule == null || rule.line() == 0 ? "-" : rule.lines();
    }

    /** Line in the rule's file; 0: none. */
    public int line() {
        return rule == null ? 0 : rule.line();
    }
}
