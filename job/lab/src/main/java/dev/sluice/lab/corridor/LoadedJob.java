package dev.sluice.lab.corridor;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sluice.job.cli.JsonOption;
import dev.sluice.job.kafka.KafkaAccess;
import dev.sluice.job.kafka.KafkaClients;
import dev.sluice.job.kafka.TopicBound;
import dev.sluice.job.replay.TemporaryDirectory;
import dev.sluice.job.watch.JobMetric;
import dev.sluice.lab.kit.Durations;
import dev.sluice.lab.kit.LabProcess;
import dev.sluice.lab.load.RuleLoad;
import dev.sluice.policy.io.SluiceException;
import dev.sluice.schemas.codec.Column;
import dev.sluice.schemas.codec.MalformedMessageException;
import dev.sluice.schemas.codec.VerdictBlock;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;

/**
 * The job in this process while {@code sluice load}, in a process of its own, sends packets at set
 * rates. Packets carry the time of their sending, which their verdicts carry on; the Kafka message
 * of verdicts has the time at which it left the job.
 */
final class LoadedJob implements AutoCloseable {
    /** Bound of a partition: packets and verdicts are of no use once they were read. */
    private static final TopicBound KEPT = new TopicBound(512L << 20);

    private static final int LOADER_HEAP_MEGABYTES = 256;

    /** More of it for each producer, whose buffer has 32. */
    private static final int PRODUCER_HEAP_MEGABYTES = 64;

    /** Most seconds of load before what is measured. */
    private static final int MOST_HEAT_SECONDS = 30;

    /**
     * Share of the highest rate of that load: code that is not compiled yet does not reach all of
     * it, and would fall behind by more than its topic keeps.
     */
    private static final double HEAT_SHARE = 0.6;

    /** Headers a second that one producer of a load is to send at most. */
    private static final double PRODUCER_RATE = 5e6;

    private static final long SECOND_NANOS = 1_000_000_000L;
    private static final long LOOK_MILLIS = 50;

    /** Most seconds of a rate that are not counted: the loader starts, its JIT compiler works. */
    private static final int MOST_WARM_SECONDS = 4;

    private final CorridorPlan plan;
    private final Site site;
    private final Path trace;
    private final TemporaryDirectory directory;
    private final PrintWriter err;
    private final SluiceContender job;
    private final String topic;
    private final SluiceContender.Here running;
    private final VerdictReaders readers;

    /** Counts the verdicts that come. */
    private volatile Arrivals arrivals = Arrivals.behindTheFirst(0, 0);

    /**
     * Starts the job, waits for its rules, and loads it for some seconds.
     *
     * @param topic of its packets, which is made
     * @param highest rate at which it will be loaded, headers a second
     * @param seconds for which it will be
     */
    LoadedJob(
            CorridorPlan plan,
            Site site,
            SluiceContender job,
            Path trace,
            String topic,
            double highest,
            int seconds,
            TemporaryDirectory directory,
            PrintWriter err)
            throws InterruptedException, IOException {
        this.plan = plan;
        this.site = site;
        this.trace = trace;
        this.directory = directory;
        this.err = err;
        this.job = job;
        this.topic = topic;
        String verdicts = topic + "-verdicts";
        try (KafkaAccess access = new KafkaAccess(new KafkaClients(site.bootstrap()))) {
            access.createTopics(List.of(bounded(topic), bounded(verdicts)));
        }
        Path folder = Files.createDirectories(directory.path().resolve(topic));
        running =
                job.startHere(
                        new Contender.Track(
                                site,
                                topic,
                                verdicts,
                                plan.parallelism(),
                                plan.checkpoints(),
                                folder));
        readers =
                new VerdictReaders(
                        site.bootstrap(),
                        verdicts,
                        false,
                        plan.parallelism(),
                        LoadedJob::read,
                        messages -> arrivals.take(messages));
        try {
            // What is loaded while large rules are compiled would be deleted before it is read.
            await(() -> running.flink().figures().number(JobMetric.VERSION) >= 1, null, () -> {});
            at(HEAT_SHARE * highest, Math.min(seconds, MOST_HEAT_SECONDS));
        } catch (InterruptedException | RuntimeException e) {
            close();
            throw e;
        }
    }

    private NewTopic bounded(String name) {
        return KEPT.apply(new NewTopic(name, Optional.of(plan.partitions()), Optional.empty()));
    }

    /** Loads at a rate, and returns the record. */
    ObjectNode at(double rate, int seconds) throws InterruptedException {
        return at(rate, seconds, null, 0, 0);
    }

