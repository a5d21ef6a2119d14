package dev.sluice.lab.gpu.measure;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.engine.rules.Match;
import dev.sluice.engine.rules.Rule;
import dev.sluice.engine.rules.RuleDelta;
import dev.sluice.engine.rules.RuleSet;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Deltas name rules that are there to go and rules that are not there to come. */
class RuleTurnoverTest {
    private static final int RULES = 40;

    private final RuleTurnover turnover = new RuleTurnover(rules());
    private final Set<Long> in = new HashSet<>(ids(turnover.first()));

    private static List<Rule> rules() {
        List<Rule> rules = new ArrayList<>();
        for (int id = 0; id < RULES; id++) {
            rules.add(new Rule(id, 1, new Match.Builder().build(), "a", id));
        }
        return RuleSet.inListOrder("turnover", 1, RuleSet.DROP, rules).rules();
    }

    private static List<Long> ids(List<Rule> rules) {
        return rules.stream().map(Rule::id).toList();
    }

    private void apply(RuleDelta delta) {
        for (long id : delta.removes()) {
            assertTrue(in.remove(id), () -> id + " goes, which is not in force");
        }
        for (long id : ids(delta.inserts())) {
            assertTrue(in.add(id), () -> id + " comes, which is in force");
        }
    }

    @Test
    void halfOfADeltasRulesComeAndHalfGo() {
        assertEquals(RULES / 2, in.size());
        for (int round = 0; round < 100; round++) {
            RuleDelta delta = turnover.delta(10);
            assertEquals(5, delta.removes().size());
            assertEquals(5, delta.inserts().size());
            apply(delta);
        }
    }

    @Test
    void singleRulesGoAndComeInTurn() {
        for (int round = 0; round < 100; round++) {
            RuleDelta delta = turnover.delta(1);
            assertEquals(1 - round % 2, delta.removes().size());
            assertEquals(round % 2, delta.inserts().size());
            apply(delta);
        }
    }
}
