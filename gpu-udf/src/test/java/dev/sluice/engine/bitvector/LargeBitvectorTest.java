package dev.sluice.engine.bitvector;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.engine.rules.Match;
import dev.sluice.engine.rules.Rule;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.engine.testing.Form;
import dev.sluice.engine.testing.RandomRules;
import dev.sluice.engine.testing.RuleStory;
import dev.sluice.engine.testing.SameVerdicts;
import dev.sluice.schemas.header.Field;
import dev.sluice.schemas.testing.TestSeed;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** The size that the paper reports. */
class LargeBitvectorTest {
    private static final long BUDGET = 200L << 20;

    @Test
    void aSetOf50000RulesFitsABudgetOfItsOwn() {
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
        long seed = TestSeed.of(51);
        RuleStory story = RuleStory.of("large", seed, set, new RandomRules(seed), 400);
        SameVerdicts.assertServed(story, Form.plain("bitvector").withBudget(BUDGET).compiled());
        long hits =
                Arrays.stream(story.expected()[0]).filter(id -> id != RuleStory.NO_RULE).count();
        assertTrue(hits > 100, () -> hits + " headers match a rule");
    }
}
