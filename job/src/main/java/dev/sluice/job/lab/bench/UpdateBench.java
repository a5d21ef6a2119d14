package dev.sluice.job.lab.bench;

import dev.sluice.engine.Engine;
import dev.sluice.engine.EngineOptions;
import dev.sluice.engine.rules.Rule;
import dev.sluice.engine.rules.RuleDelta;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.engine.update.LiveClassifier;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;

/** Measures single-rule updates: one after the other, each visible before the next. */
public final class UpdateBench {
    private static final long WARM_UP_NANOS = 1_500_000_000L;
    private static final long ROUND_NANOS = 500_000_000L;
    private static final int ROUNDS = 5;

    private final LiveClassifier live;
    private final List<RuleDelta> deltas = new ArrayList<>();
    private int next;

    private UpdateBench(LiveClassifier live, RuleSet rules) {
        this.live = live;
        // A rule goes, then comes back under its id: the size stays.
        SplittableRandom random = new SplittableRandom(9);
        for (int k = 0; k < Math.min(50_000, 4 * rules.size()); k++) {
            Rule rule = rules.rules().get(random.nextInt(rules.size()));
            deltas.add(RuleDelta.remove(rule.id()));
            deltas.add(RuleDelta.insert(rule));
        }
    }

    /**
     * What was measured.
     *
     * @param perSecond single-rule updates a second, median of rounds
     * @param bytes memory of all copies afterwards
     */
    public record Result(double perSecond, long bytes) {}

    /** Removes and inserts random rules of a set. */
    public static Result measure(RuleSet rules, EngineOptions options) {
        try (LiveClassifier live = Engine.live(rules, options)) {
            UpdateBench bench = new UpdateBench(live, rules);
            bench.round(WARM_UP_NANOS);
            double[] rates = new double[ROUNDS];
            for (int r = 0; r < ROUNDS; r++) {
                rates[r] = bench.round(ROUND_NANOS);
            }
            Arrays.sort(rates);
            return new Result(rates[ROUNDS / 2], live.bytes());
        }
    }

    private double round(long nanos) {
        long start = System.nanoTime();
        long done = 0;
        long elapsed;
        do {
            for (int k = 0; k < 200; k++) {
                live.apply(deltas.get(next));
                next = next + 1 == deltas.size() ? 0 : next + 1;
            }
            done += 200;
            elapsed = System.nanoTime() - start;
        } while (elapsed < nanos);
        return done * 1e9 / elapsed;
    }
}
