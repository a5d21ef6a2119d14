package dev.sluice.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.sluice.engine.lookup.Algorithm;
import dev.sluice.engine.lookup.Classifier;
import dev.sluice.engine.rules.Rule;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.engine.testing.RandomRules;
import dev.sluice.engine.testing.RandomRules.Shape;
import dev.sluice.engine.testing.RuleStory;
import dev.sluice.engine.testing.SameVerdicts;
import dev.sluice.engine.testing.Subject;
import dev.sluice.schemas.testing.TestSeed;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What {@code auto} chose stays, and gives way where it cannot serve the rules of later. */
class ChosenBasesTest {
    private final RandomRules random = new RandomRules(TestSeed.of(5));
    private final ChosenBases bases =
            new ChosenBases(EngineOptions.DEFAULTS, Algorithm.of("tuple"), 1);

    private Algorithm compileAndCheck(List<Rule> rules) {
        RuleSet set = RuleSet.inListOrder("bases", 1, RuleSet.DROP, rules);
        Classifier classifier = bases.compile(set);
        SameVerdicts.assertServed(
                RuleStory.of("bases", TestSeed.of(5), set, random, 300),
                Subject.ofItsOwnRules("chosen-base", Subject.lookUp(classifier)));
        return Algorithm.ofCode(classifier.image().algorithm());
    }

    @Test
    void theChoiceStaysUntilItCannot() {
        List<Rule> rules = new ArrayList<>(random.ruleSet(Shape.PREFIXES, 300).rules());
        Algorithm first = compileAndCheck(rules);
        assertEquals(Algorithm.of("rfc"), first); // small tables, two addresses
        rules.add(random.rule(Shape.PREFIXES, 1_000_000, 50));
        assertEquals(first, compileAndCheck(rules));
        // Rules of every kind: whatever is chosen now serves them.
        for (int k = 0; k < 200; k++) {
            rules.add(random.rule(Shape.MIXED, 1_000_001 + k, 50));
        }
        compileAndCheck(rules);
        // Far fewer: the loop over all of them is chosen.
        assertEquals(Algorithm.of("linear"), compileAndCheck(rules.subList(0, 12)));
    }
}
