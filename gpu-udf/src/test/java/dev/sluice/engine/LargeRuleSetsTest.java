package dev.sluice.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.engine.lookup.Algorithm;
import dev.sluice.engine.lookup.Classifier;
import dev.sluice.engine.lookup.Oracle;
import dev.sluice.engine.lookup.VerdictBatch;
import dev.sluice.engine.rules.Match;
import dev.sluice.engine.rules.Rule;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.engine.testing.RandomRules;
import dev.sluice.schemas.header.Field;
import dev.sluice.schemas.header.HeaderBatch;
import dev.sluice.schemas.testing.TestSeed;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** The sizes that the papers report. */
class LargeRuleSetsTest {
    @Test
    void bitvectorOf50000RulesWithinABudgetOfItsOwn() {
        SplittableRandom random = new SplittableRandom(TestSeed.of(50));
        List<Rule> rules = new ArrayList<>();
        for (int i = 0; i < 50_000; i++) {
            int length = 8 + random.nextInt(9);
            int low = random.nextInt(100);
            Match match =
                    new Match.Builder()
                            .field(Field.IPV4_SRC, random.nextInt(256) << 24, -1 << 32 - length)
                            .field(Field.IPV4_DST, random.nextInt(4096) << 20, -1 << 20)
                            .ports(Field.SRC_PORT, low, low + random.nextInt(50))
                            .ports(Field.DST_PORT, 0, 1024 + low)
                            .field(Field.IP_PROTO, 6 + 11 * random.nextInt(2))
                            .build();
            rules.add(new Rule(i + 1, random.nextInt(65_536), match, "a", i + 1));
        }
        RuleSet set = RuleSet.of("large", 1, RuleSet.DROP, rules);
        Classifier classifier =
                new Compiler(EngineOptions.of(Algorithm.of("bitvector")).withBudget(200L << 20))
                        .compile(set);
        RandomRules headers = new RandomRules(TestSeed.of(51));
        HeaderBatch batch = new HeaderBatch(set.layout(), 400);
        VerdictBatch verdicts = new VerdictBatch(400);
        List<int[]> asked = new ArrayList<>();
        for (int i = 0; i < 400; i++) {
            asked.add(headers.header(set));
            batch.add(asked.get(i));
        }
        classifier.classify(batch, verdicts);
        boolean hit = false;
        for (int i = 0; i < 400; i++) {
            assertEquals(Oracle.classify(set, asked.get(i)), verdicts.rule(i));
            hit |= verdicts.rule(i) > 1000;
        }
        assertTrue(hit);
        assertFalse(classifier.image().bytes() > 200L << 20);
    }
}
