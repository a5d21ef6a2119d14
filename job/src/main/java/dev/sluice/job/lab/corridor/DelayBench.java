package dev.sluice.job.lab.corridor;

import dev.sluice.job.SluiceException;
import dev.sluice.job.graph.LocalFlink;
import dev.sluice.job.kafka.KafkaAccess;
import dev.sluice.job.kafka.KafkaClients;
import dev.sluice.job.kafka.TopicBound;
import dev.sluice.job.replay.TemporaryDirectory;
import dev.sluice.job.watch.JobMetric;
import dev.sluice.schemas.codec.Column;
import dev.sluice.schemas.codec.MalformedMessageException;
import dev.sluice.schemas.codec.VerdictBlock;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.apache.flink.configuration.Configuration;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * Measures how long verdicts take while packets come at set rates, by {@code sluice load} in a
 * process of its own. Packets carry the time of their sending, which their verdicts carry on; a
 * verdict's Kafka message has the time at which it left the job.
 */
final class DelayBench {
    /** What a partition of verdicts keeps: they are of no use once they were read. */
    private static final TopicBound VERDICTS = new TopicBound(512L << 20);

    private static final int LOADER_HEAP_MEGABYTES = 256;

    /** More of it for each producer, whose buffer has 32. */
    private static final int PRODUCER_HEAP_MEGABYTES = 64;

    /** Most seconds of load before what is measured. */
    private static final int MOST_HEAT_SECONDS = 30;

    /**
     * That load's share of the highest rate, which code that is not compiled yet does not reach: it
     * would fall behind by more than its topic keeps.
     */
    private static final double HEAT_SHARE = 0.6;

    /**
     * Headers a second that one producer of a load is to send at most: a broker takes one request
     * of a producer after the other.
     */
    private static final double PRODUCER_RATE = 5e6;

    private static final long SECOND_NANOS = 1_000_000_000L;
    private static final long LOOK_MILLIS = 50;

    /** Most seconds of a rate that are not counted: the loader starts, its JIT compiler works. */
    private static final int MOST_WARM_SECONDS = 4;

    private final SluiceContender job;
    private final CorridorBench.Plan plan;
    private final Site broker;
    private final Path trace;
    private final TemporaryDirectory directory;
    private final PrintWriter err;

    /** Jobs that were measured: each has topics of its own. */
    private int measured;

    /** Takes the verdicts that come. */
    private volatile RateRun current = new RateRun(0, 0);

    DelayBench(
            SluiceContender job,
            CorridorBench.Plan plan,
            Site broker,
            Path trace,
            TemporaryDirectory directory,
            PrintWriter err) {
        this.job = job;
        this.plan = plan;
        this.broker = broker;
        this.trace = trace;
        this.directory = directory;
        this.err = err;
    }

    /**
     * Measures one job at several rates, after some seconds at more than half of the highest.
     *
     * @param maxDelayMicros how long after its first header a batch's verdicts are to leave
     * @param rates headers a second
     * @param seconds of each
     */
    List<Delay> measure(long maxDelayMicros, List<Double> rates, int seconds) throws Exception {
        String topic = "delay-" + ++measured;
        String verdicts = topic + "-verdicts";
        createTopics(topic, verdicts);
        Path folder = Files.createDirectories(directory.path().resolve(topic));
        Contender.Track track =
                new Contender.Track(
                        broker.bootstrap(),
                        topic,
                        verdicts,
                        plan.parallelism(),
                        plan.checkpoints(),
                        folder);
        Configuration config = LocalFlink.configuration(folder);
        int port = FlinkRest.offer(config);
        List<Delay> delays = new ArrayList<>();
        double highest = rates.stream().mapToDouble(Double::doubleValue).max().orElseThrow();
        double heat = HEAT_SHARE * highest;
        int warm = Math.min(seconds, MOST_HEAT_SECONDS);
        current = new RateRun(warm(warm), warm);
        try (VerdictReaders readers =
                        new VerdictReaders(
                                broker.bootstrap(),
                                verdicts,
                                false,
                                plan.parallelism(),
                                DelayBench::read,
                                messages -> current.take(messages));
                LocalFlink flink = job.withMaxDelay(maxDelayMicros).start(track, config)) {
            FlinkRest rest = new FlinkRest(port, flink.jobId());
            awaitRules(readers, flink);
            at(maxDelayMicros, heat, warm, topic, readers, flink, rest);
            for (double rate : rates) {
                awaitSilence(readers);
                delays.add(at(maxDelayMicros, rate, seconds, topic, readers, flink, rest));
            }
        }
        return delays;
    }

    /** What is loaded while large rules are compiled would be deleted before it is read. */
    private static void awaitRules(VerdictReaders readers, LocalFlink flink)
            throws InterruptedException {
        while (flink.figures().number(JobMetric.VERSION) < 1) {
            readers.requireReading();
            flink.requireRunning();
            Thread.sleep(LOOK_MILLIS);
        }
    }

    private void createTopics(String packets, String verdicts) {
        try (KafkaAccess access = new KafkaAccess(new KafkaClients(broker.bootstrap()))) {
            access.createTopics(
                    List.of(bounded(packets, plan.keep()), bounded(verdicts, VERDICTS)));
        }
    }

