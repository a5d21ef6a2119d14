package dev.sluice.operators.rules.topic;

import dev.sluice.engine.rules.LineShift;
import dev.sluice.engine.rules.Match;
import dev.sluice.engine.rules.Place;
import dev.sluice.engine.rules.Rule;
import dev.sluice.engine.rules.RuleDelta;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The rules of a version by their ids, and in their total order. A change takes time for the rules
 * that it names alone, O(log rules) each: lines that shift are worked out when a rule is asked for.
 * Not thread-safe.
 */
public final class RuleIndex {
    /** Shifts that wait, at most: each is a step for each rule when they are worked out. */
    private static final int MOST_SHIFTS = 256;

    private static final Match ANY = new Match.Builder().build();

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

    /** The keys say where a rule stands, and not on which line. */
    private final TreeMap<Rule, Entry> inOrder = new TreeMap<>(Rule.TOTAL_ORDER);

    private final List<List<LineShift>> waiting = new ArrayList<>();

    /** Number of rules. */
    public int size() {
        return byId.size();
    }

    /** Tells whether a rule has an id. */
    boolean holds(long id) {
        return byId.containsKey(id);
    }

    /** The rule of an id; null if there is none. */
    public @Nullable Rule get(long id) {
        Entry entry = byId.get(id);
        return entry == null ? null : current(entry);
    }

    private Rule current(Entry entry) {
        int line = entry.rule.line();
        for (; entry.shifts < waiting.size(); entry.shifts++) {
            line = LineShift.shifted(waiting.get(entry.shifts), line);
        }
        entry.rule = entry.rule.onLine(line);
        return entry.rule;
    }

    /** The rule that has the priority and place of another; null if there is none. */
    @Nullable Rule inPlaceOf(Rule rule) {
        Entry entry = inOrder.get(rule);
        return entry == null ? null : entry.rule;
    }

    /** The place of the first rule of a priority; null if it has none. */
    public @Nullable Place first(int priority) {
        return placeOf(inOrder.ceilingKey(before(priority)), priority);
    }

    /** The place of the last rule of a priority; null if it has none. */
    public @Nullable Place last(int priority) {
        Rule last =
                priority == Integer.MIN_VALUE
                        ? (inOrder.isEmpty() ? null : inOrder.lastKey())
                        : inOrder.lowerKey(before(priority - 1));
        return placeOf(last, priority);
    }

    /** The place of the rule before another one of its priority; null if there is none. */
    public @Nullable Place before(Rule rule) {
        return placeOf(inOrder.lowerKey(rule), rule.priority());
    }

    /** The place of the rule behind another one of its priority; null if there is none. */
    public @Nullable Place behind(Rule rule) {
        return placeOf(inOrder.higherKey(rule), rule.priority());
    }

    private static @Nullable Place placeOf(@Nullable Rule rule, int priority) {
        return rule == null || rule.priority() != priority ? null : rule.place();
    }

    /** No rule, which stands before all of a priority. */
    private static Rule before(int priority) {
        return new Rule(0, priority, ANY, "", 0);
    }

    /**
     * Adds a rule whose id no other has.
     *
     * @throws IllegalArgumentException if another rule has its priority and place
     */
    public void add(Rule rule) {
        Entry entry = new Entry(rule, waiting.size());
        Entry there = inOrder.put(rule, entry);
        if (there != null) {
            throw new IllegalArgumentException(
                    "rules %d and %d have one place".formatted(there.rule.id(), rule.id()));
        }
        byId.put(rule.id(), entry);
    }

    /** Takes the rule of an id away; null if there is none. */
    public @Nullable Rule remove(long id) {
        Entry entry = byId.remove(id);
        if (entry == null) {
            return null;
        }
        inOrder.remove(entry.rule);
        return current(entry);
    }

    /** Applies a delta that fits: lines move, rules go, others come. */
    public void apply(RuleDelta delta) {
        shift(delta.shifts());
        delta.removes().forEach(this::remove);
        // Rules that change may trade places: all leave theirs before the first is added.
        delta.inserts().forEach(rule -> remove(rule.id()));
        delta.inserts().forEach(this::add);
    }

    private void shift(List<LineShift> shifts) {
        if (!shifts.isEmpty()) {
            waiting.add(shifts);
            if (waiting.size() > MOST_SHIFTS) {
                rules();
            }
        }
    }

    /** All rules in their total order. O(rules). */
    public List<Rule> rules() {
        List<Rule> rules = new ArrayList<>(inOrder.size());
        for (Entry entry : inOrder.values()) {
            rules.add(current(entry));
            entry.shifts = 0;
        }
        waiting.clear();
        return rules;
    }
}
