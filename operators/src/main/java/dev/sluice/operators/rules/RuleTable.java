package dev.sluice.operators.rules;

import dev.sluice.engine.rules.LineShift;
import dev.sluice.engine.rules.Place;
import dev.sluice.engine.rules.Rule;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Rules by their ids and by their priorities and places. A change takes time for the rules that it
 * names alone: their total order, and lines that shift, are worked out when all rules are asked
 * for, from the order that was known before. Not thread-safe.
 */
final class RuleTable {
    private static final Comparator<Entry> ORDER =
            (a, b) -> Rule.TOTAL_ORDER.compare(a.rule, b.rule);

    /** Shifts that wait, at most: each is a step for each rule when they are worked out. */
    private static final int MOST_SHIFTS = 256;

    /** Rules that were added and went again, beyond twice those that are there, at most. */
    private static final int MOST_GONE = 1024;

    /** A rule, whose line is as of the first so many shifts; equal to those in its place. */
    private static final class Entry {
        private Rule rule;
        private int shifts;
        private boolean gone;

        Entry(Rule rule, int shifts) {
            this.rule = rule;
            this.shifts = shifts;
        }

        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof Entry that
                    && rule.priority() == that.rule.priority()
                    && rule.place().equals(that.rule.place());
        }

        @Override
        public int hashCode() {
            return 31 * rule.place().hashCode() + rule.priority();
        }
    }

    private final Map<Long, Entry> byId = new HashMap<>();
    private final Map<Entry, Entry> byPlace = new HashMap<>();

    /** The rules in order as of when they were last asked for, and those that came since. */
    private List<Entry> ordered = new ArrayList<>();

    private List<Entry> added = new ArrayList<>();
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
        Entry entry = byPlace.get(new Entry(rule, 0));
        return entry == null ? null : entry.rule;
    }

    /** The place of the last rule of a priority; null if it has none. O(rules). */
    @Nullable Place lastPlace(int priority) {
        Place last = null;
        for (Entry entry : byId.values()) {
            Place place = entry.rule.place();
            if (entry.rule.priority() == priority && (last == null || last.compareTo(place) < 0)) {
                last = place;
            }
        }
        return last;
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
        byPlace.remove(entry);
        entry.gone = true;
        return true;
    }

    /** Adds a rule whose id and place nothing has. */
    void add(Rule rule) {
        Entry entry = new Entry(rule, waiting.size());
        byId.put(rule.id(), entry);
        byPlace.put(entry, entry);
        added.add(entry);
        if (added.size() > 2 * byId.size() + MOST_GONE) {
            added.removeIf(one -> one.gone);
        }
    }

    /** All rules in their order, with their lines. */
    List<Rule> rules() {
        workOutLines();
        workOutOrder();
        List<Rule> rules = new ArrayList<>(ordered.size());
        ordered.forEach(entry -> rules.add(entry.rule));
        return rules;
    }

    /** All rules in any order, with their lines. */
    List<Rule> unordered() {
        workOutLines();
        List<Rule> rules = new ArrayList<>(byId.size());
        byId.values().forEach(entry -> rules.add(entry.rule));
        return rules;
    }

    private void workOutOrder() {
        added.removeIf(entry -> entry.gone);
        added.sort(ORDER);
        List<Entry> all = new ArrayList<>(byId.size());
        int next = 0;
        for (Entry entry : ordered) {
            if (entry.gone) {
                continue;
            }
            while (next < added.size() && ORDER.compare(added.get(next), entry) < 0) {
                all.add(added.get(next++));
            }
            all.add(entry);
        }
        all.addAll(added.subList(next, added.size()));
        ordered = all;
        added = new ArrayList<>();
    }

    private void workOutLines() {
        if (waiting.isEmpty()) {
            return;
        }
        for (Entry entry : byId.values()) {
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
