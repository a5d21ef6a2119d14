package dev.sluice.engine;

import dev.sluice.engine.lookup.Algorithm;
import dev.sluice.engine.lookup.Classifier;
import dev.sluice.engine.lookup.SampleHeaders;
import dev.sluice.engine.lookup.UnsupportedRulesException;
import dev.sluice.engine.lookup.VerdictBatch;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.engine.testing.RandomRules;
import dev.sluice.engine.testing.Served;
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

    /** Algorithm by its name: all of the registry, unless some are named. */
    @Param({})
    public String algorithm;

    /** Rules, of random prefixes, ports and protocols where the algorithm serves these. */
    @Param({"200"})
    public int rules;

    private Classifier classifier;
    private HeaderBatch headers;
    private final VerdictBatch verdicts = new VerdictBatch(BATCH);

    /** Compiles the rules and makes headers from them. */
    @Setup
    public void prepare() {
        EngineOptions options = EngineOptions.of(Algorithm.of(algorithm));
        RuleSet set = new RandomRules(1).ruleSet(RandomRules.Shape.PREFIXES, rules);
        try {
            classifier = Engine.compile(set, options);
        } catch (UnsupportedRulesException e) {
            RandomRules.Shape other = Served.shapeFor(Algorithm.parse(algorithm));
            set = new RandomRules(1).ruleSet(other, rules);
            classifier = Engine.compile(set, options);
        }
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