    /**
     * Loads at a rate while rules change, and returns the record.
     *
     * @param rules that change; null: none
     * @param size rules of a transaction
     * @param perSecond rules a second
     */
    ObjectNode at(double rate, int seconds, @Nullable RuleLoad rules, int size, double perSecond)
            throws InterruptedException {
        while (arrivals.silentNanos() < SECOND_NANOS) { // what comes then, this load has sent
            readers.check();
            Thread.sleep(LOOK_MILLIS);
        }
        err.printf("bench: %,.0f headers/s for %d s%n", rate, seconds);
        err.flush();
        Arrivals counted = Arrivals.behindTheFirst(Math.min(MOST_WARM_SECONDS, seconds), seconds);
        arrivals = counted;
        UsageMeter meter = new UsageMeter(site);
        ObjectNode record = JsonOption.object();
        JobMetrics metrics = running.metrics();
        NavigableMap<Long, Long> commits = new TreeMap<>();
        try (LabProcess load = load(rate, seconds)) {
            List<ProcessHandle> loader = List.of(load.handle());
            await(counted::begun, load, directory::requireSpace);
            Usage before = meter.read();
            long loadedBefore = UsageMeter.cpuNanos(loader);
            metrics.refresh();
            double[] lookedUp = metrics.lookedUp();
            double[] blocks = metrics.read("sum", "blocks", "blocksOverdue");
            try (RuleChanger changer =
                    rules == null ? null : new RuleChanger(rules, size, size, perSecond)) {
                await(
                        counted::over,
                        load,
                        () -> {
                            directory.requireSpace();
                            meter.read(); // of threads that end before the last reading
                        });
                record.put("changesPerSecond", changer == null ? 0 : changer.end());
                commits.putAll(rules == null ? Map.of() : rules.takeCommits());
            }
            Usage used = meter.read().since(before);
            long loaded = UsageMeter.cpuNanos(loader) - loadedBefore;
            metrics.refresh();
            describe(record, rate, seconds, counted);
            double[] micros = metrics.read("max", "blockMicros_median", "blockMicros_p99");
            record.put("operatorP50Micros", micros[0]);
            record.put("operatorP99Micros", micros[1]);
            double[] after = metrics.read("sum", "blocks", "blocksOverdue");
            double overdue = (after[1] - blocks[1]) / (after[0] - blocks[0]);
            if (Double.isFinite(overdue)) {
                record.put("overdueShare", Math.min(1, overdue));
            }
            record.put("batchFill", metrics.read("avg", "batchFill")[0]);
            record.put("gpuShare", metrics.deviceShare(lookedUp));
            long headers = counted.total();
            used.describe(record, headers, "cpuMicrosPerHeader", "brokerCpuMicrosPerHeader");
            record.put("loaderCpuMicrosPerHeader", Usage.perHeader(loaded, headers) / 1e3);
            Usage.describe(
                    record.putObject("cpuNanosPerHeaderByGroup"), used.cpuByGroup(), headers);
            record.put("collections", used.collections());
            record.put("collectionMillis", used.collectionMillis());
        }
        if (rules != null) {
            record.put("transactions", commits.size());
            counted.describe(commits, record);
        }
        return record;
    }

    private void describe(ObjectNode record, double rate, int seconds, Arrivals counted) {
        record.put("maxDelayMicros", job.classify().maxDelayMicros());
        record.put("offeredMpps", rate / 1e6);
        record.put("judgedMpps", counted.total() / (seconds * 1e6));
        Durations delays = counted.delays();
        if (delays.count() > 0) { // else verdicts do not carry the times of their packets
            record.put("p50Millis", delays.percentile(50));
            record.put("p99Millis", delays.percentile(99));
            record.put("maxMillis", delays.max());
        }
        record.put("slowestSecondMpps", counted.windows().quantile(0) / 1e6);
        record.put("medianSecondMpps", counted.windows().quantile(0.5) / 1e6);
        counted.windows().seconds().forEach(record.withArray("headersBySecond")::add);
    }

    /** The newest checkpoint's size in bytes and time in ms. */
    void describeCheckpoint(ObjectNode record) throws InterruptedException {
        var checkpoint = running.metrics().newestCheckpoint();
        record.put("checkpointBytes", checkpoint.path("state_size").asLong());
        record.put("checkpointDurationMillis", checkpoint.path("end_to_end_duration").asLong());
    }

    /**
     * Waits for a moment while all goes well.
     *
     * @param load that must not end before; null: none
     * @param eachSecond what takes too long to be done at every look
     */
    private void await(BooleanSupplier moment, @Nullable LabProcess load, Runnable eachSecond)
            throws InterruptedException {
        long done = System.nanoTime();
        while (!moment.getAsBoolean()) {
            Thread.sleep(LOOK_MILLIS);
            readers.check();
            running.requireRunning();
            if (System.nanoTime() - done > SECOND_NANOS) {
                done = System.nanoTime();
                eachSecond.run();
            }
            if (load != null && !load.runs() && !moment.getAsBoolean()) {
                load.requireLine(); // its totals, or why it failed
                throw new SluiceException("the load of packets ended early");
            }
        }
    }

    private LabProcess load(double rate, int seconds) {
        int shards = job.classify().shards();
        int producers = (int) Math.max(1, Math.min(shards, Math.ceil(rate / PRODUCER_RATE)));
        return LabProcess.sluice(
                directory.path().resolve("load.log"),
                plan.loaderCores(),
                LOADER_HEAP_MEGABYTES + producers * PRODUCER_HEAP_MEGABYTES,
                List.of(
                        "load",
                        "--trace",
                        trace.toString(),
                        "--bootstrap",
                        site.bootstrap(),
                        "--packets-topic",
                        topic,
                        "--rate",
                        String.valueOf(Math.max(1, Math.round(rate))),
                        "--for",
                        seconds + 4 * MOST_WARM_SECONDS + "s",
                        "--producers",
                        String.valueOf(producers),
                        "--shards",
                        String.valueOf(shards),
                        "--block-size",
                        String.valueOf(plan.blockSize())));
    }

    private static VerdictReaders.Read read(ConsumerRecord<byte[], byte[]> message)
            throws MalformedMessageException {
        VerdictBlock block = VerdictBlock.decode(message.value());
        return new VerdictReaders.Read(
                message.timestamp(),
                block.count(),
                message.value().length,
                sentMillis(block),
                block.version());
    }

    /**
     * Returns the time at which the last packet was sent; 0 if the block names its packets instead.
     */
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

    @Override
    public void close() {
        running.close();
        readers.close();
    }
}
