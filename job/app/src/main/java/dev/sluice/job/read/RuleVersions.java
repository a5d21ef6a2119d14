package dev.sluice.job.read;

import dev.sluice.engine.rules.LineShift;
import dev.sluice.engine.rules.Rule;
import dev.sluice.engine.rules.RuleDelta;
import dev.sluice.job.read.VerdictRow.RuleFacts;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * State of each rule in each version of a history. Versions are added in order and read in any.
 *
 * <p>Memory: each rule once, and each change of a rule; a shift of many lines is one entry. Finding
 * a rule's line takes time for the shifts since the version requested last, or since the rule's own
 * change if that version is later. Not thread-safe.
 */
final class RuleVersions {
    /** Rules by rule id and by the version from which each holds; null: removed. */
    private final Map<Long, TreeMap<Long, @Nullable Rule>> changes = new HashMap<>();

    private final TreeMap<Long, List<LineShift>> shifts = new TreeMap<>();
    private final TreeMap<Long, String> defaultActions = new TreeMap<>();
    private final Set<Long> newest = new HashSet<>();

    /** Line of each rule, by rule id, in the version requested last. */
    private final Map<Long, Standing> last = new HashMap<>();

    /** Line of a rule in a version. */
    private record Standing(long since, long version, int line) {}

    /** Tells whether a version is known, or older than a known one. */
    boolean reaches(long version) {
        return !defaultActions.isEmpty() && defaultActions.lastKey() >= version;
    }

    /** Adds a version that has these rules. */
    void replace(long version, String defaultAction, Iterable<Rule> rules) {
        Set<Long> gone = new HashSet<>(newest);
        for (Rule rule : rules) {
            gone.remove(rule.id());
            Rule before = rule(rule.id(), version);
            if (before == null
                    || !RuleFacts.of(before)
                            .equals(RuleFacts.of(rule))) { // else the former entry still holds
                put(version, rule);
            }
        }
        gone.forEach(id -> remove(version, id));
        defaultActions.put(version, defaultAction);
    }

    /** Adds a version that differs from the one before by a delta. */
    void change(long version, String defaultAction, RuleDelta delta) {
        delta.removes().forEach(id -> remove(version, id));
        delta.inserts().forEach(rule -> put(version, rule));
        if (!delta.shifts().isEmpty()) {
            shifts.put(version, delta.shifts());
        }
        defaultActions.put(version, defaultAction);
    }

    private void put(long version, Rule rule) {
        changes.computeIfAbsent(rule.id(), id -> new TreeMap<>()).put(version, rule);
        newest.add(rule.id());
    }

    private void remove(long version, long id) {
        changes.computeIfAbsent(id, unknown -> new TreeMap<>()).put(version, null);
        newest.remove(id);
    }

    /** Returns a rule as of a version; {@link RuleFacts#UNKNOWN} where there was none. */
    RuleFacts facts(long id, long version) {
        Rule rule = rule(id, version);
        return rule == null ? RuleFacts.UNKNOWN : RuleFacts.of(rule);
    }

    /** Returns the default action of a version; empty where it is unknown. */
    String defaultAction(long version) {
        Map.Entry<Long, String> entry = defaultActions.floorEntry(version);
        return entry == null ? "" : entry.getValue();
    }

    private @Nullable Rule rule(long id, long version) {
        TreeMap<Long, @Nullable Rule> ofRule = changes.get(id);
        Map.Entry<Long, @Nullable Rule> change = ofRule == null ? null : ofRule.floorEntry(version);
        Rule rule = change == null ? null : change.getValue();
        if (change == null || rule == null || rule.line() == 0) {
            return rule;
        }
        long since = change.getKey();
        Standing known = last.get(id);
        if (known == null || known.since != since || known.version > version) {
            known = new Standing(since, since, rule.line());
        }
        int line = known.line;
        for (List<LineShift> moves : shifts.subMap(known.version, false, version, true).values()) {
            line = LineShift.shifted(moves, line);
        }
        last.put(id, new Standing(since, version, line));
        return rule.onLine(line);
    }
}
