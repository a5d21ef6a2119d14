package dev.sluice.engine.forest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.engine.RandomRules;
import dev.sluice.engine.RandomRules.Shape;
import dev.sluice.engine.lookup.Oracle;
import dev.sluice.engine.lookup.VerdictBatch;
import dev.sluice.engine.rules.Match;
import dev.sluice.engine.rules.Rule;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.schemas.header.Field;
import dev.sluice.schemas.header.HeaderBatch;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Forests that take over what no change reaches. */
class ForestGrowthTest {
    private static final long BUDGET = 64L << 20;

    private static RuleSet set(List<Rule> byAge) {
        return RuleSet.of("growing", 1, RuleSet.DROP, byAge);
    }

    private static void assertRight(Forest forest, RuleSet rules, RandomRules random, int count) {
        HeaderBatch batch = new HeaderBatch(rules.layout(), count);
        List<int[]> asked = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            asked.add(random.header(rules));
            batch.add(asked.get(i));
        }
        VerdictBatch verdicts = new VerdictBatch(count);
        new ForestClassifier(forest.image()).classify(batch, verdicts);
        for (int i = 0; i < count; i++) {
            int header = i;
            assertEquals(
                    Oracle.classify(rules, asked.get(i)),
                    verdicts.rule(i),
                    () -> "header " + header);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "IPV4_5_TUPLE, 300, 1",
        "OPENFLOW, 300, 2",
        "MIXED, 300, 3",
        "PREFIXES, 900, 4",
        "IPV6, 300, 5",
        "IPV4_5_TUPLE, 40, 6"
    })
    void everyNextForestGivesTheOraclesAnswers(Shape shape, int size, long seed) {
        RandomRules random = new RandomRules(seed);
        List<Rule> byAge = new ArrayList<>(random.ruleSet(shape, size).rules());
        long nextId = 1_000_000;
        Forest forest = ForestCompiler.after(null, set(byAge), BUDGET);
        int grown = 0;
        for (int step = 0; step < 24; step++) {
            int changes = 1 + random.below(1 + size / 60);
            for (int k = 0; k < changes; k++) {
                int at = byAge.isEmpty() ? 0 : random.below(byAge.size());
                switch (random.below(3)) {
                    case 0 -> byAge.remove(at);
                    case 1 -> byAge.add(random.rule(shape, nextId++, 50));
                    default -> byAge.add(byAge.remove(at)); // the same rule, younger now
                }
            }
            RuleSet rules = set(byAge);
            forest = ForestCompiler.after(forest, rules, BUDGET);
            grown += forest.changed() > 0 ? 1 : 0;
            assertRight(forest, rules, random, 400);
        }
        assertTrue(grown >= 8, grown + " of 24 forests took something over");
    }

    /** Rules on 20,000 addresses, and one behind them for each of 64 networks. */
    private static List<Rule> hosts() {
        List<Rule> rules = new ArrayList<>();
        for (int h = 0; h < 20_000; h++) {
            Match.Builder match = new Match.Builder();
            match.field(Field.IPV4_DST, 0x0a000000 | h * 37, -1);
            match.field(Field.IP_PROTO, h % 3 == 0 ? 6 : 17, 0xff);
            rules.add(new Rule(h + 1, 10, match.build(), "permit", 0));
        }
        for (int n = 0; n < 64; n++) {
            Match.Builder match = new Match.Builder();
            match.field(Field.IPV4_DST, 0x0a000000 | n << 14, 0xffffc000);
            rules.add(new Rule(100_000 + n, 5, match.build(), "deny", 0));
        }
        return rules;
    }

    @Test
    void whatNoChangeReachesIsCopied() {
        List<Rule> rules = hosts();
        Forest before = ForestCompiler.after(null, set(rules), BUDGET);
        rules.remove(777);
        RuleSet set = set(rules);
        ForestEntries entries = ForestEntries.of(set);
        Changes changes = Changes.of(before, set, entries);
        assertEquals(1, changes.count());
        Forest after = new ForestBuilder(set, entries, before.settings(), BUDGET).rebuild(changes);
        assertTrue(
                changes.copiedWords() > 0.9 * (after.image().words().length - tableWords(set)),
                changes.copiedWords() + " of " + after.image().words().length + " words");
        assertRight(after, set, new RandomRules(9), 2000);
    }

    private static int tableWords(RuleSet rules) {
        return rules.size() * (2 * rules.layout().size() + (rules.hasRanges() ? 2 : 0));
    }

    /** The coarse shape stays good for as many changes as it is kept for. */
    @Test
    void aForestThatGrewIsNotMuchWorseThanANewOne() {
        RandomRules random = new RandomRules(11);
        List<Rule> byAge = new ArrayList<>(random.ruleSet(Shape.PREFIXES, 4000).rules());
        Forest forest = ForestCompiler.after(null, set(byAge), BUDGET);
        long nextId = 1_000_000;
        for (int step = 0; step < 5; step++) {
            for (int k = 0; k < 30; k++) {
                byAge.remove(random.below(byAge.size()));
                byAge.add(random.rule(Shape.PREFIXES, nextId++, 50));
            }
            forest = ForestCompiler.after(forest, set(byAge), BUDGET);
            assertTrue(forest.changed() > 0);
        }
        HeaderBatch headers = ForestCompiler.headersOf(set(byAge));
        long grown = ForestCompiler.reads(forest.image(), headers);
        long fresh =
                ForestCompiler.reads(
                        ForestCompiler.after(null, set(byAge), BUDGET).image(), headers);
        assertTrue(grown <= 1.4 * fresh, grown + " against " + fresh + " reads");
    }
}
