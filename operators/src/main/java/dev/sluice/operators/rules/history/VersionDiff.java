package dev.sluice.operators.rules.history;

import dev.sluice.engine.rules.LineShift;
import dev.sluice.engine.rules.Rule;
import dev.sluice.engine.rules.RuleDelta;
import dev.sluice.engine.rules.RuleSet;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The difference between two versions, whose rules are told apart by their ids. O(rules log rules).
 *
 * @param removed rules that are gone, in their order
 * @param added rules that came, in their order
 * @param changed rules of another match, priority, place, action or text
 * @param kept rules that are the same, but perhaps for their lines
 */
public record VersionDiff(
        List<Rule> removed, List<Rule> added, List<Change> changed, List<Change> kept) {
    /** A rule before and after. */
    public record Change(Rule before, Rule after) {
        private boolean moves() {
            return before.line() != after.line();
        }
    }

    /** The difference between two versions. */
    public static VersionDiff between(RuleSet before, RuleSet after) {
        return between(before.rules(), after.rules());
    }

    /** The difference between the rules of two versions. */
    public static VersionDiff between(List<Rule> before, List<Rule> after) {
        Map<Long, Rule> old = new HashMap<>(2 * before.size());
        for (Rule rule : before) {
            old.put(rule.id(), rule);
        }
        List<Rule> added = new ArrayList<>();
        List<Change> changed = new ArrayList<>();
        List<Change> kept = new ArrayList<>(after.size());
        for (Rule rule : after) {
            Rule was = old.remove(rule.id());
            if (was == null) {
                added.add(rule);
            } else if (was.onLine(rule.line()).equals(rule)) {
                kept.add(new Change(was, rule));
            } else {
                changed.add(new Change(was, rule));
            }
        }
        List<Rule> removed =
                old.isEmpty()
                        ? List.of()
                        : before.stream().filter(rule -> old.containsKey(rule.id())).toList();
        return new VersionDiff(removed, added, changed, kept);
    }

    /** Rules of which only the line is another. */
    public List<Change> moved() {
        return kept.stream().filter(Change::moves).toList();
    }

    /**
     * The delta from the version before to the one after. Lines that move alike travel as shifts;
     * rules that no shift suits are put.
     */
    public RuleDelta delta() {
        List<Rule> puts = new ArrayList<>(added);
        changed.forEach(change -> puts.add(change.after));
        List<LineShift> shifts = shifts(puts);
        return new RuleDelta(removed.stream().map(Rule::id).toList(), puts, shifts);
    }

    private List<LineShift> shifts(List<Rule> puts) {
        List<Change> byLine = new ArrayList<>(kept.size());
        for (Change rule : kept) {
            if (rule.before.line() != 0 && rule.after.line() != 0) {
                byLine.add(rule);
            } else if (rule.moves()) {
                puts.add(rule.after); // line 0 does not shift
            }
        }
        byLine.sort(Comparator.comparingInt(rule -> rule.before.line()));
        List<LineShift> shifts = new ArrayList<>();
        int by = 0;
        int last = 0;
        for (Change rule : byLine) {
            int from = rule.before.line();
            int needed = rule.after.line() - from;
            if (needed == by) {
                last = from;
            } else if (from > last) {
                shifts.add(new LineShift(from, needed));
                by = needed;
                last = from;
            } else { // another rule of its line moves otherwise
                puts.add(rule.after);
            }
        }
        return shifts;
    }
}
