package dev.sluice.job.hits;

import dev.sluice.engine.rules.Rule;
import dev.sluice.schemas.codec.Column;
import dev.sluice.schemas.codec.RuleStatistics;
import dev.sluice.schemas.codec.VerdictOutcome;
import org.jspecify.annotations.Nullable;

/**
 * Row of a report: a rule and its hits.
 *
 * @param standing of the rule now
 * @param rule the rule; null: the default action, or a rule of which only the id is known
 * @param ruleId id of the rule; null: the default action
 * @param words name for people: the rule's text in its file, or else its known properties
 * @param action its action; empty where unknown
 * @param hits its hits, in total or in one window; null: none
 */
public record HitRow(
        Standing standing,
        @Nullable Rule rule,
        @Nullable Long ruleId,
        String words,
        String action,
        @Nullable RuleStatistics hits) {
    /** Present standing of a rule. */
    public enum Standing {
        IN_FORCE,
        /** Rule that was hit under an earlier version, and is not in the newest. */
        REMOVED,
        /** Default action in place of a rule. */
        DEFAULT
    }

    /** Returns whether the row is of a rule in force that nothing hit. */
    public boolean isNeverHit() {
        return hits == null && standing == Standing.IN_FORCE;
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

    /** Returns the rule's lines in its file as text. */
    String lines() {
        return rule == null || rule.line() == 0 ? "-" : rule.lines();
    }

    /** Returns the outcome of its packets by a policy; null: none, or the rule is unknown. */
    @Nullable String outcome() {
        VerdictOutcome outcome = rule == null ? VerdictOutcome.NONE : rule.outcome();
        return outcome == VerdictOutcome.NONE ? null : outcome.label();
    }

    /** Returns the line in the rule's file; 0: none. */
    public int line() {
        return rule == null ? 0 : rule.line();
    }
}
