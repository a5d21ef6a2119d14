package dev.sluice.operators.rules;

import dev.sluice.engine.rules.LineShift;
import dev.sluice.engine.rules.Match;
import dev.sluice.engine.rules.Place;
import dev.sluice.engine.rules.Rule;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Rules by their ids and in their total order. A change takes time for the rules that it names
 * alone: lines that shift are worked out when all rules are asked for. Not thread-safe.
 */
final class RuleTable {
    /** Shifts that wait, at most: each is a step for each rule when they are worked out. */
    private static final int MOST_SHIFTS = 256;

    /** A rule, whose line is as of the first so many shifts. */
    private static final class Entry {
        private Rule rule;
        private int shifts;

        Entry(Rule rule, int shifts) {
            this.rule = rule;
            this.shifts = shifts;
        }
    }

    private final Map<Long, Entry> byId = new HashMap<>();
    private final TreeMap<Rule, Entry> inOrder = new TreeMap<>(Rule::compareInOrder);
    private final List<List<LineShift>> waiting = new ArrayList<>();

    int size() {
        return byId.size();
    }

    boolean holds(long id) {
        return byId.containsKey(id);
    }

    /** The rule with an id, its line perhaps of an earlier version; null if there is none. */
    @Nullable Rule withOldLine(long id) {
        Entry entry = byId.get(id);
        return entry == null ? null : entry.rule;
    }

    /** The rule that has the priority and place of another; null if there is none. */
    @Nullable Rule inPlaceOf(Rule rule) {
        Entry entry = inOrder.get(rule);
        return entry == null ? null : entry.rule;
    }

    /** The place of the last rule of a priority; null if it has none. */
    @Nullable Place lastPlace(int priority) {
        Rule last;
        if (priority == Integer.MIN_VALUE) {
            last = inOrder.isEmpty() ? null : inOrder.lastKey();
        } else {
            Rule behind = probe(priority - 1);
            last = inOrder.lowerKey(behind);
        }
        return last == null || last.priority() != priority ? null : last.place();
    }

    private static Rule probe(int priority) {
        return new Rule(0, priority, new Match.Builder().build(), "", 0);
    }

    /** Moves the lines of all rules. */
    void shift(List<LineShift> shifts) {
        if (!shifts.isEmpty()) {
            waiting.add(shifts);
            if (waiting.size() > MOST_SHIFTS) {
                workOutLines();
            }
        }
    }

    /** Takes a rule away, if it is there. */
    boolean remove(long id) {
        Entry entry = byId.remove(id);
        if (entry == null) {
            return false;
        }
        inOrder.remove(entry.rule);
        return true;
    }

    /** Adds a rule whose id and place nothing has. */
    void add(Rule rule) {
        Entry entry = new Entry(rule, waiting.size());
        byId.put(rule.id(), entry);
        inOrder.put(rule, entry);
    }

    /** All rules in their order, with their lines. */
    List<Rule> rules() {
        workOutLines();
        List<Rule> rules = new ArrayList<>(inOrder.size());
        inOrder.values().forEach(entry -> rules.add(entry.rule));
        return rules;
    }

    private void workOutLines() {
        if (waiting.isEmpty()) {
            return;
        }
        for (Entry entry : inOrder.values()) {
            int line = entry.rule.line();
            for (List<LineShift> shifts : waiting.subList(entry.shifts, waiting.size())) {
                line = LineShift.shifted(shifts, line);
            }
            entry.rule = entry.rule.onLine(line);
            entry.shifts = 0;
        }
        waiting.clear();
    }
}
