package dev.sluice.job.lab.corridor;

import dev.sluice.engine.rules.RuleSet;
import dev.sluice.job.SluiceException;
import dev.sluice.job.importers.HeaderTrace;
import dev.sluice.job.importers.RuleFile;
import dev.sluice.job.kafka.KafkaAccess;
import dev.sluice.job.kafka.MessageProducer;
import dev.sluice.job.kafka.PacketExporter;
import dev.sluice.job.kafka.RulePublisher;
import dev.sluice.job.kafka.TopicNames;
import dev.sluice.job.kafka.TopicReader;
import dev.sluice.job.lab.load.BlockCycle;
import dev.sluice.job.lab.load.LoadClock;
import dev.sluice.job.lab.load.LoadSender;
import dev.sluice.job.lab.load.TraceHeaders;
import dev.sluice.job.replay.Progress;
import dev.sluice.job.replay.TemporaryDirectory;
import dev.sluice.operators.classify.ClassifyOptions;
import dev.sluice.operators.statistics.StatisticsOptions;
import dev.sluice.schemas.codec.MalformedMessageException;
import dev.sluice.schemas.codec.PacketMessages;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;

/**
 * Measures the whole corridor: packets in a Kafka topic, filled beforehand, through the job with
 * its exactly-once sink, to committed verdicts; on request others after it that do the same with
 * less. The broker is a process of its own, the job and what reads its verdicts are in this one.
 */
public final class CorridorBench {
    private static final String PACKETS = TopicNames.PACKETS;
    private static final String RECORDS = "packet-records";
    private static final String PLAIN_RULES = "plain-rules";
    private static final int PLAIN_RULE_COUNT = 100;
    private static final int BROKER_HEAP_MEGABYTES = 1024;
    private static final long METER_NANOS = 1_000_000_000L;

    /** Shares of the highest rate at which delays are measured. */
    private static final List<Double> SHARES = List.of(0.1, 0.5, 0.9);

    /** The delays of GSwitch's figures 9 and 10, in µs. */
    private static final List<Long> MAX_DELAYS = List.of(100L, 500L, 1_000L, 2_000L);

    /**
     * What is measured.
     *
     * @param headers to classify, at least
     * @param partitions of the topics of packets and verdicts
     * @param blockSize headers of a block
     * @param checkpoints time between two commits
     * @param records to judge one by one in the job without Sluice; 0: the job alone is measured
     * @param delaySeconds of each share of the highest rate at which delays are measured; 0: none
     * @param lineSeconds of each of the rates of Ethernet at which delays are measured; 0: none
     */
    public record Plan(
            long headers,
            int parallelism,
            int partitions,
            int blockSize,
            Duration checkpoints,
            long records,
            int delaySeconds,
            int lineSeconds) {}

    private final RuleFile rules;
    private final HeaderTrace trace;
    private final Path traceFile;
    private final ClassifyOptions classify;
    private final StatisticsOptions statistics;
    private final Plan plan;
    private final PrintWriter err;

    /** A bench over rules and a trace, which is repeated as often as needed. */
    public CorridorBench(
            RuleFile rules,
            HeaderTrace trace,
            Path traceFile,
            ClassifyOptions classify,
            StatisticsOptions statistics,
            Plan plan,
            PrintWriter err) {
        this.rules = rules;
        this.trace = trace;
        this.traceFile = traceFile;
        this.classify = classify;
        this.statistics = statistics;
        this.plan = plan;
        this.err = err;
    }

    /** Runs it; the job's own heat is the first of the report's. */
    public CorridorReport run(Path parent) throws Exception {
        Thread.currentThread().setName(ThreadGroups.BENCH_THREAD);
        try (TemporaryDirectory directory = new TemporaryDirectory(parent);
                BrokerProcess broker = new BrokerProcess(directory.path(), BROKER_HEAP_MEGABYTES)) {
            String bootstrap = broker.bootstrap();
            createTopics(bootstrap);
            RulePublisher.publish(
                    bootstrap, TopicNames.RULES, "bench", RuleSet.DROP, rules.rules());
            long start = System.nanoTime();
            Filled blocks = fillBlocks(bootstrap, directory);
            double produceSeconds = (System.nanoTime() - start) / 1e9;
            List<Heat> heats = new ArrayList<>();
            if (plan.records > 0) {
                heats.add(heat(new TrivialContender(), PACKETS, blocks, broker, directory));
            }
            SluiceContender job = new SluiceContender(classify, statistics, TopicNames.RULES);
            Heat own = heat(job, PACKETS, blocks, broker, directory);
            heats.add(0, own);
            if (plan.records > 0) {
                double verdict = (double) own.bytesOut() / own.headers();
                heats.add(
                        heat(new BareKafkaContender(verdict), PACKETS, blocks, broker, directory));
                Filled records = fillRecords(bootstrap, directory);
                heats.add(
                        heat(
                                new PerRecordContender(PLAIN_RULES),
                                RECORDS,
                                records,
                                broker,
                                directory));
            }
            return new CorridorReport(
                    plan,
                    blocks.headers / produceSeconds,
                    heats,
                    delays(job, own.steadyRate(), broker, directory));
        }
    }

    /** How long verdicts take at shares of the highest rate, and at rates of Ethernet. */
    private List<Delay> delays(
            SluiceContender job, double highest, BrokerProcess broker, TemporaryDirectory directory)
            throws Exception {
        DelayBench bench = new DelayBench(job, plan, broker, traceFile, directory.path(), err);
        List<Delay> delays = new ArrayList<>();
        if (plan.delaySeconds > 0) {
            List<Double> rates = SHARES.stream().map(share -> share * highest).toList();
            delays.addAll(bench.measure(classify.maxDelayMicros(), rates, plan.delaySeconds));
        }
        List<Double> lines = LineRates.upTo(highest);
        if (plan.lineSeconds > 0 && !lines.isEmpty()) {
            for (long micros : MAX_DELAYS) {
                delays.addAll(bench.measure(micros, lines, plan.lineSeconds));
            }
        }
        return delays;
    }

