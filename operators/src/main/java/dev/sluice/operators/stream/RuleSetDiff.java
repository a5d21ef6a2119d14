package dev.sluice.operators.stream;

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

/** What changes between two versions whose rules are told apart by their ids. */
public final class RuleSetDiff {
    private RuleSetDiff() {}

    /** A rule that stays, and its line in the version after. */
    private record Kept(Rule before, int line) {}

    /**
     * The delta from one version to another: a rule whose id is gone is removed; one whose id is
     * new, or that is another in anything but its line, is inserted; lines move by shifts. O(rules
     * log rules).
     */
    public static RuleDelta between(RuleSet before, RuleSet after) {
        Map<Long, Rule> old = new HashMap<>(2 * before.size());
        for (Rule rule : before.rules()) {
            old.put(rule.id(), rule);
        }
        List<Rule> inserts = new ArrayList<>();
        List<Kept> kept = new ArrayList<>();
        for (Rule rule : after.rules()) {
            Rule was = old.remove(rule.id());
            if (was == null || !was.onLine(rule.line()).equals(rule)) {
                inserts.add(rule);
            } else if (was.line() != 0 && rule.line() != 0) {
                kept.add(new Kept(was, rule.line()));
            } else if (was.line() != rule.line()) {
                inserts.add(rule); // line 0 does not shift
            }
        }
        Set<Long> removes = new HashSet<>(old.keySet());
        return new RuleDelta(List.copyOf(removes), inserts, shifts(kept, inserts));
    }

    /** The shifts of the lines of kept rules; rules that no shift suits are inserted. */
    private static List<LineShift> shifts(List<Kept> kept, List<Rule> inserts) {
        kept.sort(Comparator.comparingInt(k -> k.before.line()));
        List<LineShift> shifts = new ArrayList<>();
        int by = 0;
        int last = 0;
        for (Kept rule : kept) {
            int from = rule.before.line();
            int needed = rule.line - from;
            if (needed == by) {
                last = from;
            } else if (from > last) {
                shifts.add(new LineShift(from, needed));
                by = needed;
                last = from;
            } else { // a rule on the same line moved otherwise
                inserts.add(rule.before.onLine(rule.line));
            }
        }
        return shifts;
    }
}
