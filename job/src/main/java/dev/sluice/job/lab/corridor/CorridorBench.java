package dev.sluice.job.lab.corridor;

import dev.sluice.engine.rules.RuleSet;
import dev.sluice.job.cli.ClusterTarget;
import dev.sluice.job.cluster.CoreList;
import dev.sluice.job.importers.HeaderTrace;
import dev.sluice.job.importers.RuleFile;
import dev.sluice.job.kafka.KafkaAccess;
import dev.sluice.job.kafka.MessageProducer;
import dev.sluice.job.kafka.RulePublisher;
import dev.sluice.job.kafka.TopicNames;
import dev.sluice.job.lab.load.BlockCycle;
import dev.sluice.job.lab.load.LoadClock;
import dev.sluice.job.lab.load.Pacer;
import dev.sluice.job.lab.load.TopicLoad;
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
import org.apache.kafka.common.record.CompressionType;
import org.jspecify.annotations.Nullable;

/**
 * Measures the whole corridor: packets in a Kafka topic, filled beforehand, through the job with
 * its exactly-once sink, to committed verdicts; on request others after it that do the same with
 * less. What reads the verdicts is in this process; broker and job are where {@link Site} says.
 */
public final class CorridorBench {
    private static final String RECORDS = "packet-records";
    private static final String PLAIN_RULES = "plain-rules";
    private static final String WARM = "-warm";
    private static final int PLAIN_RULE_COUNT = 100;
    private static final int BROKER_HEAP_MEGABYTES = 1024;
    private static final long METER_NANOS = 1_000_000_000L;

    /** Shares of the highest rate at which delays are measured. */
    private static final List<Double> SHARES = List.of(0.1, 0.5, 0.9);

    /** Share of the highest rate at which packets are loaded for long. */
    private static final double SUSTAINED_SHARE = 0.9;

    /** Most threads that fill a topic. */
    private static final int MOST_FILLERS = 4;

    private static final long LOOK_MILLIS = 200;

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
     * @param warmHeaders that the job classifies before, from a topic of their own; 0: none
     * @param sustainSeconds for which packets are loaded while they are classified; 0: not at all
     * @param sustainRate of these, headers a second; 0: nine tenths of the highest
     * @param compression of packets that are written before, and of verdicts
     * @param loaderCores on which the loading process is kept; null: on any
     */
    public record Plan(
            long headers,
            int parallelism,
            int partitions,
            int blockSize,
            Duration checkpoints,
            long records,
            int delaySeconds,
            int lineSeconds,
            long warmHeaders,
            int sustainSeconds,
            double sustainRate,
            @Nullable CoreList loaderCores,
            CompressionType compression) {}

    private final RuleFile rules;
    private final HeaderTrace trace;
    private final Path traceFile;
    private final ClassifyOptions classify;
    private final StatisticsOptions statistics;
    private final Plan plan;
    private final @Nullable ClusterTarget cluster;
    private final PrintWriter err;
    private final TopicNames topics;

    /**
     * A bench over rules and a trace, which is repeated as often as needed.
     *
     * @param cluster that runs broker and job; null: the broker is a process of its own, the job
     *     runs in this one
     */
    public CorridorBench(
            RuleFile rules,
            HeaderTrace trace,
            Path traceFile,
            ClassifyOptions classify,
            StatisticsOptions statistics,
            Plan plan,
            @Nullable ClusterTarget cluster,
            PrintWriter err) {
        this.rules = rules;
        this.trace = trace;
        this.traceFile = traceFile;
        this.classify = classify;
        this.statistics = statistics;
        this.plan = plan;
        this.cluster = cluster;
        this.err = err;
        this.topics = topics(cluster == null ? "" : "-bench-" + System.currentTimeMillis());
    }

    /** The usual names and an end: on a cluster that goes on they must be nobody else's. */
    private static TopicNames topics(String end) {
        return new TopicNames(
                TopicNames.PACKETS + end,
                TopicNames.RULES + end,
                TopicNames.VERDICTS + end,
                TopicNames.DEAD_LETTERS + end,
                TopicNames.STATISTICS + end,
                TopicNames.STATISTICS_WINDOWS + end);
    }

