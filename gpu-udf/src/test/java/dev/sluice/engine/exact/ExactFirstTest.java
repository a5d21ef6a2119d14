package dev.sluice.engine.exact;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.engine.Engine;
import dev.sluice.engine.EngineOptions;
import dev.sluice.engine.EngineSubject;
import dev.sluice.engine.gpu.GpuPool;
import dev.sluice.engine.lookup.Algorithm;
import dev.sluice.engine.lookup.FirstMatch;
import dev.sluice.engine.lookup.VerdictBatch;
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
import dev.sluice.engine.testing.StoryFile;
import dev.sluice.engine.testing.Subject;
import dev.sluice.schemas.header.Field;
import dev.sluice.schemas.header.HeaderWord;
import dev.sluice.schemas.testing.TestSeed;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** OpenFlow's older order: an exact entry wins over every wildcard rule. */
class ExactFirstTest {
    private static final EngineOptions OPTIONS =
            EngineOptions.of(Algorithm.of("exact-first"))
                    .with(ExactFirstAlgorithm.EXACT_WINS, true)
                    .with(ExactFirstAlgorithm.INNER, Algorithm.of("merged-tuple").choice());

    private static final int ENTRIES_A_DELTA = 12;

    private static Subject compiled() {
        return Subject.of(
                        "exact-wins-compiled",
                        rules -> Subject.lookUp(Engine.compile(rules, OPTIONS)))
                .rightIf(ExactFirstTest::exactFirst);
    }

    @ParameterizedTest
    @EnumSource(
            value = Shape.class,
            names = {"IPV4_5_TUPLE", "OPENFLOW"})
    void exactEntriesBeatWildcardsWhereTheOptionSaysSo(Shape shape) {
        long seed = TestSeed.of(11 + shape.ordinal());
        RandomRules random = new RandomRules(seed);
        RuleSet wild = random.ruleSet(shape, 300);
        int[] full = wordsNamed(wild.rules());
        List<Rule> rules = new ArrayList<>(wild.rules());
        for (int k = 0; k < 200; k++) {
            int[] header = random.header(wild);
            rules.add(exactEntry(1_000_000 + k, random.below(600), header, full));
        }
        RuleSet all = RuleSet.inListOrder("exact-" + shape.label(), 1, RuleSet.DROP, rules);
        RuleStory story = RuleStory.of(all.name(), seed, all, random, 2000);
        SameVerdicts.assertServed(story, compiled());
        int overruled = 0;
        for (int[] header : story.headers()) {
            overruled += exactFirst(all, header) == FirstMatch.classify(all, header) ? 0 : 1;
        }
        assertTrue(overruled > 20, "an exact entry overruled a better rule " + overruled);
    }

    /** Every bit that a rule names; the rules have ranges of ports. */
    private static int[] wordsNamed(List<Rule> rules) {
        int[] named = new int[HeaderWord.COUNT];
        for (Rule rule : rules) {
            for (int w = 0; w < named.length; w++) {
                named[w] |= rule.match().mask(w);
            }
        }
        named[HeaderWord.PORTS] = -1;
        return named;
    }

    /** A rule that names every bit that is given, as a header has it. */
    private static Rule exactEntry(long id, int priority, int[] header, int[] named) {
        Match.Builder b = new Match.Builder();
        for (int w = 0; w < named.length; w++) {
            if (w != HeaderWord.PORTS) {
                b.word(w, header[w] & named[w], named[w]);
            }
        }
        int src = header[HeaderWord.PORTS] >>> 16;
        int dst = header[HeaderWord.PORTS] & 0xffff;
        b.ports(Field.SRC_PORT, src, src).ports(Field.DST_PORT, dst, dst);
        return new Rule(id, priority, b.build(), "exact", 0);
    }

    @Test
    void theOlderOrderStaysWhileRulesChange() {
        ChangingRules changing = new ChangingRules(TestSeed.of(12), Shape.IPV4_5_TUPLE, 60);
        for (int step = 0; step < 12; step++) {
            changing.replace(changing.below(4), changing.below(4));
        }
        RuleStory wild = changing.story("exact-wins-changing", 200);
        List<Rule> ever = new ArrayList<>(wild.rules());
        wild.updates().forEach(delta -> ever.addAll(delta.inserts()));
        int[] named = wordsNamed(ever);
        RuleHistory history = new RuleHistory(wild.rules());
        List<RuleDelta> deltas = new ArrayList<>();
        int overruled = 0;
        for (RuleDelta delta : wild.updates()) {
            int from = ENTRIES_A_DELTA * deltas.size();
            List<int[]> headers = wild.headers().subList(from, from + ENTRIES_A_DELTA);
            List<Rule> inserts = new ArrayList<>(delta.inserts());
            for (int[] header : headers) {
                inserts.add(
                        exactEntry(
                                1_000_000 + 100L * deltas.size() + inserts.size(),
                                0,
                                header,
                                named));
            }
            deltas.add(new RuleDelta(delta.removes(), inserts));
            history.apply(deltas.get(deltas.size() - 1));
            RuleSet now = history.ruleSet();
            for (int[] header : headers) {
                overruled += exactFirst(now, header) == FirstMatch.classify(now, header) ? 0 : 1;
            }
        }
        assertTrue(overruled > 20, "an exact entry overruled a better rule " + overruled);
        SameVerdicts.assertServed(
                RuleStory.of(wild.name(), wild.seed(), wild.rules(), deltas, wild.headers()),
                EngineSubject.of("exact-wins", OPTIONS.withGpu(GpuPool.Selection.OFF))
                        .rightIf(ExactFirstTest::exactFirst));
    }

    @Tag("story")
    @ParameterizedTest
    @MethodSource("dev.sluice.engine.testing.StoryFile#kept")
    void keptStoriesAreAnsweredInTheOlderOrder(Path file) throws Exception {
        RuleStory story = StoryFile.read(file);
        SameVerdicts.assertServed(story, compiled());
    }

    /** OpenFlow 0.8.9: the best exact entry, and only without one the best wildcard rule. */
    private static int exactFirst(RuleSet rules, int[] header) {
        boolean[] exact = exact(rules);
        int wildcard = VerdictBatch.MISS;
        for (int r = 0; r < rules.size(); r++) {
            if (rules.rules().get(r).match().matches(header)) {
                if (exact[r]) {
                    return r;
                }
                wildcard = wildcard == VerdictBatch.MISS ? r : wildcard;
            }
        }
        return wildcard;
    }

    /** Told word by word: an exact rule names every bit that any rule names, and no range. */
    private static boolean[] exact(RuleSet rules) {
        boolean[] exact = new boolean[rules.size()];
        Arrays.fill(exact, true);
        for (int w = 0; w < HeaderWord.COUNT; w++) {
            int named = 0;
            for (Rule rule : rules.rules()) {
                boolean ranges = w == HeaderWord.PORTS && rule.match().hasRange();
                named |= ranges ? -1 : rule.match().mask(w);
            }
            for (int r = 0; r < exact.length; r++) {
                Match match = rules.rules().get(r).match();
                exact[r] &= match.mask(w) == named && !match.hasRange();
            }
        }
        return exact;
    }
}
