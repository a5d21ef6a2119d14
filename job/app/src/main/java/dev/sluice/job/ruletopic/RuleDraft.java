package dev.sluice.job.ruletopic;

import dev.sluice.engine.rules.Rule;
import dev.sluice.engine.rules.RuleDelta;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A transaction that is to be published.
 *
 * @param ruleSet name of the rule set, usually its file
 * @param defaultAction action where no rule matches
 * @param effectiveTimeNs event time from which it is in force, ns since 1970 UTC; null: its commit
 * @param delta what it changes; null for a snapshot
 * @param rules all rules in total order, for a snapshot
 */
public record RuleDraft(
        String ruleSet,
        String defaultAction,
        @Nullable Long effectiveTimeNs,
        @Nullable RuleDelta delta,
        List<Rule> rules) {
    /** All rules as they are after what is published, asked for where a snapshot may be due. */
    @FunctionalInterface
    public interface Content {
        /** The rules in total order. */
        List<Rule> rules();

        /** How many there are. */
        default int size() {
            return rules().size();
        }
    }

    /** A transaction that changes rules. */
    public static RuleDraft delta(
            String ruleSet, String defaultAction, @Nullable Long effectiveTimeNs, RuleDelta delta) {
        return new RuleDraft(ruleSet, defaultAction, effectiveTimeNs, delta, List.of());
    }

    /** A transaction that replaces all rules. */
    public static RuleDraft snapshot(
            String ruleSet,
            String defaultAction,
            @Nullable Long effectiveTimeNs,
            List<Rule> rules) {
        return new RuleDraft(ruleSet, defaultAction, effectiveTimeNs, null, rules);
    }

    /** This draft without its time if that is before another. */
    RuleDraft notBefore(long earliestNs) {
        boolean late = effectiveTimeNs != null && effectiveTimeNs < earliestNs;
        return late ? new RuleDraft(ruleSet, defaultAction, null, delta, rules) : this;
    }

    /** Changes of the rules; at least 1. */
    long changes() {
        return delta == null
                ? rules.size()
                : Math.max(1, (long) delta.removes().size() + delta.inserts().size());
    }
}
