package dev.sluice.engine.choice;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.sluice.engine.linear.LinearAlgorithm;
import dev.sluice.engine.lookup.Algorithm;
import dev.sluice.engine.lookup.AlgorithmOptions;
import dev.sluice.engine.lookup.Classifier;
import dev.sluice.engine.lookup.CompileContext;
import dev.sluice.engine.rules.RuleSet;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.IntToDoubleFunction;
import java.util.function.LongUnaryOperator;
import org.junit.jupiter.api.Test;

class CpuRatesTest {
    private static final RuleSet RULES = RuleSet.of("none", 0, RuleSet.DROP, List.of());

    /** Rates of one classifier whose runs, the first of which warms up, have these rates. */
    private static double rate(IntToDoubleFunction rateOfRun, AtomicInteger runs) {
        return rate(rateOfRun, runs, most -> 0);
    }

    private static double rate(
            IntToDoubleFunction rateOfRun, AtomicInteger runs, LongUnaryOperator rest) {
        CpuRates rates =
                new CpuRates(
                        (classifier, sample, nanos) ->
                                rateOfRun.applyAsDouble(runs.incrementAndGet()),
                        rest);
        return rates.rates(RULES, List.of(classifier()))[0];
    }

    private static Classifier classifier() {
        Algorithm linear = Algorithm.of(LinearAlgorithm.LABEL);
        CompileContext context =
                new CompileContext(
                        1 << 20,
                        AlgorithmOptions.DEFAULTS,
                        (rules, choice, own) -> {
                            throw new AssertionError("rules are passed on");
                        });
        return linear.open(linear.compile(RULES, context));
    }

    @Test
    void steadyRatesAreTakenAfterFewRounds() {
        AtomicInteger runs = new AtomicInteger();
        double rate = rate(run -> run % 2 == 0 ? 10 : 10.5, runs);
        assertEquals(10.5, rate);
        assertEquals(1 + 1 + 8, runs.get());
    }

    @Test
    void roundsGoOnWhileTheJitMakesARateRise() {
        AtomicInteger runs = new AtomicInteger();
        double rate = rate(run -> run < 15 ? 4 + 0.6 * run : 20, runs);
        assertEquals(20, rate);
        assertEquals(15 + 8, runs.get());
    }

    @Test
    void aRateThatRisesForEverIsTakenInTheEnd() {
        AtomicInteger runs = new AtomicInteger();
        double rate = rate(run -> Math.pow(2, run), runs);
        assertEquals(Math.pow(2, runs.get()), rate);
        assertEquals(1 + 24, runs.get());
    }

    @Test
    void roundsGoOnWhileTheJitIsAtWork() {
        AtomicInteger runs = new AtomicInteger();
        rate(run -> 10, runs, most -> runs.get() < 15 ? 1 : 0);
        assertEquals(15 + 8, runs.get());
    }

    @Test
    void aJitThatNeverRestsIsWaitedForSoLongAndNoLonger() {
        AtomicInteger runs = new AtomicInteger();
        AtomicLong waited = new AtomicLong();
        CpuRates rates =
                new CpuRates(
                        (classifier, sample, nanos) -> runs.incrementAndGet(),
                        most -> {
                            long wait = Math.min(most, 300_000_000);
                            waited.addAndGet(wait);
                            return Math.max(1, wait);
                        });
        rates.rates(RULES, List.of(classifier()));
        assertEquals(2_000_000_000, waited.get());
        assertEquals(1 + 24, runs.get());
        rates.rates(RULES, List.of(classifier()));
        assertEquals(2_500_000_000L, waited.get());
    }
}