    private NewTopic bounded(String name, TopicBound bound) {
        return bound.apply(new NewTopic(name, Optional.of(plan.partitions()), Optional.empty()));
    }

    private Delay at(
            long maxDelayMicros,
            double rate,
            int seconds,
            String topic,
            VerdictReaders readers,
            LocalFlink flink,
            FlinkRest rest)
            throws Exception {
        err.printf(
                "bench: %,.0f headers/s for %d s, batches wait %,d us at most%n",
                rate, seconds, maxDelayMicros);
        err.flush();
        RateRun run = new RateRun(warm(seconds), seconds);
        current = run;
        UsageMeter meter = new UsageMeter(broker.brokers(), broker.workers());
        Usage used;
        long loaded;
        double p50;
        double p99;
        double overdue;
        double fill;
        double deviceShare;
        try (SluiceProcess load = load(topic, rate, seconds)) {
            List<ProcessHandle> loader = List.of(load.handle());
            await(run::begun, readers, flink, load, directory::requireSpace);
            Usage before = meter.read();
            long loadedBefore = ProcessCpu.nanos(loader);
            rest.refresh();
            FlinkRest.LookedUp lookedUpBefore = rest.lookedUp();
            FlinkRest.Blocks blocksBefore = rest.blocks();
            await(
                    run::over,
                    readers,
                    flink,
                    load,
                    () -> {
                        directory.requireSpace();
                        meter.read(); // of threads that end before the last reading
                    });
            used = meter.read().since(before);
            loaded = ProcessCpu.nanos(loader) - loadedBefore;
            rest.refresh();
            p50 = rest.metric("classify", "blockMicros_median", "max");
            p99 = rest.metric("classify", "blockMicros_p99", "max");
            overdue = rest.blocks().overdueSince(blocksBefore);
            fill = rest.metric("classify", "batchFill", "avg");
            deviceShare = rest.lookedUp().deviceShareSince(lookedUpBefore);
        }
        return new Delay(
                maxDelayMicros,
                rate,
                run.windows().total() / run.seconds(),
                run.windows(),
                run.delays(),
                p50,
                p99,
                overdue,
                fill,
                deviceShare,
                used,
                loaded);
    }

    /** Waits until no verdicts come: what comes then, the next load has sent. */
    private void awaitSilence(VerdictReaders readers) throws InterruptedException {
        while (current.silentNanos() < SECOND_NANOS) {
            readers.requireReading();
            Thread.sleep(LOOK_MILLIS);
        }
    }

    /**
     * Waits for a moment while all goes well.
     *
     * @param eachSecond what takes too long to be done at every look
     */
    private static void await(
            BooleanSupplier moment,
            VerdictReaders readers,
            LocalFlink flink,
            SluiceProcess load,
            Runnable eachSecond)
            throws InterruptedException {
        long done = System.nanoTime();
        while (!moment.getAsBoolean()) {
            Thread.sleep(LOOK_MILLIS);
            readers.requireReading();
            flink.requireRunning();
            if (System.nanoTime() - done > SECOND_NANOS) {
                done = System.nanoTime();
                eachSecond.run();
            }
            if (!load.runs() && !moment.getAsBoolean()) {
                load.line(); // its totals, or why it failed
                throw new SluiceException("the load of packets ended early");
            }
        }
    }

    private SluiceProcess load(String topic, double rate, int seconds) {
        int producers = producers(rate, job.classify().shards());
        return new SluiceProcess(
                directory.path().resolve("load.log"),
                LOADER_HEAP_MEGABYTES + producers * PRODUCER_HEAP_MEGABYTES,
                plan.loaderCores(),
                List.of(
                        "load",
                        "--trace",
                        trace.toString(),
                        "--bootstrap",
                        broker.bootstrap(),
                        "--packets-topic",
                        topic,
                        "--rate",
                        String.valueOf(Math.max(1, Math.round(rate))),
                        "--for",
                        seconds + 4 * MOST_WARM_SECONDS + "s",
                        "--producers",
                        String.valueOf(producers),
                        "--shards",
                        String.valueOf(job.classify().shards()),
                        "--block-size",
                        String.valueOf(plan.blockSize())));
    }

    /** Producers that can send a rate. */
    static int producers(double rate, int shards) {
        return (int) Math.max(1, Math.min(shards, Math.ceil(rate / PRODUCER_RATE)));
    }

    private static int warm(int seconds) {
        return Math.min(MOST_WARM_SECONDS, seconds);
    }

    private static VerdictReaders.Read read(ConsumerRecord<byte[], byte[]> message)
            throws MalformedMessageException {
        VerdictBlock block = VerdictBlock.decode(message.value());
        return new VerdictReaders.Read(
                message.timestamp(), block.count(), message.value().length, sentMillis(block));
    }

    /** When the last packet was sent; 0 if the block names its packets instead. */
    private static long sentMillis(VerdictBlock block) {
        Column times = block.times();
        if (times != null && block.count() > 0) {
            return TimeUnit.NANOSECONDS.toMillis(times.get(block.count() - 1));
        }
        if (block.place() == null) {
            throw new SluiceException("verdicts without the times of their packets");
        }
        return 0;
    }
}
