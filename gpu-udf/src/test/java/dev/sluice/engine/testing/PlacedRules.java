package dev.sluice.engine.testing;

import dev.sluice.engine.rules.Place;
import dev.sluice.engine.rules.Rule;
import dev.sluice.engine.rules.RuleDelta;
import dev.sluice.engine.rules.RuleSet;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A story's rules, whose priorities and ages say which comes first, as rules of one priority whose
 * places say the same, so that new rules come anywhere. Not thread-safe.
 */
public final class PlacedRules {
    private static final int PRIORITY = 3;

    private final RuleHistory history;
    private final Map<Long, Rule> placed = new HashMap<>();

    /** The rules that are there at first. */
    public PlacedRules(RuleSet rules) {
        history = new RuleHistory(rules.rules());
        List<Place> places = Place.spread(rules.size());
        for (int i = 0; i < rules.size(); i++) {
            place(rules.rules().get(i), places.get(i));
        }
    }

    private Rule place(Rule rule, Place place) {
        Rule moved =
                new Rule(
                        rule.id(),
                        PRIORITY,
                        rule.match(),
                        rule.action(),
                        rule.line(),
                        place,
                        rule.text());
        placed.put(rule.id(), moved);
        return moved;
    }

    /** The rules of now, in their order. */
    public RuleSet ruleSet(String name, long version) {
        List<Rule> rules = new ArrayList<>();
        history.ruleSet().rules().forEach(rule -> rules.add(placed.get(rule.id())));
        return RuleSet.of(name, version, RuleSet.DROP, rules);
    }

    /** A story's delta, and what it is for rules with places. */
    public RuleDelta apply(RuleDelta delta) {
        history.apply(delta);
        delta.removes().forEach(placed::remove);
        List<Rule> ordered = history.ruleSet().rules();
        List<Rule> inserts = new ArrayList<>();
        for (int i = 0; i < ordered.size(); i++) {
            Rule rule = ordered.get(i);
            if (!placed.containsKey(rule.id())) {
                Place before = i == 0 ? null : placed.get(ordered.get(i - 1).id()).place();
                Place behind = null;
                for (int k = i + 1; k < ordered.size() && behind == null; k++) {
                    Rule next = placed.get(ordered.get(k).id());
                    behind = next == null ? null : next.place();
                }
                inserts.add(place(rule, Place.between(before, behind)));
            }
        }
        // What is removed and comes again under its id is a change of the rule.
        List<Long> removes = new ArrayList<>(delta.removes());
        removes.removeIf(placed::containsKey);
        return new RuleDelta(removes, inserts);
    }
}
