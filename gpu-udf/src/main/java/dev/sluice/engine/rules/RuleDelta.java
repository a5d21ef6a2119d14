package dev.sluice.engine.rules;

import java.util.List;

/**
 * A change of a rule set, applied whole: first the lines move, then rules are removed, then others
 * inserted. Immutable.
 *
 * <p>An insertion under the id of a rule that is there changes that rule: its attributes, if match,
 * priority and place are the same, else it moves. Lines of inserted rules are those of the version
 * after. (Rules that change in place have ages and no places: an insertion under an id that is
 * there is taken only if the same delta removes it, the rule counts as added now, and lines stay.)
 *
 * @param removes ids of rules to remove
 * @param inserts rules to add, or to change where the id is there
 * @param shifts how the lines of the rules that stay move; ascending
 */
public record RuleDelta(List<Long> removes, List<Rule> inserts, List<LineShift> shifts) {
    /**
     * Copies the lists.
     *
     * @throws IllegalArgumentException if the shifts do not ascend
     */
    public RuleDelta {
        removes = List.copyOf(removes);
        inserts = List.copyOf(inserts);
        shifts = LineShift.requireAscending(List.copyOf(shifts));
    }

    /** A delta that moves no lines. */
    public RuleDelta(List<Long> removes, List<Rule> inserts) {
        this(removes, inserts, List.of());
    }

    /** A delta that adds rules. */
    public static RuleDelta insert(Rule... rules) {
        return new RuleDelta(List.of(), List.of(rules));
    }

    /** A delta that removes rules. */
    public static RuleDelta remove(Long... ids) {
        return new RuleDelta(List.of(ids), List.of());
    }

    /** Returns whether it changes nothing. */
    public boolean isEmpty() {
        return removes.isEmpty() && inserts.isEmpty() && shifts.isEmpty();
    }
}