    /** Runs it; the job's own heat is the first of the report's. */
    public CorridorReport run(Path parent) throws Exception {
        Thread.currentThread().setName(ThreadGroups.BENCH_THREAD);
        try (TemporaryDirectory directory = new TemporaryDirectory(parent);
                Site site =
                        cluster == null
                                ? new BrokerProcess(directory.path(), BROKER_HEAP_MEGABYTES)
                                : new ClusterSite(cluster)) {
            createTopics(site.bootstrap());
            try {
                return run(site, directory);
            } finally {
                if (cluster != null) {
                    deleteTopics(site.bootstrap());
                }
            }
        }
    }

    private CorridorReport run(Site site, TemporaryDirectory directory) throws Exception {
        RulePublisher.publish(
                site.bootstrap(), topics.rules(), "bench", RuleSet.DROP, rules.rules());
        SluiceContender job = new SluiceContender(classify, statistics, topics, plan.compression);
        if (plan.warmHeaders > 0) {
            String warm = topics.packets() + WARM;
            Filled few = fillBlocks(site.bootstrap(), warm, plan.warmHeaders, directory);
            heat(site.job(job), WARM, warm, few, site, directory);
        }
        long start = System.nanoTime();
        Filled blocks = fillBlocks(site.bootstrap(), topics.packets(), plan.headers, directory);
        double produceSeconds = (System.nanoTime() - start) / 1e9;
        List<Heat> heats = new ArrayList<>();
        if (plan.records > 0) {
            heats.add(heat(new TrivialContender(), "", topics.packets(), blocks, site, directory));
        }
        Heat own = heat(site.job(job), "", topics.packets(), blocks, site, directory);
        heats.add(0, own);
        if (plan.records > 0) {
            double verdict = (double) own.bytesOut() / own.headers();
            heats.add(
                    heat(
                            new BareKafkaContender(verdict),
                            "",
                            topics.packets(),
                            blocks,
                            site,
                            directory));
            Filled records = fillRecords(site.bootstrap(), directory);
            heats.add(
                    heat(
                            new PerRecordContender(PLAIN_RULES),
                            "",
                            RECORDS,
                            records,
                            site,
                            directory));
        }
        DelayBench bench = new DelayBench(job, plan, site, traceFile, directory, err);
        return new CorridorReport(
                plan,
                blocks.headers / produceSeconds,
                heats,
                delays(bench, own.steadyRate()),
                sustained(bench, own.steadyRate()));
    }

