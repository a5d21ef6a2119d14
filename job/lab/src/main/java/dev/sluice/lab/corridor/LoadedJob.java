package dev.sluice.lab.corridor;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sluice.job.cli.JsonOption;
import dev.sluice.job.kafka.KafkaAccess;
import dev.sluice.job.kafka.KafkaClients;
import dev.sluice.lab.kit.Durations;
import dev.sluice.lab.kit.LabProcess;
import dev.sluice.lab.kit.Samples;
import dev.sluice.lab.kit.TopicBound;
import dev.sluice.lab.kit.TopicTail;
import dev.sluice.lab.load.RuleLoad;
import dev.sluice.policy.io.SluiceException;
import dev.sluice.schemas.codec.Column;
import dev.sluice.schemas.codec.MalformedMessageException;
import dev.sluice.schemas.codec.VerdictBlock;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
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

    private static final double TRANSACTIONS_A_SECOND = 100;
    private static final long SECOND_NANOS = 1_000_000_000L;
    private static final long LOOK_MILLIS = 50;

    /** Most seconds of a rate that are not counted: the loader starts, its JIT compiler works. */
    private static final int MOST_WARM_SECONDS = 4;

    private final Site site;
    private final CorridorJob job;
    private final RuleLoad rules;
    private final Path trace;
    private final String topic;
    private final int seconds;
    private final CorridorJob.Running running;
    private final JobMetrics metrics;
    private final TopicTail verdicts;

    /** Counts the verdicts that come. */
    private volatile CountedVerdicts arrivals = CountedVerdicts.behindTheFirst(0, 0);

    /**
     * Starts the job, waits for its rules, and loads it for some seconds.
     *
     * @param rules that change where a load asks for it
     * @param topic of its packets, which is made
     * @param highest rate at which it will be loaded, headers a second
     * @param seconds for which each load counts
     */
    LoadedJob(
            Site site,
            CorridorJob job,
            RuleLoad rules,
            Path trace,
            String topic,
            double highest,
            int seconds)
            throws InterruptedException, IOException {
        this.site = site;
        this.job = job;
        this.rules = rules;
        this.trace = trace;
        this.topic = topic;
        this.seconds = seconds;
        String out = topic + "-verdicts";
        try (KafkaAccess access = new KafkaAccess(new KafkaClients(site.bootstrap))) {
            access.createTopics(List.of(bounded(topic), bounded(out)));
        }
        running = job.start(new CorridorJob.Track(site, topic, out, site.folder(topic)));
        metrics = running.metrics();
        verdicts = site.watch(out, false, message -> arrivals.take(read(message)));
        try {
            // What is loaded while large rules are compiled would be deleted before it is read.
            await(this::hasRules, null, () -> {});
            load(HEAT_SHARE * highest, Math.min(seconds, MOST_HEAT_SECONDS), 0);
        } catch (InterruptedException | RuntimeException e) {
            close();
            throw e;
        }
    }

    private boolean hasRules() throws InterruptedException {
        return metrics.read("min", "ruleSetVersion")[0] >= 1;
    }

    private NewTopic bounded(String name) {
        return KEPT.apply(
                new NewTopic(name, Optional.of(site.options.partitions()), Optional.empty()));
    }

    /**
     * Loads at a rate, and returns the record.
     *
     * @param size rules of each transaction that changes them; 0: they do not change
     */
    ObjectNode at(double rate, int size) throws InterruptedException {
        return load(rate, seconds, size);
    }

    private ObjectNode load(double rate, int time, int size) throws InterruptedException {
        while (arrivals.silentNanos() < SECOND_NANOS) { // what comes then, this load has sent
            verdicts.check();
            Thread.sleep(LOOK_MILLIS);
        }
        site.err.printf("bench: %,.0f headers/s for %d s%n", rate, time);
        site.err.flush();
        CountedVerdicts counted =
                CountedVerdicts.behindTheFirst(Math.min(MOST_WARM_SECONDS, time), time);
        arrivals = counted;
        ObjectNode record = JsonOption.object();
        try (LabProcess load = loader(rate, time)) {
            List<ProcessHandle> loader = List.of(load.handle());
            await(counted::begun, load, site.directory::requireSpace);
            Usage before = Usage.of(site);
            long loadedBefore = Usage.cpuNanos(loader);
            metrics.refresh();
            double[] lookedUp = metrics.lookedUp();
            double[] blocks = metrics.read("sum", "blocks", "blocksOverdue");
            try (RuleChanger changer =
                    size == 0 ? null : new RuleChanger(rules, size, size * TRANSACTIONS_A_SECOND)) {
                await(counted::over, load, site.directory::requireSpace);
                if (changer != null) {
                    record.put("changesPerSecond", changer.end());
                    NavigableMap<Long, Long> commits = rules.takeCommits();
                    record.put("transactions", commits.size());
                    counted.describe(commits, record);
                }
            }
            Usage used = Usage.of(site).since(before);
            long loaded = Usage.cpuNanos(loader) - loadedBefore;
            metrics.refresh();
            describe(record, rate, time, counted);
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
            used.describe(record, headers, "cpu", "brokerCpu");
            record.put("loaderCpuMicrosPerHeader", Usage.perHeader(loaded, headers) / 1e3);
        }
        return record;
    }

    private void describe(ObjectNode record, double rate, int time, CountedVerdicts counted) {
        record.put("maxDelayMicros", job.classify().maxDelayMicros());
        record.put("offeredMpps", rate / 1e6);
        record.put("judgedMpps", counted.total() / (time * 1e6));
        Durations delays = counted.delays();
        if (delays.count() > 0) { // else verdicts do not carry the times of their packets
            record.put("p50Millis", delays.percentile(50));
            record.put("p99Millis", delays.percentile(99));
            record.put("maxMillis", delays.max());
        }
        Samples rates = counted.windows().rates();
        record.put("slowestSecondMpps", rates.min() / 1e6);
        record.put("medianSecondMpps", rates.median() / 1e6);
        counted.windows().seconds().forEach(record.withArray("headersBySecond")::add);
    }

    /** The newest checkpoint, and pauses of tasks. */
    void describeCheckpoints(ObjectNode record) throws InterruptedException {
        metrics.describeCheckpoints(record);
    }

    /** Something that is waited for. */
    private interface Moment {
        boolean isThere() throws InterruptedException;
    }

    /**
     * Waits for a moment while all goes well.
     *
     * @param load that must not end before; null: none
     * @param eachSecond what takes too long to be done at every look
     */
    private void await(Moment moment, @Nullable LabProcess load, Runnable eachSecond)
            throws InterruptedException {
        long done = System.nanoTime();
        while (!moment.isThere()) {
            Thread.sleep(LOOK_MILLIS);
            verdicts.check();
            running.check().run();
            if (System.nanoTime() - done > SECOND_NANOS) {
                done = System.nanoTime();
                eachSecond.run();
            }
            if (load != null && !load.runs() && !moment.isThere()) {
                load.requireLine(); // its totals, or why it failed
                throw new SluiceException("the load of packets ended early");
            }
        }
    }

    private LabProcess loader(double rate, int time) {
        int shards = job.classify().shards();
        int producers = (int) Math.max(1, Math.min(shards, Math.ceil(rate / PRODUCER_RATE)));
        return LabProcess.sluice(
                site.directory.path().resolve("load.log"),
                site.options.loaderCores,
                LOADER_HEAP_MEGABYTES + producers * PRODUCER_HEAP_MEGABYTES,
                List.of(
                        "load",
                        "--trace",
                        trace.toString(),
                        "--bootstrap",
                        site.bootstrap,
                        "--packets-topic",
                        topic,
                        "--rate",
                        String.valueOf(Math.max(1, Math.round(rate))),
                        "--for",
                        time + 4 * MOST_WARM_SECONDS + "s",
                        "--producers",
                        String.valueOf(producers),
                        "--shards",
                        String.valueOf(shards),
                        "--block-size",
                        String.valueOf(CorridorOptions.BLOCK_SIZE)));
    }

    private static CountedVerdicts.Read read(ConsumerRecord<byte[], byte[]> message)
            throws MalformedMessageException {
        VerdictBlock block = VerdictBlock.decode(message.value());
        return new CountedVerdicts.Read(
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
        verdicts.close();
    }
}