    /** What a topic was filled with. */
    private record Filled(long headers, long bytes) {}

    private void createTopics(String bootstrap) {
        List<NewTopic> topics =
                new ArrayList<>(KafkaAccess.newTopics(TopicNames.defaults(), plan.partitions));
        topics.add(new NewTopic(RECORDS, Optional.of(plan.partitions), Optional.empty()));
        topics.add(new NewTopic(PLAIN_RULES, Optional.of(1), Optional.empty()));
        try (KafkaAccess access = new KafkaAccess(bootstrap)) {
            access.createTopics(topics);
        }
    }

    /** Creates the topic of a contender's verdicts; returns its name. */
    private String createVerdicts(String bootstrap, Contender contender) {
        String topic = TopicNames.VERDICTS + "-" + contender.name();
        try (KafkaAccess access = new KafkaAccess(bootstrap)) {
            access.createTopics(
                    List.of(new NewTopic(topic, Optional.of(plan.partitions), Optional.empty())));
        }
        return topic;
    }

    private Filled fillBlocks(String bootstrap, TemporaryDirectory directory)
            throws InterruptedException {
        BlockCycle blocks =
                BlockCycle.kept(
                        TraceHeaders.of(trace),
                        new BlockCycle.Cut("bench", classify.shards(), plan.blockSize));
        long[] bytes = {0};
        try (MessageProducer producer = new MessageProducer(bootstrap);
                Progress progress = new Progress(err, "writing blocks", "headers")) {
            new LoadSender(
                            blocks.feed(0, 1),
                            (end, headers) -> {
                                directory.requireSpace();
                                progress.at(end, plan.headers, true);
                                return true;
                            },
                            LoadClock.system(),
                            plan.headers,
                            classify.shards())
                    .run(
                            (block, message) -> {
                                producer.send(PACKETS, PacketExporter.key(block.shard()), message);
                                bytes[0] += message.length;
                            });
            producer.flush();
        }
        return new Filled(plan.headers, bytes[0]);
    }

    /** The trace as a message a packet, and the first rules as a message a rule. */
    private Filled fillRecords(String bootstrap, TemporaryDirectory directory) {
        List<byte[]> messages = new ArrayList<>();
        for (int i = 0; i < trace.size(); i++) {
            messages.add(
                    PacketMessages.encodeHeader(
                            "bench", 0, i + 1, System.nanoTime(), 64, trace.header(i)));
        }
        long bytes = 0;
        try (MessageProducer producer = new MessageProducer(bootstrap);
                Progress progress = new Progress(err, "writing packets")) {
            for (byte[] rule : PlainRule.first(rules.rules(), PLAIN_RULE_COUNT)) {
                producer.send(PLAIN_RULES, null, rule);
            }
            for (int i = 0; i < plan.records; i++) {
                byte[] message = messages.get(i % messages.size());
                producer.send(RECORDS, null, message);
                bytes += message.length;
                if (i % 65_536 == 0) {
                    directory.requireSpace();
                    progress.at(i, plan.records, true);
                }
            }
            producer.flush();
            progress.at(plan.records, plan.records, true);
        }
        return new Filled(plan.records, bytes);
    }

    private Heat heat(
            Contender contender,
            String packets,
            Filled filled,
            BrokerProcess broker,
            TemporaryDirectory directory)
            throws Exception {
        Path folder = Files.createDirectories(directory.path().resolve(contender.name()));
        String verdicts = createVerdicts(broker.bootstrap(), contender);
        Contender.Track track =
                new Contender.Track(
                        broker.bootstrap(),
                        packets,
                        verdicts,
                        plan.parallelism,
                        plan.checkpoints,
                        folder);
        System.gc();
        UsageMeter meter = new UsageMeter(broker.handle());
        Usage before = meter.read();
        Windows windows = new Windows(System.currentTimeMillis());
        @Nullable Usage quarter = null;
        long quarterHeaders = 0;
        long bytesOut = 0;
        long metered = before.nanos();
        long last = before.nanos();
        try (TopicReader reader = new TopicReader(broker.bootstrap(), List.of(verdicts));
                Progress progress = new Progress(err, contender.name());
                Contender.Running running = contender.start(track)) {
            while (windows.total() < filled.headers) {
                for (ConsumerRecord<byte[], byte[]> message : reader.poll(Duration.ofMillis(200))) {
                    windows.add(message.timestamp(), contender.headers(message.value()));
                    bytesOut += message.value().length;
                    last = System.nanoTime();
                }
                if (System.nanoTime() - metered > METER_NANOS) {
                    metered = System.nanoTime();
                    running.requireRunning();
                    directory.requireSpace();
                    Usage now = meter.read();
                    if (quarter == null && windows.total() >= filled.headers / 4) {
                        quarter = now;
                        quarterHeaders = windows.total();
                    }
                }
                progress.at(windows.total(), filled.headers, true);
            }
            Usage after = meter.read();
            return new Heat(
                    contender.name(),
                    windows,
                    (last - before.nanos()) / 1e9,
                    after.since(before),
                    after.since(quarter == null ? before : quarter),
                    windows.total() - quarterHeaders,
                    filled.bytes,
                    bytesOut);
        } catch (MalformedMessageException e) {
            throw new SluiceException(
                    "a verdict cannot be read: " + e.reason() + ": " + e.detail(), e);
        }
    }
}
