package dev.sluice.job.lab.bench;

import dev.sluice.engine.rules.RuleSet;
import dev.sluice.job.SluiceException;
import dev.sluice.job.graph.JobOptions;
import dev.sluice.job.graph.LocalFlink;
import dev.sluice.job.importers.HeaderTrace;
import dev.sluice.job.importers.RuleFile;
import dev.sluice.job.kafka.EmbeddedBroker;
import dev.sluice.job.kafka.Framing;
import dev.sluice.job.kafka.KafkaAccess;
import dev.sluice.job.kafka.MessageProducer;
import dev.sluice.job.kafka.PacketExporter;
import dev.sluice.job.kafka.RulePublisher;
import dev.sluice.job.kafka.TopicNames;
import dev.sluice.job.kafka.TopicReader;
import dev.sluice.job.replay.Progress;
import dev.sluice.job.replay.TemporaryDirectory;
import dev.sluice.operators.classify.ClassifyOptions;
import dev.sluice.operators.statistics.StatisticsOptions;
import dev.sluice.schemas.codec.MalformedMessageException;
import dev.sluice.schemas.codec.PacketBlock;
import dev.sluice.schemas.codec.VerdictBlock;
import java.io.PrintWriter;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * Measures the whole corridor: PacketBlocks in a Kafka topic, through the job with its exactly-once
 * sink, to committed VerdictBlocks, with broker, job and reader in this process.
 */
public final class CorridorBench {
    private static final TopicNames TOPICS = TopicNames.defaults();

    private final RuleFile rules;
    private final HeaderTrace trace;
    private final ClassifyOptions classify;
    private final StatisticsOptions statistics;
    private final int parallelism;
    private final int blockSize;
    private final Duration checkpoints;

    /**
     * What was measured.
     *
     * @param headers headers classified
     * @param misses headers that no rule matched
     * @param producedPerSecond rate at which the blocks were written to Kafka beforehand
     * @param headersPerSecond headers over the time from the job's start to its last verdict's
     *     commit
     * @param steadyPerSecond the same without the first quarter: the job starting and the JIT
     *     compiler at work
     * @param cpuMicrosPerHeader CPU time of the whole process a header
     */
    public record Result(
            long headers,
            long misses,
            double producedPerSecond,
            double headersPerSecond,
            double steadyPerSecond,
            double cpuMicrosPerHeader) {}

    /** A bench over rules and a trace, which is repeated as often as needed. */
    public CorridorBench(
            RuleFile rules,
            HeaderTrace trace,
            ClassifyOptions classify,
            StatisticsOptions statistics,
            int parallelism,
            int blockSize,
            Duration checkpoints) {
        this.rules = rules;
        this.trace = trace;
        this.classify = classify;
        this.statistics = statistics;
        this.parallelism = parallelism;
        this.blockSize = blockSize;
        this.checkpoints = checkpoints;
    }

    /** Runs it with at least so many headers. */
    public Result run(long headers, Path parent, PrintWriter err) throws Exception {
        try (TemporaryDirectory directory = new TemporaryDirectory(parent);
                EmbeddedBroker broker = EmbeddedBroker.start(directory.path(), 0)) {
            try (KafkaAccess access = new KafkaAccess(broker.bootstrap())) {
                access.createTopics(KafkaAccess.newTopics(TOPICS, Math.max(2, parallelism)));
            }
            RulePublisher.publish(
                    broker.bootstrap(), TOPICS.rules(), "bench", RuleSet.DROP, rules.rules());
            long start = System.nanoTime();
            long produced = produce(broker.bootstrap(), headers, directory, err);
            double produceSeconds = (System.nanoTime() - start) / 1e9;
            return classify(
                    broker.bootstrap(), produced, produced / produceSeconds, directory, err);
        }
    }

    private long produce(
            String bootstrap, long headers, TemporaryDirectory directory, PrintWriter err) {
        TraceBlocks blocks = TraceBlocks.spread(trace, classify.shards(), blockSize);
        long produced = 0;
        try (MessageProducer producer = new MessageProducer(bootstrap);
                Progress progress = new Progress(err, "writing blocks")) {
            for (int i = 0; produced < headers; i = (i + 1) % blocks.messages().size()) {
                producer.send(
                        TOPICS.packets(),
                        PacketExporter.key(blocks.shards().get(i)),
                        blocks.messages().get(i));
                produced += blockSize;
                if (i % 64 == 0) {
                    directory.requireSpace();
                    progress.at(produced, headers, true);
                }
            }
            producer.flush();
        }
        return produced;
    }

    private Result classify(
            String bootstrap,
            long headers,
            double producedPerSecond,
            TemporaryDirectory directory,
            PrintWriter err)
            throws Exception {
        JobOptions job =
                new JobOptions(
                        bootstrap,
                        TOPICS,
                        classify,
                        statistics,
                        "bench",
                        JobOptions.StartFrom.EARLIEST,
                        true,
                        "bench",
                        Duration.ofMinutes(10),
                        checkpoints,
                        Framing.SINGLE_OBJECT,
                        null,
                        null);
        long received = 0;
        long misses = 0;
        int[] indexes = new int[PacketBlock.MAX_COUNT];
        long cpuStart = cpuNanos();
        long start = System.nanoTime();
        long quarterAt = 0;
        long quarterReceived = 0;
        long last = start;
        try (TopicReader reader = new TopicReader(bootstrap, List.of(TOPICS.verdicts()));
                Progress progress = new Progress(err, "classifying");
                LocalFlink flink = LocalFlink.start(job, parallelism, directory.path())) {
            while (received < headers) {
                for (ConsumerRecord<byte[], byte[]> message : reader.poll(Duration.ofMillis(200))) {
                    VerdictBlock block = VerdictBlock.decode(message.value());
                    received += block.count();
                    block.ruleIndexes().copyWords(0, block.count(), indexes, 0);
                    for (int i = 0; i < block.count(); i++) {
                        misses += indexes[i] == 0 ? 1 : 0;
                    }
                    last = System.nanoTime();
                }
                if (quarterAt == 0 && received >= headers / 4) {
                    quarterAt = last;
                    quarterReceived = received;
                }
                progress.at(received, headers, true);
                if (received < headers && System.nanoTime() - last > 60_000_000_000L) {
                    flink.requireRunning();
                    throw new SluiceException("no verdict has come for a minute");
                }
            }
        } catch (MalformedMessageException e) {
            throw new SluiceException(
                    "a verdict cannot be read: " + e.reason() + ": " + e.detail(), e);
        }
        double cpu = (cpuNanos() - cpuStart) / 1e3 / headers;
        return new Result(
                headers,
                misses,
                producedPerSecond,
                headers * 1e9 / (last - start),
                (headers - quarterReceived) * 1e9 / Math.max(1, last - quarterAt),
                cpu);
    }

    /** CPU time of this process so far; 0 where it cannot be known. */
    static long cpuNanos() {
        return ManagementFactory.getOperatingSystemMXBean()
                        instanceof com.sun.management.OperatingSystemMXBean os
                ? os.getProcessCpuTime()
                : 0;
    }
}
