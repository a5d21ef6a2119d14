package dev.sluice.lab.bench;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sluice.engine.Engine;
import dev.sluice.engine.EngineFigures;
import dev.sluice.engine.EngineOptions;
import dev.sluice.engine.lookup.Algorithm;
import dev.sluice.engine.lookup.PendingVerdicts;
import dev.sluice.engine.lookup.VerdictBatch;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.lab.backend.Classified;
import dev.sluice.lab.generate.Answers;
import dev.sluice.lab.kit.Meter;
import dev.sluice.lab.kit.Samples;
import dev.sluice.policy.ExpectedAnswers;
import dev.sluice.policy.HeaderTrace;
import dev.sluice.policy.RuleFile;
import dev.sluice.schemas.header.HeaderBatch;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.DoubleSupplier;
import java.util.stream.IntStream;

/** Runs the engine alone on a header trace: warmed up, then measured in rounds. */
public final class EngineBench implements AutoCloseable {
    private static final long ROUND_NANOS = 300_000_000L;
    private static final long WARM_UP_NANOS = 2_000_000_000L;

    private final RuleFile file;
    private final Engine engine;
    private final double buildSeconds;

    /** Headers of all rounds. */
    private final LongAdder lookedUp = new LongAdder();

    /**
     * Result of a measurement.
     *
     * @param algorithm the algorithm of the CPU
     * @param rates million headers a second of each round
     * @param buildSeconds time of the build that was used
     * @param imageBytes size of the image
     * @param classified who looked the headers of these rounds up
     */
    public record Result(
            Algorithm algorithm,
            Samples rates,
            double buildSeconds,
            long imageBytes,
            Classified classified) {
        /** Returns the median rate, in million headers a second. */
        public double mpps() {
            return rates.median();
        }

        /** Adds algorithm, rates, build and memory to a record. */
        public void describe(ObjectNode record) {
            record.put("algorithm", algorithm.label());
            rates.describe(record, "mpps");
            record.put("buildSeconds", buildSeconds);
            record.put("imageBytes", imageBytes);
        }
    }

    /**
     * How long a measurement takes.
     *
     * @param warmUpNanos of look-ups that are not counted
     * @param rounds that are
     * @param roundNanos of one of them
     * @param underWay batches that each thread has handed over before it waits for the first of
     *     them: what the CPU looks up is there at once, a device works on the others meanwhile
     */
    public record Pace(long warmUpNanos, int rounds, long roundNanos, int underWay) {
        static Pace of(int rounds) {
            return new Pace(WARM_UP_NANOS, rounds, ROUND_NANOS, 1);
        }

        /** The same with so many batches under way. */
        public Pace withUnderWay(int batches) {
            return new Pace(warmUpNanos, rounds, roundNanos, batches);
        }
    }

    /**
     * Opens an engine with the rules of a file.
     *
     * @param options where they allow devices and there are some, the first takes every batch for
     *     which a staging buffer is free; the CPU takes the others
     */
    public EngineBench(RuleFile file, EngineOptions options) {
        this(file, Engine.open(options.withOffload(options.offload().decided()), 0));
    }

    private EngineBench(RuleFile file, Engine opened) {
        this.file = file;
        this.engine = opened;
        RuleSet rules = file.toRuleSet("bench", 1, RuleSet.DROP);
        try {
            engine.load(rules).close(); // the engine holds it
        } catch (RuntimeException | Error e) {
            engine.close();
            throw e;
        }
        this.buildSeconds = engine.current().buildNanos() / 1e9;
    }

    /**
     * Opens an engine as a job has it: a device takes the batches for which it is measured to be
     * faster than the CPU.
     */
    public static EngineBench asInAJob(RuleFile file, EngineOptions options) {
        return new EngineBench(file, Engine.open(options, 0));
    }

    /** Returns the engine, which has the rules in force. */
    public Engine engine() {
        return engine;
    }

    @Override
    public void close() {
        engine.close();
    }

    /** Times the look-ups of a trace's headers by the clock on the wall. */
    public Result measure(HeaderTrace trace, int threads, int batchSize, int rounds) {
        return measure(trace, threads, batchSize, Pace.of(rounds));
    }

    /** Times the look-ups of a trace's headers by the clock on the wall, at a pace. */
    public Result measure(HeaderTrace trace, int threads, int batchSize, Pace pace) {
        List<HeaderBatch> batches = trace.batches(engine.current().layout(), batchSize);
        ExecutorService pool = Executors.newFixedThreadPool(threads);
        try {
            round(pool, threads, batches, pace, pace.warmUpNanos);
            EngineFigures before = engine.figures();
            long headersBefore = lookedUp.sum();
            DoubleSupplier counted = () -> round(pool, threads, batches, pace, pace.roundNanos);
            Samples rates = new Meter(0, pace.rounds).measure(counted);
            return new Result(
                    engine.current().algorithm(),
                    rates,
                    buildSeconds,
                    engine.current().bytes(),
                    Classified.between(before, engine.figures(), lookedUp.sum() - headersBefore));
        } finally {
            pool.shutdownNow();
        }
    }

    /** M headers a second over all threads, each of which passes over the whole trace. */
    private double round(
            ExecutorService pool, int threads, List<HeaderBatch> batches, Pace pace, long nanos) {
        return Meter.together(
                pool,
                threads,
                thread -> {
                    Queue queue = new Queue(pace.underWay, batches.get(0).capacity());
                    long begin = System.nanoTime();
                    long headers = 0;
                    do {
                        for (HeaderBatch batch : batches) {
                            queue.add(batch);
                            headers += batch.size();
                        }
                    } while (System.nanoTime() - begin < nanos);
                    queue.end();
                    lookedUp.add(headers);
                    return headers * 1e3 / (System.nanoTime() - begin);
                });
    }

    /** The batches that a thread has under way, the eldest first. */
    private final class Queue {
        private final VerdictBatch[] rooms;
        private final PendingVerdicts[] pending;
        private int next;

        Queue(int most, int capacity) {
            rooms = new VerdictBatch[most];
            pending = new PendingVerdicts[most];
            for (int i = 0; i < most; i++) {
                rooms[i] = new VerdictBatch(capacity);
                pending[i] = PendingVerdicts.READY;
            }
        }

        /** Hands a batch over, once the eldest has its verdicts. */
        void add(HeaderBatch batch) {
            pending[next].await();
            pending[next] = engine.current().submit(batch, rooms[next]);
            next = (next + 1) % rooms.length;
        }

        /** Waits for all. */
        void end() {
            for (int i = 0; i < rooms.length; i++) {
                pending[(next + i) % rooms.length].await();
            }
        }
    }

    /**
     * Compares the verdicts on a trace with expected answers.
     *
     * @param expectFile one 0-based rule index a line, -1 for a miss
     * @return how many differ
     */
    public long countWrong(HeaderTrace trace, Path expectFile) {
        int[] expected = ExpectedAnswers.read(expectFile, trace.size());
        int[] answers = answers(trace);
        return IntStream.range(0, answers.length).filter(i -> answers[i] != expected[i]).count();
    }

    /** For each header of a trace the 0-based index of its rule among the file's rules, or -1. */
    public int[] answers(HeaderTrace trace) {
        return Answers.indexes(
                file,
                engine.current().rules(),
                Answers.positions(engine.current().layout(), engine::classify, trace));
    }
}
