package dev.sluice.engine.rules;

import java.util.List;

/**
 * A change of a rule set, applied whole: first the removals, then the insertions. A rule that is
 * removed and inserted under its id in one delta is changed; it counts as added now. Immutable.
 *
 * @param removes ids of rules to remove
 * @param inserts rules to add, in this order of age
 */
public record RuleDelta(List<Long> removes, List<Rule> inserts) {
    /** Copies the lists. */
    public RuleDelta {
        removes = List.copyOf(removes);
        inserts = List.copyOf(inserts);
    }

    /** A delta that adds rules. */
    public static RuleDelta insert(Rule... rules) {
        return new RuleDelta(List.of(), List.of(rules));
    }

    /** A delta that removes rules. */
    public static RuleDelta remove(Long... ids) {
        return new RuleDelta(List.of(ids), List.of());
    }
}
