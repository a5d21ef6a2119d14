package dev.sluice.engine.lookup;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.engine.choice.CompileOptions;
import dev.sluice.engine.choice.Compiler;
import dev.sluice.engine.image.Image;
import dev.sluice.engine.rules.Match;
import dev.sluice.engine.rules.Rule;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.schemas.header.HeaderBatch;
import dev.sluice.schemas.header.HeaderWord;
import dev.sluice.schemas.testing.TestSeed;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** A flow cache that comes and goes with the traffic, by a clock that counts headers. */
class AdaptiveFlowCacheTest {
    private static final int BATCH = 256;
    private static final int TRIAL = 4 + 2 * 7;
    private static final AdaptiveFlowCache.Pace PACE = new AdaptiveFlowCache.Pace(8, 16, 64, 64);

    private final RuleSet rules = rules();
    private final Slow slow = new Slow(new Compiler(CompileOptions.DEFAULTS).context(), rules);
    private AdaptiveFlowCache cache = new AdaptiveFlowCache(slow, PACE, () -> slow.nanos);
    private final SplittableRandom random = new SplittableRandom(TestSeed.of(1));

    private static RuleSet rules() {
        List<Rule> rules = new ArrayList<>();
        for (int r = 0; r < 50; r++) {
            Match match = new Match.Builder().word(HeaderWord.IPV4_SRC, r, 0xff).build();
            rules.add(new Rule(r, 1, match, "drop", r + 1));
        }
        return RuleSet.of("fifty", 1, RuleSet.DROP, rules);
    }

    /** Linear search that takes 100 ns a header, by a clock of its own. */
    private static final class Slow implements Classifier {
        private final Classifier linear;
        long nanos;
        long headers;

        Slow(CompileContext context, RuleSet rules) {
            Algorithm algorithm = Algorithm.of("linear");
            linear = algorithm.open(algorithm.compile(rules, context));
        }

        @Override
        public void classify(HeaderBatch batch, VerdictBatch verdicts) {
            linear.classify(batch, verdicts);
            nanos += 100L * batch.size();
            headers += batch.size();
        }

        @Override
        public Image image() {
            return linear.image();
        }

        @Override
        public long bytes() {
            return linear.bytes();
        }
    }

    /** Looks batches up, each header of so many flows, and checks every answer. */
    private void run(int batches, int flows) {
        HeaderBatch headers = new HeaderBatch(rules.layout(), BATCH);
        VerdictBatch verdicts = new VerdictBatch(BATCH);
        int[] flow = new int[1];
        for (int b = 0; b < batches; b++) {
            headers.size(0);
            for (int i = 0; i < BATCH; i++) {
                flow[0] = random.nextInt(flows);
                headers.add(flow);
            }
            cache.classify(headers, verdicts);
            for (int i = 0; i < BATCH; i++) {
                int value = headers.words()[i] & 0xff;
                assertEquals(value < 50 ? value : VerdictBatch.MISS, verdicts.rule(i));
            }
        }
    }

    @Test
    void trafficOfFewFlowsTurnsItOn() {
        run(PACE.first() + TRIAL, 100);
        assertEquals(1, cache.turnedOn());
        long before = slow.headers;
        run(10, 100);
        assertTrue(slow.headers - before < BATCH, "nearly all come from the cache");
        assertTrue(cache.hitRate() > 0.3, () -> "" + cache.hitRate());
    }

    @Test
    void trafficThatDoesNotRepeatLeavesItOff() {
        run(2000, Integer.MAX_VALUE);
        assertEquals(0, cache.turnedOn());
        assertTrue(cache.hitRate() < 0.01, () -> "" + cache.hitRate());
        assertEquals(2000L * BATCH, slow.headers, "nothing is looked up twice");
    }

    @Test
    void itIsLeftWhenTrafficChangesAndComesBack() {
        run(100, 100);
        assertEquals(1, cache.turnedOn());
        run(100, Integer.MAX_VALUE);
        assertEquals(1, cache.turnedOff());
        run(2000, Integer.MAX_VALUE);
        assertEquals(1, cache.turnedOn());
        run(200, 100);
        assertEquals(2, cache.turnedOn());
        assertEquals(1, cache.turnedOff());
    }

    @Test
    void whatTakesItsPlaceGoesOnInUse() {
        run(PACE.first() + TRIAL, 100);
        for (int renewal = 1; renewal <= 3; renewal++) {
            cache = cache.next(slow);
            long before = slow.headers;
            run(10, 100);
            assertTrue(slow.headers - before < 2 * BATCH, "the first batch fills it");
        }
        assertEquals(1, cache.turnedOn());
        assertEquals(0, cache.turnedOff());
    }

    @Test
    void trialsOfNoUseStayRareWhateverTakesItsPlace() {
        run(2000, Integer.MAX_VALUE);
        int tried = 0;
        for (int renewal = 0; renewal < 50; renewal++) {
            cache = cache.next(slow);
            run(PACE.mostInterval() / 2, 100);
            tried += cache.turnedOn();
            assertTrue(tried <= 1, "tried anew with each renewal");
            if (tried == 1) {
                assertTrue(renewal >= 1, "tried at once");
                return;
            }
        }
        throw new AssertionError("never tried again");
    }

    @Test
    void aTrialThatItsCacheDoesNotSeeToTheEndIsOfNoAccount() {
        run(PACE.first() + TRIAL / 2, 100);
        cache = cache.next(slow);
        run(PACE.first() - 1, 100);
        assertEquals(0, cache.turnedOn());
        run(1 + TRIAL, 100);
        assertEquals(1, cache.turnedOn());
    }

    @Test
    void smallBatchesAreNotTriedWith() {
        HeaderBatch one = new HeaderBatch(rules.layout(), 1);
        one.add(new int[] {7});
        VerdictBatch verdict = new VerdictBatch(1);
        for (int b = 0; b < 1000; b++) {
            cache.classify(one, verdict);
            assertEquals(7, verdict.rule(0));
        }
        assertEquals(0, cache.turnedOn());
        assertEquals(1000, slow.headers);
    }
}
