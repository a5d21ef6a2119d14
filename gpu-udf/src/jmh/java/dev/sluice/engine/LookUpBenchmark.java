package dev.sluice.engine;

import dev.sluice.engine.lookup.Algorithm;
import dev.sluice.engine.lookup.Classifier;
import dev.sluice.engine.lookup.SampleHeaders;
import dev.sluice.engine.lookup.VerdictBatch;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.schemas.header.HeaderBatch;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/** The inner loop of each algorithm: nanoseconds a header in batches of 4,096. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 4, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
public class LookUpBenchmark {
    private static final int BATCH = 4096;

    /** Algorithm by its name. */
    @Param({
        "linear",
        "tuple",
        "merged-tuple",
        "bloom",
        "bitvector",
        "rfc",
        "bitmap-rfc",
        "hash-tree",
        "exact-first",
        "routes",
        "mask-filter",
        "forest",
        "pairs"
    })
    public String algorithm;

    /** Rules, of random prefixes, ports and protocols. */
    @Param({"200"})
    public int rules;

    private Classifier classifier;
    private HeaderBatch headers;
    private final VerdictBatch verdicts = new VerdictBatch(BATCH);

    /** Compiles the rules and makes headers from them. */
    @Setup
    public void prepare() {
        RandomRules.Shape shape =
                algorithm.equals("routes")
                        ? RandomRules.Shape.IPV4_ROUTES
                        : RandomRules.Shape.PREFIXES;
        RuleSet set = new RandomRules(1).ruleSet(shape, rules);
        classifier = Engine.compile(set, EngineOptions.of(Algorithm.of(algorithm)));
        headers = new SampleHeaders(set, 2).batch(set.layout(), BATCH);
    }

    /** One batch. */
    @Benchmark
    @OperationsPerInvocation(BATCH)
    public int[] batch() {
        classifier.classify(headers, verdicts);
        return verdicts.rules();
    }
}