    /** How long verdicts take at shares of the highest rate, and at rates of Ethernet. */
    private List<Delay> delays(DelayBench bench, double highest) throws Exception {
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

    /** What the job makes of packets that are loaded all the time; null if that is not asked. */
    private @Nullable Delay sustained(DelayBench bench, double highest) throws Exception {
        if (plan.sustainSeconds == 0) {
            return null;
        }
        double rate = plan.sustainRate > 0 ? plan.sustainRate : SUSTAINED_SHARE * highest;
        return bench.measure(classify.maxDelayMicros(), List.of(rate), plan.sustainSeconds).get(0);
    }

    /** What a topic was filled with. */
    private record Filled(long headers, long bytes) {}

    private void createTopics(String bootstrap) {
        List<NewTopic> all = new ArrayList<>(KafkaAccess.newTopics(topics, plan.partitions));
        all.add(newTopic(topics.packets() + WARM, plan.partitions));
        if (plan.records > 0) {
            all.add(newTopic(RECORDS, plan.partitions));
            all.add(newTopic(PLAIN_RULES, 1));
        }
        try (KafkaAccess access = new KafkaAccess(bootstrap)) {
            access.createTopics(all);
        }
    }

    private static NewTopic newTopic(String name, int partitions) {
        return new NewTopic(name, Optional.of(partitions), Optional.empty());
    }

    /** Deletes all topics whose names end as this run's do, or go on from there. */
    private void deleteTopics(String bootstrap) {
        String end = topics.packets().substring(TopicNames.PACKETS.length());
        try (KafkaAccess access = new KafkaAccess(bootstrap)) {
            access.deleteTopics(name -> name.contains(end));
        }
    }

    /** Creates the topic of a contender's verdicts; returns its name. */
    private String createVerdicts(String bootstrap, String name) {
        String topic = topics.verdicts() + "-" + name;
        try (KafkaAccess access = new KafkaAccess(bootstrap)) {
            access.createTopics(List.of(newTopic(topic, plan.partitions)));
        }
        return topic;
    }

    private Filled fillBlocks(
            String bootstrap, String topic, long headers, TemporaryDirectory directory)
            throws InterruptedException {
        int fillers = Math.max(1, Math.min(MOST_FILLERS, plan.parallelism / 2));
        BlockCycle blocks =
                BlockCycle.kept(
                        TraceHeaders.of(trace),
                        new BlockCycle.Cut("bench", classify.shards(), plan.blockSize));
        LoadClock clock = LoadClock.system();
        try (Progress progress = new Progress(err, "writing blocks", "headers");
                TopicLoad load =
                        new TopicLoad(
                                new TopicLoad.Target(
                                        bootstrap,
                                        topic,
                                        plan.compression,
                                        fillers,
                                        classify.shards()),
                                i -> blocks.feed(i, fillers),
                                new Pacer(0, Long.MAX_VALUE, clock),
                                clock,
                                headers)) {
            while (!load.await(LOOK_MILLIS)) {
                directory.requireSpace();
                progress.at(load.count().headers(), headers, true);
            }
            return new Filled(load.count().headers(), load.count().bytes());
        }
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
            String run,
            String packets,
            Filled filled,
            Site site,
            TemporaryDirectory directory)
            throws Exception {
        String name = contender.name() + run;
        Path folder = Files.createDirectories(directory.path().resolve(name));
        String verdicts = createVerdicts(site.bootstrap(), name);
        Contender.Track track =
                new Contender.Track(
                        site.bootstrap(),
                        packets,
                        verdicts,
                        plan.parallelism,
                        plan.checkpoints,
                        folder);
        System.gc();
        UsageMeter meter = new UsageMeter(site.brokers(), site.workers());
        Usage before = meter.read();
        Arrivals arrivals = new Arrivals(System.currentTimeMillis());
        @Nullable Usage quarter = null;
        long quarterHeaders = 0;
        long metered = before.nanos();
        try (VerdictReaders readers =
                        new VerdictReaders(
                                site.bootstrap(),
                                verdicts,
                                true,
                                plan.parallelism,
                                message -> read(contender, message),
                                arrivals);
                Progress progress = new Progress(err, name);
                Contender.Running running = contender.start(track)) {
            while (arrivals.total() < filled.headers) {
                Thread.sleep(LOOK_MILLIS / 4);
                readers.requireReading();
                if (System.nanoTime() - metered > METER_NANOS) {
                    metered = System.nanoTime();
                    running.requireRunning();
                    directory.requireSpace();
                    Usage now = meter.read();
                    if (quarter == null && arrivals.total() >= filled.headers / 4) {
                        quarter = now;
                        quarterHeaders = arrivals.total();
                    }
                }
                progress.at(arrivals.total(), filled.headers, true);
            }
            Usage after = meter.read();
            return new Heat(
                    contender.name(),
                    arrivals.windows(),
                    (arrivals.lastNanos() - before.nanos()) / 1e9,
                    after.since(before),
                    after.since(quarter == null ? before : quarter),
                    arrivals.total() - quarterHeaders,
                    storedBytes(site, packets),
                    storedBytes(site, verdicts),
                    filled.bytes,
                    arrivals.bytes(),
                    running.classified(filled.headers));
        }
    }

    private static long storedBytes(Site site, String topic) {
        try (KafkaAccess access = new KafkaAccess(site.bootstrap())) {
            return access.storedBytes(topic);
        }
    }

    private static VerdictReaders.Read read(
            Contender contender, ConsumerRecord<byte[], byte[]> message)
            throws MalformedMessageException {
        return new VerdictReaders.Read(
                message.timestamp(), contender.headers(message.value()), message.value().length, 0);
    }
}
