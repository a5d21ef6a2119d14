package dev.sluice.engine.forest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.engine.lookup.SampleHeaders;
import dev.sluice.engine.rules.Match;
import dev.sluice.engine.rules.Rule;
import dev.sluice.engine.rules.RuleDelta;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.engine.testing.ChangingRules;
import dev.sluice.engine.testing.RandomRules;
import dev.sluice.engine.testing.RandomRules.Shape;
import dev.sluice.engine.testing.RuleHistory;
import dev.sluice.engine.testing.RuleStory;
import dev.sluice.engine.testing.SameVerdicts;
import dev.sluice.engine.testing.Subject;
import dev.sluice.schemas.header.Field;
import dev.sluice.schemas.header.HeaderBatch;
import dev.sluice.schemas.header.HeaderWord;
import dev.sluice.schemas.testing.TestSeed;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Forests that take over what no change reaches. */
class ForestGrowthTest {
    private static final long BUDGET = 64L << 20;

    private static RuleSet set(List<Rule> byAge) {
        return RuleSet.inListOrder("growing", 1, RuleSet.DROP, byAge);
    }

    private static void assertRight(Forest forest, RuleSet rules, RandomRules random, int count) {
        SameVerdicts.assertServed(
                RuleStory.of(rules.name(), TestSeed.base(), rules, random, count),
                Subject.ofItsOwnRules(
                        "grown-forest", Subject.lookUp(new ForestClassifier(forest.image()))));
    }

    /** Each forest grows from the one before. */
    private static final class Growing implements Subject.Session {
        private final RuleHistory history;
        private RuleSet rules;
        private Forest forest;
        private int grown;

        Growing(RuleSet rules) {
            this.history = new RuleHistory(rules.rules());
            this.rules = rules;
            this.forest = ForestCompiler.after(null, rules, BUDGET);
        }

        @Override
        public void apply(RuleDelta delta) {
            history.apply(delta);
            rules = history.ruleSet();
            forest = ForestCompiler.after(forest, rules, BUDGET);
            grown += forest.changed() > 0 ? 1 : 0;
        }

        @Override
        public long[] answers(List<int[]> headers) throws Exception {
            return Subject.ids(
                    rules, Subject.lookUp(new ForestClassifier(forest.image())).positions(headers));
        }
    }

    @ParameterizedTest
    @CsvSource({
        "IPV4_5_TUPLE, 300, 1",
        "OPENFLOW, 300, 2",
        "MIXED, 300, 3",
        "PREFIXES, 900, 4",
        "IPV6, 300, 5",
        "IPV4_5_TUPLE, 40, 6",
        "FIREWALL, 300, 7"
    })
    void everyNextForestGivesTheOraclesAnswers(Shape shape, int size, long seed) {
        ChangingRules changing = new ChangingRules(TestSeed.of(seed), shape, size);
        for (int step = 0; step < 24; step++) {
            changing.changes(1 + changing.below(1 + size / 60));
        }
        RuleStory story = changing.story("growing-" + shape.label(), 400);
        List<Growing> opened = new ArrayList<>();
        SameVerdicts.assertServed(
                story,
                Subject.ofSessions(
                        "growing-forest", opened, (rules, layout) -> new Growing(rules)));
        int grown = opened.get(0).grown;
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
        ForestChanges changes = ForestChanges.of(before, set, entries);
        assertEquals(1, changes.count());
        Forest after = Regrowth.rebuild(new ForestBuilder(set, entries, BUDGET), changes);
        assertTrue(
                changes.copiedWords() > 0.9 * (after.image().words().length - tableWords(set)),
                changes.copiedWords() + " of " + after.image().words().length + " words");
        assertRight(after, set, new RandomRules(TestSeed.of(9)), 2000);
    }

    private static int tableWords(RuleSet rules) {
        return rules.size() * (2 * rules.layout().size() + (rules.hasRanges() ? 2 : 0));
    }

    /** The coarse shape stays good for as many changes as it is kept for. */
    @Test
    void aForestThatGrewIsNotMuchWorseThanANewOne() {
        RandomRules random = new RandomRules(TestSeed.of(11));
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
        RuleSet set = set(byAge);
        HeaderBatch headers = new SampleHeaders(set, TestSeed.of(12)).batch(set.layout(), 2048);
        long grown = ForestReads.of(forest, headers);
        long fresh = ForestReads.of(ForestCompiler.after(null, set, BUDGET), headers);
        assertTrue(grown <= 1.4 * fresh, grown + " against " + fresh + " reads");
    }

    @Test
    void hostileRulesStayWithinTheCopiesThatTheForestMayMake() {
        assertHostileRulesStayWithinTheBudget(16_384, BUDGET / 8);
    }

    @Tag("long")
    @Test
    void manyHostileRulesStayWithinTheCopiesThatTheForestMayMake() {
        assertHostileRulesStayWithinTheBudget(131_072, BUDGET);
    }

    private static void assertHostileRulesStayWithinTheBudget(int count, long budget) {
        // Each rule names one bit somewhere: every cut copies nearly every rule.
        List<Rule> byAge = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            int mask = 1 << i % 32 | 1 << i / 32 % 32;
            Match match =
                    new Match.Builder()
                            .word(HeaderWord.IPV4_SRC, i * 0x9e3779b1, mask)
                            .word(
                                    HeaderWord.IPV4_DST,
                                    i * 0x85ebca6b,
                                    Integer.reverse(mask) | 1 << i % 29)
                            .build();
            byAge.add(new Rule(i, i * 7919 % 65_536, match, "a", i + 1));
        }
        RuleSet rules = RuleSet.of("hostile", 1, RuleSet.DROP, byAge);
        Forest forest = ForestCompiler.after(null, rules, budget);
        assertTrue(forest.image().bytes() <= budget);
        assertRight(forest, rules, new RandomRules(TestSeed.of(3)), 200);
    }
}
