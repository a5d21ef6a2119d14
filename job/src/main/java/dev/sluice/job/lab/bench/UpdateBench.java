package dev.sluice.job.lab.bench;

import dev.sluice.engine.Engine;
import dev.sluice.engine.EngineOptions;
import dev.sluice.job.lab.inplace.InPlaceClassifier;
import dev.sluice.engine.lookup.Algorithm;
import dev.sluice.engine.lookup.CompileContext;
import dev.sluice.engine.rules.Rule;
import dev.sluice.engine.rules.RuleDelta;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.job.UsageException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/** Measures single-rule updates: one after the other, each visible before the next. */
public final class UpdateBench {
    private static final long WARM_UP_NANOS = 1_500_000_000L;
    private static final long ROUND_NANOS = 500_000_000L;
    private static final int ROUNDS = 5;

    /** How rules change. */
    public enum Way {
        /** By versions, through the engine's door. */
        VERSIONS,
        /** In two copies of the algorithm's structure. */
        IN_PLACE
    }

    private final Consumer<RuleDelta> updated;
    private final List<RuleDelta> deltas = new ArrayList<>();
    private int next;

    private UpdateBench(Consumer<RuleDelta> updated, RuleSet rules) {
        this.updated = updated;
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
     * @param way how rules changed
     * @param perSecond single-rule updates a second, median of rounds
     * @param bytes memory of rules and changes, or of both copies, afterwards
     */
    public record Result(Way way, double perSecond, long bytes) {}

    /**
     * Throws unless an algorithm changes rules in this way.
     *
     * @throws UsageException naming the algorithms that do
     */
    static void requirePossible(
            Way way, RuleSet rules, Algorithm algorithm, EngineOptions options) {
        CompileContext context = context(options);
        if (way == Way.IN_PLACE && !changesInPlace(rules, algorithm, context)) {
            throw new UsageException(
                    "--updates in-place: %s does not change these rules in place; give --algorithm one of %s"
                            .formatted(
                                    algorithm.label(),
                                    Algorithm.all().stream()
                                            .filter(a -> changesInPlace(rules, a, context))
                                            .map(Algorithm::label)
                                            .collect(Collectors.joining(", "))));
        }
    }

    /** Whether an algorithm changes these rules in place. */
    static boolean changesInPlace(RuleSet rules, Algorithm algorithm, EngineOptions options) {
        return changesInPlace(rules, algorithm, context(options));
    }

    private static boolean changesInPlace(
            RuleSet rules, Algorithm algorithm, CompileContext context) {
        return algorithm.inPlace(rules, rules.layout(), context).isPresent();
    }

    private static CompileContext context(EngineOptions options) {
        return CompileContext.of(options.budgetBytes(), options.tuning());
    }

    /** Removes and inserts random rules of a set. */
    static Result measure(Way way, RuleSet rules, Algorithm algorithm, EngineOptions options) {
        return way == Way.IN_PLACE
                ? inPlace(rules, algorithm, options)
                : atTheDoor(rules, options.withAlgorithm(algorithm));
    }

    private static Result inPlace(RuleSet rules, Algorithm algorithm, EngineOptions options) {
        InPlaceClassifier live =
                new InPlaceClassifier(rules, rules.layout(), algorithm, context(options));
        double rate = new UpdateBench(live::apply, rules).rate();
        return new Result(Way.IN_PLACE, rate, live.bytes());
    }

    private static Result atTheDoor(RuleSet rules, EngineOptions options) {
        try (Engine engine = Engine.open(rules, options)) {
            double rate =
                    new UpdateBench(
                                    delta ->
                                            engine.apply(engine.current().number() + 1, delta)
                                                    .close(),
                                    rules)
                            .rate();
            return new Result(Way.VERSIONS, rate, engine.current().bytes());
        }
    }

    private double rate() {
        round(WARM_UP_NANOS);
        double[] rates = new double[ROUNDS];
        for (int r = 0; r < ROUNDS; r++) {
            rates[r] = round(ROUND_NANOS);
        }
        Arrays.sort(rates);
        return rates[ROUNDS / 2];
    }

    private double round(long nanos) {
        long start = System.nanoTime();
        long done = 0;
        long elapsed;
        do {
            for (int k = 0; k < 200; k++) {
                updated.accept(deltas.get(next));
                next = next + 1 == deltas.size() ? 0 : next + 1;
            }
            done += 200;
            elapsed = System.nanoTime() - start;
        } while (elapsed < nanos);
        return done * 1e9 / elapsed;
    }
}
