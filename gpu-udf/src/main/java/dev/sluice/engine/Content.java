package dev.sluice.engine;

import dev.sluice.engine.rules.LineShift;
import dev.sluice.engine.rules.Rule;
import dev.sluice.engine.rules.RuleDelta;
import dev.sluice.engine.rules.RuleSet;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/** Rules of a version after a delta, as a rule set to be compiled. */
final class Content {
    private Content() {}

    /**
     * The rules after a delta.
     *
     * @throws IllegalArgumentException if the delta does not fit the rules
     */
    static RuleSet after(RuleSetVersion version, long number, RuleDelta delta) {
        Map<Long, Rule> rules = new LinkedHashMap<>();
        for (Rule rule : version.rules().rules()) {
            int line = LineShift.shifted(delta.shifts(), rule.line());
            rules.put(rule.id(), rule.onLine(line));
        }
        for (long id : delta.removes()) {
            if (rules.remove(id) == null) {
                throw new IllegalArgumentException(
                        "the delta removes rule " + id + ", which is not there");
            }
        }
        Set<Long> inserted = new HashSet<>();
        for (Rule rule : delta.inserts()) {
            if (!inserted.add(rule.id())) {
                throw new IllegalArgumentException(
                        "the delta inserts rule " + rule.id() + " twice; name it once");
            }
            rules.put(rule.id(), rule);
        }
        return RuleSet.of(
                version.name(), number, version.defaultAction(), new ArrayList<>(rules.values()));
    }
}
