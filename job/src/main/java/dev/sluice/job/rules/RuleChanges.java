package dev.sluice.job.rules;

import dev.sluice.engine.rules.LineShift;
import dev.sluice.engine.rules.Rule;
import dev.sluice.engine.rules.RuleDelta;
import dev.sluice.engine.rules.RuleSet;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * How the rules of two versions differ. A rule is told by its id.
 *
 * @param removed rules that are gone, in their order
 * @param added rules that came, in their order
 * @param changed rules of another match, priority, place, action or text: before and after
 * @param moved rules of which only the line is another
 */
public record RuleChanges(
        List<Rule> removed, List<Rule> added, List<Change> changed, List<Change> moved) {
    /** A rule before and after. */
    public record Change(Rule before, Rule after) {}

    /** The way from one version to another. */
    public static RuleChanges between(RuleSet from, RuleSet to) {
        Map<Long, Rule> before = new HashMap<>();
        from.rules().forEach(rule -> before.put(rule.id(), rule));
        List<Rule> added = new ArrayList<>();
        List<Change> changed = new ArrayList<>();
        List<Change> moved = new ArrayList<>();
        for (Rule rule : to.rules()) {
            Rule old = before.remove(rule.id());
            if (old == null) {
                added.add(rule);
            } else if (!old.onLine(rule.line()).equals(rule)) {
                changed.add(new Change(old, rule));
            } else if (old.line() != rule.line()) {
                moved.add(new Change(old, rule));
            }
        }
        List<Rule> removed =
                from.rules().stream().filter(rule -> before.containsKey(rule.id())).toList();
        return new RuleChanges(removed, added, changed, moved);
    }

    /**
     * How a default action differs from the one before, to be put behind other counts: empty if it
     * does not, else as in {@code , default action changes from allow to drop}.
     */
    public static String ofDefaultAction(String before, String after) {
        return before.equals(after)
                ? ""
                : ", default action changes from %s to %s".formatted(before, after);
    }

    /** Whether nothing differs, lines too. */
    public boolean isEmpty() {
        return removed.isEmpty() && added.isEmpty() && changed.isEmpty() && moved.isEmpty();
    }

    /**
     * The delta that makes this difference, so that rules are again what they were, places and
     * lines included. Lines that move alike travel as runs.
     *
     * @param from the version that it changes
     */
    public RuleDelta delta(RuleSet from) {
        Map<Long, Integer> lines = new HashMap<>();
        moved.forEach(change -> lines.put(change.after().id(), change.after().line()));
        Set<Long> others = new HashSet<>();
        removed.forEach(rule -> others.add(rule.id()));
        changed.forEach(change -> others.add(change.after().id())); // put, with its line
        List<Rule> stay =
                from.rules().stream().filter(rule -> !others.contains(rule.id())).toList();
        List<LineShift> shifts = shifts(stay, lines);
        List<Rule> puts = new ArrayList<>(added);
        changed.forEach(change -> puts.add(change.after()));
        for (Rule rule : stay) {
            int line = lines.getOrDefault(rule.id(), rule.line());
            if (LineShift.shifted(shifts, rule.line()) != line) {
                puts.add(rule.onLine(line)); // it gets a line, loses it, or shares one
            }
        }
        return new RuleDelta(removed.stream().map(Rule::id).toList(), puts, shifts);
    }

    /** Runs of rules that move alike, by their lines before. */
    private static List<LineShift> shifts(List<Rule> stay, Map<Long, Integer> lines) {
        List<Rule> byLine =
                stay.stream()
                        .filter(rule -> rule.line() > 0)
                        .sorted(Comparator.comparingInt(Rule::line))
                        .toList();
        List<LineShift> shifts = new ArrayList<>();
        int by = 0;
        int last = 0;
        for (Rule rule : byLine) {
            int line = lines.getOrDefault(rule.id(), rule.line());
            if (rule.line() != last && line > 0 && line - rule.line() != by) {
                by = line - rule.line();
                shifts.add(new LineShift(rule.line(), by));
            }
            last = rule.line();
        }
        return shifts;
    }
}
