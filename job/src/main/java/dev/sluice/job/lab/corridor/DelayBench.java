package dev.sluice.job.lab.corridor;

import dev.sluice.job.SluiceException;
import dev.sluice.job.graph.LocalFlink;
import dev.sluice.job.kafka.KafkaAccess;
import dev.sluice.job.kafka.TopicBound;
import dev.sluice.job.kafka.TopicReader;
import dev.sluice.schemas.codec.Column;
import dev.sluice.schemas.codec.MalformedMessageException;
import dev.sluice.schemas.codec.VerdictBlock;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.MetricOptions;
import org.apache.flink.configuration.RestOptions;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * Measures how long verdicts take while packets come at set rates, by {@code sluice load} in a
 * process of its own. Packets carry the time of their sending, which their verdicts carry on; a
 * verdict's Kafka message has the time at which it left the job.
 */
final class DelayBench {
    /**
     * What a topic keeps of a partition: packets and verdicts are of no use once they were read.
     */
    private static final long KEPT_BYTES = 512L << 20;

    private static final int LOADER_HEAP_MEGABYTES = 512;

    /** Most seconds of a rate that are not counted: the loader starts, its JIT compiler works. */
    private static final int MOST_WARM_SECONDS = 4;

    private final SluiceContender job;
    private final CorridorBench.Plan plan;
    private final BrokerProcess broker;
    private final Path trace;
    private final Path directory;
    private final PrintWriter err;

    /** Jobs that were measured: each has topics of its own. */
    private int measured;

    DelayBench(
            SluiceContender job,
            CorridorBench.Plan plan,
            BrokerProcess broker,
            Path trace,
            Path directory,
            PrintWriter err) {
        this.job = job;
        this.plan = plan;
        this.broker = broker;
        this.trace = trace;
        this.directory = directory;
        this.err = err;
    }

    /**
     * Measures one job at several rates, after some seconds at the highest.
     *
     * @param maxDelayMicros how long a batch may wait to be filled
     * @param rates headers a second
     * @param seconds of each
     */
    List<Delay> measure(long maxDelayMicros, List<Double> rates, int seconds) throws Exception {
        String topic = "delay-" + ++measured;
        String verdicts = topic + "-verdicts";
        createTopics(topic, verdicts);
        Path folder = Files.createDirectories(directory.resolve(topic));
        Contender.Track track =
                new Contender.Track(
                        broker.bootstrap(),
                        topic,
                        verdicts,
                        plan.parallelism(),
                        plan.checkpoints(),
                        folder);
        int port = FlinkRest.freePort();
        Configuration config = LocalFlink.configuration(folder);
        config.set(RestOptions.PORT, port);
        config.set(MetricOptions.METRIC_FETCHER_UPDATE_INTERVAL, Duration.ofMillis(500));
        List<Delay> delays = new ArrayList<>();
        try (TopicReader reader = TopicReader.uncommitted(broker.bootstrap(), List.of(verdicts));
                LocalFlink flink = job.withMaxDelay(maxDelayMicros).start(track, config)) {
            FlinkRest rest = new FlinkRest(port, flink.jobId());
            double highest = rates.stream().mapToDouble(Double::doubleValue).max().orElseThrow();
            at(maxDelayMicros, highest, seconds, topic, reader, flink, rest);
            for (double rate : rates) {
                delays.add(at(maxDelayMicros, rate, seconds, topic, reader, flink, rest));
            }
        }
        return delays;
    }

    private void createTopics(String... names) {
        TopicBound bound = new TopicBound(KEPT_BYTES);
        try (KafkaAccess access = new KafkaAccess(broker.bootstrap())) {
            access.createTopics(
                    Stream.of(names)
                            .map(
                                    name ->
                                            new NewTopic(
                                                    name,
                                                    Optional.of(plan.partitions()),
                                                    Optional.empty()))
                            .map(bound::apply)
                            .toList());
        }
    }

    private Delay at(
            long maxDelayMicros,
            double rate,
            int seconds,
            String topic,
            TopicReader reader,
            LocalFlink flink,
            FlinkRest rest)
            throws Exception {
        err.printf("bench: %,.0f headers/s, batches wait %,d us at most%n", rate, maxDelayMicros);
        err.flush();
        List<Long> millis = new ArrayList<>();
        long judged = 0;
        Delay delay;
        try (SluiceProcess load = load(topic, rate, seconds)) {
            long from = 0;
            long end = Long.MAX_VALUE;
            while (System.currentTimeMillis() < end) {
                for (ConsumerRecord<byte[], byte[]> message : reader.poll(Duration.ofMillis(50))) {
                    if (from == 0) { // the loader has begun
                        from = message.timestamp() + TimeUnit.SECONDS.toMillis(warm(seconds));
                        end = from + TimeUnit.SECONDS.toMillis(seconds);
                    }
                    if (message.timestamp() >= from && message.timestamp() < end) {
                        VerdictBlock block = VerdictBlock.decode(message.value());
                        judged += block.count();
                        millis.add(message.timestamp() - lastPacketMillis(block));
                    }
                }
                flink.requireRunning();
                if (!load.runs() && System.currentTimeMillis() < end) {
                    load.line(); // its totals, or why it failed
                    throw new SluiceException("the load of " + rate + " headers/s ended early");
                }
            }
            delay =
                    new Delay(
                            maxDelayMicros,
                            rate,
                            (double) judged / seconds,
                            Millis.of(millis),
                            rest.metric("classify", "blockMicros_median", "max"),
                            rest.metric("classify", "blockMicros_p99", "max"),
                            rest.metric("classify", "batchFill", "avg"));
        } catch (MalformedMessageException e) {
            throw new SluiceException(
                    "a verdict cannot be read: " + e.reason() + ": " + e.detail(), e);
        }
        drain(reader);
        return delay;
    }

    /** Reads on until nothing has come for a second: what comes next, the next load has sent. */
    private static void drain(TopicReader reader) {
        long last = System.nanoTime();
        while (System.nanoTime() - last < TimeUnit.SECONDS.toNanos(1)) {
            if (!reader.poll(Duration.ofMillis(100)).isEmpty()) {
                last = System.nanoTime();
            }
        }
    }

    private SluiceProcess load(String topic, double rate, int seconds) {
        return new SluiceProcess(
                directory.resolve("load.log"),
                LOADER_HEAP_MEGABYTES,
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
                        "--shards",
                        String.valueOf(job.classify().shards()),
                        "--block-size",
                        String.valueOf(plan.blockSize())));
    }

    private static int warm(int seconds) {
        return Math.min(MOST_WARM_SECONDS, seconds);
    }

    private static long lastPacketMillis(VerdictBlock block) {
        Column times = block.times();
        if (times == null || block.count() == 0) {
            throw new SluiceException("verdicts without the times of their packets");
        }
        return TimeUnit.NANOSECONDS.toMillis(times.get(block.count() - 1));
    }
}
