package dev.sluice.engine.rules;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * A change of a rule set, applied whole: first the lines move, then rules are removed, then others
 * inserted. Immutable.
 *
 * <p>An insertion under the id of a rule that is there changes that rule: its attributes, if match,
 * priority and place are the same, else it moves. Lines of inserted rules are those of the version
 * after.
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

    /**
     * Makes the rules after the delta.
     *
     * @param number version of the result
     * @throws IllegalArgumentException if the delta does not fit the rules
     */
    public RuleSet applied(RuleSet before, long number) {
        Map<Long, Rule> rules = new LinkedHashMap<>();
        for (Rule rule : before.rules()) {
            rules.put(rule.id(), rule.onLine(LineShift.shifted(shifts, rule.line())));
        }
        for (long id : removes) {
            if (rules.remove(id) == null) {
                throw new IllegalArgumentException(
                        "the delta removes rule " + id + ", which is not there");
            }
        }
        Set<Long> inserted = new HashSet<>();
        for (Rule rule : inserts) {
            if (!inserted.add(rule.id())) {
                throw new IllegalArgumentException(
                        "the delta inserts rule " + rule.id() + " twice; name it once");
            }
            rules.put(rule.id(), rule);
        }
        return RuleSet.of(
                before.name(), number, before.defaultAction(), new ArrayList<>(rules.values()));
    }

    /** Returns whether it changes nothing. */
    public boolean isEmpty() {
        return removes.isEmpty() && inserts.isEmpty() && shifts.isEmpty();
    }
}
