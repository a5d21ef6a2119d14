package dev.sluice.engine;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.engine.image.Image;
import dev.sluice.engine.image.MemoryBudgetException;
import dev.sluice.engine.lookup.Algorithm;
import dev.sluice.engine.lookup.AlgorithmChoice;
import dev.sluice.engine.lookup.Classifier;
import dev.sluice.engine.lookup.LayoutMismatchException;
import dev.sluice.engine.lookup.VerdictBatch;
import dev.sluice.engine.rules.Match;
import dev.sluice.engine.rules.Rule;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.engine.testing.Form;
import dev.sluice.engine.testing.RandomRules;
import dev.sluice.engine.testing.RandomRules.Shape;
import dev.sluice.engine.testing.Refusals;
import dev.sluice.engine.testing.RuleStory;
import dev.sluice.engine.testing.SameVerdicts;
import dev.sluice.engine.testing.Served;
import dev.sluice.engine.testing.Subject;
import dev.sluice.schemas.header.Field;
import dev.sluice.schemas.header.HeaderBatch;
import dev.sluice.schemas.header.HeaderLayout;
import dev.sluice.schemas.header.HeaderWord;
import dev.sluice.schemas.testing.TestSeed;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every algorithm of the registry, in every form, gives the oracle's answer. */
class AlgorithmsAgreeTest {
    private static final int[] SIZES = {0, 1, 2, 7, 40, 300, 1000};
    private static final int HEADERS = 500;

    /** Sizes at which the usual run asks forms that have an option of their own. */
    private static final Set<Integer> USUAL = Set.of(7, 300);

    /** Sizes at which the usual run asks those whose build first measures others. */
    private static final Set<Integer> USUAL_BY_MEASURING = Set.of(2, 1000);

    @ParameterizedTest
    @MethodSource("dev.sluice.engine.testing.Form#choices")
    void everyAlgorithmGivesTheOraclesAnswer(AlgorithmChoice algorithm) {
        agree(algorithm, 1, false);
    }

    @Tag("long")
    @ParameterizedTest
    @MethodSource("dev.sluice.engine.testing.Form#choices")
    void everyAlgorithmGivesTheOraclesAnswerOnManySeeds(AlgorithmChoice algorithm) {
        agree(algorithm, 14, true);
    }

    private static boolean isAsked(Form form, int size, boolean all) {
        if (form.choosesByMeasuring()) {
            return all ? size != 300 : USUAL_BY_MEASURING.contains(size);
        }
        return form.plain() || (all ? size < 1000 : USUAL.contains(size));
    }

    private static void agree(AlgorithmChoice algorithm, int seeds, boolean all) {
        Served served = new Served(algorithm);
        for (Shape shape : Shape.values()) {
            for (long seed = 1; seed <= seeds; seed++) {
                for (int size : SIZES) {
                    if (!Form.plain(algorithm).isWorthBuilding(shape, size)) {
                        continue;
                    }
                    RuleStory story =
                            RuleStory.random(
                                    TestSeed.of(seed * 1000 + size), shape, size, 0, HEADERS);
                    for (Form form : Form.all(algorithm)) {
                        if (isAsked(form, size, all)) {
                            served.note(
                                    form,
                                    shape,
                                    story,
                                    SameVerdicts.assertSameVerdicts(story, form.compiled()));
                        }
                    }
                }
            }
        }
        served.assertAtLeast(6 * seeds);
    }

    /**
     * 131,072 rules, 16-bit priorities, two rules of each priority: of two equal matches the elder
     * wins.
     */
    private static RuleStory ties() {
        int n = 131_072;
        List<Rule> byAge = new ArrayList<>(n);
        for (int i = 0; i < n; i++) {
            int twin = i % (n / 2);
            Match match =
                    new Match.Builder()
                            .field(
                                    Field.IPV4_SRC,
                                    Integer.reverse(twin),
                                    i < n / 4 ? -1 : 0xffffff00 | twin)
                            .field(Field.IP_PROTO, twin & 1)
                            .build();
            byAge.add(new Rule(i, twin & 0xffff, match, "a", i + 1));
        }
        RuleSet rules = RuleSet.of("ties", 1, RuleSet.DROP, byAge);
        long seed = TestSeed.of(7);
        return RuleStory.of("ties-of-131072", seed, rules, new RandomRules(seed), 256);
    }

    @Test
    void ranksHoldFor131072RulesWithTies() {
        RuleStory story = ties();
        List<String> served = new ArrayList<>();
        for (AlgorithmChoice algorithm : Form.choices()) {
            Form form = Form.plain(algorithm);
            Optional<String> refusal = SameVerdicts.assertSameVerdicts(story, form.compiled());
            Refusals.assertAllowed(form, story, refusal);
            if (refusal.isEmpty()) {
                served.add(algorithm.label());
            }
        }
        assertTrue(served.size() >= 9, "served by " + served + " alone");
    }

    @ParameterizedTest
    @MethodSource("dev.sluice.engine.testing.Form#choices")
    void anImageServesFromACopyOfItsBytes(AlgorithmChoice algorithm) {
        Form form = Form.plain(algorithm);
        long seed = TestSeed.of(99);
        RuleStory story = RuleStory.random(seed, Served.shapeFor(algorithm), 60, 0, 500);
        SameVerdicts.assertServed(
                story,
                Subject.of(
                        form.label() + "-reopened",
                        rules -> {
                            int[] copy = form.compile(rules).image().words().clone();
                            return Subject.lookUp(Algorithm.openImage(Image.open(copy)));
                        }));
        int[] damaged = form.compile(story.ruleSet()).image().words().clone();
        damaged[damaged.length - 1] ^= 1;
        String message =
                assertThrows(IllegalArgumentException.class, () -> Image.open(damaged))
                        .getMessage();
        assertTrue(message.contains("damaged"), message);
    }

    @ParameterizedTest
    @MethodSource("dev.sluice.engine.testing.Form#choices")
    void aBudgetStopsABuildAndSaysWhatItNeeds(AlgorithmChoice algorithm) {
        RuleSet rules = new RandomRules(TestSeed.of(5)).ruleSet(Served.shapeFor(algorithm), 2_000);
        Form form = Form.plain(algorithm).withBudget(4096);
        String message =
                assertThrows(MemoryBudgetException.class, () -> form.compile(rules)).getMessage();
        assertTrue(message.contains("4,096") && message.contains("--memory-budget"), message);
    }

    @ParameterizedTest
    @MethodSource("dev.sluice.engine.testing.Form#choices")
    void aBatchOfAnotherLayoutIsRefused(AlgorithmChoice algorithm) {
        RuleSet rules = new RandomRules(TestSeed.of(5)).ruleSet(Served.shapeFor(algorithm), 50);
        Classifier classifier = Form.plain(algorithm).compile(rules);
        HeaderBatch other = new HeaderBatch(HeaderLayout.of(HeaderWord.IN_PORT), 4);
        assertThrows(
                LayoutMismatchException.class,
                () -> classifier.classify(other, new VerdictBatch(4)));
    }
}
