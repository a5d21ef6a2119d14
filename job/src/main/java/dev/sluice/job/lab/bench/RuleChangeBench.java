package dev.sluice.job.lab.bench;

import dev.sluice.engine.Engine;
import dev.sluice.engine.EngineOptions;
import dev.sluice.engine.gpu.GpuPool;
import dev.sluice.engine.lookup.VerdictBatch;
import dev.sluice.engine.rules.Rule;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.job.graph.JobOptions;
import dev.sluice.job.graph.LocalFlink;
import dev.sluice.job.importers.HeaderTrace;
import dev.sluice.job.importers.RuleFile;
import dev.sluice.job.kafka.EmbeddedBroker;
import dev.sluice.job.kafka.Framing;
import dev.sluice.job.kafka.KafkaAccess;
import dev.sluice.job.kafka.KafkaClients;
import dev.sluice.job.kafka.TopicBound;
import dev.sluice.job.kafka.TopicNames;
import dev.sluice.job.lab.corridor.FlinkRest;
import dev.sluice.job.lab.corridor.Millis;
import dev.sluice.job.lab.load.BlockCycle;
import dev.sluice.job.lab.load.RuleLoad;
import dev.sluice.job.lab.load.TraceHeaders;
import dev.sluice.job.packets.PacketFormat;
import dev.sluice.job.replay.TemporaryDirectory;
import dev.sluice.operators.classify.ClassifyOptions;
import dev.sluice.operators.statistics.StatisticsOptions;
import dev.sluice.schemas.header.HeaderBatch;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.RestOptions;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.common.record.CompressionType;

/**
 * Measures the whole job while its rules change: packets at a share of the highest rate, and
 * meanwhile single changes, lists of changes, the removal of the rule that most packets hit, and
 * other rules in place of all. Broker, job and both ends are in this process.
 */
final class RuleChangeBench {
    private static final TopicNames TOPICS = TopicNames.defaults();

    /** Share of the highest rate at which changes are measured. */
    private static final double SHARE = 0.8;

    /** Bytes of packets and of verdicts that a partition keeps, many times what is under way. */
    private static final long KEPT_BYTES = 512L << 20;

    private static final int WARM_UP_SECONDS = 15;
    private static final int LIST = 1_000;
    private static final int LISTS_A_SECOND = 100;
    private static final int SINGLES_A_SECOND = 100;

    private final RuleFile rules;
    private final HeaderTrace trace;
    private final ClassifyOptions classify;
    private final int parallelism;
    private final int blockSize;
    private final int seconds;
    private final double rate;

    /**
     * One kind of change, measured.
     *
     * @param headersPerSecond verdicts that left the job
     * @param transactions committed
     * @param changesPerSecond rules removed or added
     * @param visible from a COMMIT that was sent to the first verdict under its version or a later
     *     one
     * @param everywhere from a COMMIT that was sent to the last verdict under an older version
     * @param held from a block's sending to its verdicts' leaving the job
     */
    record Phase(
            String name,
            double headersPerSecond,
            int transactions,
            double changesPerSecond,
            Millis visible,
            Millis everywhere,
            Millis held) {}

    /**
     * What was measured.
     *
     * @param firstVerdictSeconds from the time at which all tasks ran to the first verdict
     * @param highestPerSecond headers a second at full speed
     * @param checkpointBytes size of the last checkpoint
     * @param checkpointMillis time that it took
     */
    record Result(
            double firstVerdictSeconds,
            double highestPerSecond,
            List<Phase> phases,
            long checkpointBytes,
            long checkpointMillis) {}

    /**
     * A bench.
     *
     * @param seconds of each phase
     * @param rate headers a second, or 0 for a share of the highest that the job takes
     */
    RuleChangeBench(
            RuleFile rules,
            HeaderTrace trace,
            ClassifyOptions classify,
            int parallelism,
            int blockSize,
            int seconds,
            double rate) {
        this.rules = rules;
        this.trace = trace;
        this.classify = classify;
        this.parallelism = parallelism;
        this.blockSize = blockSize;
        this.seconds = seconds;
        this.rate = rate;
    }

    /** Runs it. */
    Result run(Path parent, PrintWriter err) throws Exception {
        RuleSet first = rules.toRuleSet("bench", 1, RuleSet.DROP);
        try (TemporaryDirectory directory = new TemporaryDirectory(parent);
                EmbeddedBroker broker = EmbeddedBroker.start(directory.path(), 0)) {
            String bootstrap = broker.bootstrap();
            try (KafkaAccess access = new KafkaAccess(new KafkaClients(bootstrap))) {
                access.createTopics(
                        KafkaAccess.newTopics(TOPICS, Math.max(2, parallelism)).stream()
                                .map(RuleChangeBench::bounded)
                                .toList());
            }
            JobOptions job =
                    new JobOptions(
                            new KafkaClients(bootstrap),
                            TOPICS,
                            PacketFormat.AVRO,
                            classify,
                            StatisticsOptions.OFF,
                            "bench",
                            JobOptions.StartFrom.EARLIEST,
                            false,
                            "bench",
                            Duration.ofMinutes(10),
                            Duration.ofSeconds(2),
                            Framing.SINGLE_OBJECT,
                            CompressionType.NONE,
                            null,
                            null);
            BlockCycle blocks =
                    BlockCycle.kept(
                            TraceHeaders.of(trace),
                            new BlockCycle.Cut("bench", classify.shards(), blockSize));
            Configuration config = LocalFlink.configuration(directory.path());
            int port = FlinkRest.freePort();
            config.set(RestOptions.PORT, port);
            try (RuleLoad changes = new RuleLoad(bootstrap, TOPICS.rules(), first);
                    PacketLoad load =
                            new PacketLoad(bootstrap, TOPICS.packets(), blocks, classify.shards());
                    VerdictWatch watch = new VerdictWatch(bootstrap, TOPICS.verdicts(), load);
                    LocalFlink flink = LocalFlink.start(job, parallelism, config)) {
                FlinkRest rest = new FlinkRest(port, flink.jobId());
                return measure(changes, load, watch, flink, rest, first, directory, err);
            }
        }
    }

    /** Packets and verdicts are of no use once they were read. */
    private static NewTopic bounded(NewTopic topic) {
        return topic.name().equals(TOPICS.packets()) || topic.name().equals(TOPICS.verdicts())
                ? new TopicBound(KEPT_BYTES).apply(topic)
                : topic;
    }

    private Result measure(
            RuleLoad changes,
            PacketLoad load,
            VerdictWatch watch,
            LocalFlink flink,
            FlinkRest rest,
            RuleSet first,
            TemporaryDirectory directory,
            PrintWriter err)
            throws InterruptedException {
        while (!rest.allTasksRun()) {
            flink.requireRunning();
            Thread.sleep(20);
        }
        long running = System.nanoTime();
        while (watch.firstNanos() == 0) {
            flink.requireRunning();
            watch.judged();
            Thread.sleep(5);
        }
        double firstVerdict = Math.max(0, (watch.firstNanos() - running) / 1e9);
        err.println("bench: warming up");
        pass(WARM_UP_SECONDS, flink, directory);
        watch.take();
        err.println("bench: highest rate");
        Phase highest = phase("highest rate", changes, watch, flink, directory, 0, 0);
        load.rate(rate > 0 ? rate : SHARE * highest.headersPerSecond());
        pass(3, flink, directory);
        watch.take();
        List<Phase> phases = new ArrayList<>();
        // What looks up changed rules was never compiled by the JVM before.
        err.println("bench: first lists of " + LIST);
        phases.add(
                phase(
                        "first lists of " + LIST,
                        changes,
                        watch,
                        flink,
                        directory,
                        LIST,
                        LISTS_A_SECOND));
        settle(changes, flink, directory, watch);
        err.println("bench: without changes");
        phases.add(phase("no changes", changes, watch, flink, directory, 0, 0));
        err.println("bench: single changes");
        phases.add(phase("single changes", changes, watch, flink, directory, 1, SINGLES_A_SECOND));
        err.println("bench: lists of " + LIST);
        phases.add(
                phase("lists of " + LIST, changes, watch, flink, directory, LIST, LISTS_A_SECOND));
        err.println("bench: the most hit rule goes");
        settle(changes, flink, directory, watch);
        changes.remove(mostHit(first));
        phases.add(phase("most hit rule removed", changes, watch, flink, directory, 0, 0));
        err.println("bench: all rules anew");
        settle(changes, flink, directory, watch);
        changes.replaceAll();
        phases.add(phase("all rules anew", changes, watch, flink, directory, 0, 0));
        var checkpoint = rest.newestCheckpoint();
        return new Result(
                firstVerdict,
                highest.headersPerSecond(),
                phases,
                checkpoint.path("state_size").asLong(),
                checkpoint.path("end_to_end_duration").asLong());
    }

    /** Brings all rules back; what is seen and committed from then on is another phase's. */
    private static void settle(
            RuleLoad changes, LocalFlink flink, TemporaryDirectory directory, VerdictWatch watch)
            throws InterruptedException {
        changes.settle();
        pass(3, flink, directory);
        watch.take();
        changes.takeCommits();
    }

    private static void pass(double seconds, LocalFlink flink, TemporaryDirectory directory)
            throws InterruptedException {
        long end = System.nanoTime() + (long) (seconds * 1e9);
        while (System.nanoTime() < end) {
            flink.requireRunning();
            directory.requireSpace();
            Thread.sleep(100);
        }
    }

    /** Some seconds with transactions of so many changes, so many times a second. */
    private Phase phase(
            String name,
            RuleLoad changes,
            VerdictWatch watch,
            LocalFlink flink,
            TemporaryDirectory directory,
            int size,
            int perSecond)
            throws InterruptedException {
        long before = watch.judged();
        long start = System.nanoTime();
        int sent = 0;
        for (int i = 0; perSecond > 0 && i < seconds * perSecond; i++) {
            long due = start + i * 1_000_000_000L / perSecond;
            while (System.nanoTime() < due) {
                Thread.sleep(0, 200_000);
            }
            sent += changes.change(size);
            if (i % perSecond == 0) {
                flink.requireRunning();
                directory.requireSpace();
            }
        }
        double took = (System.nanoTime() - start) / 1e9;
        pass(Math.max(0, seconds - took), flink, directory);
        double elapsed = (System.nanoTime() - start) / 1e9;
        double headers = (watch.judged() - before) / elapsed;
        pass(1, flink, directory); // verdicts under way
        NavigableMap<Long, Long> commits = changes.takeCommits();
        List<VerdictWatch.Seen> seen = watch.take();
        return new Phase(
                name,
                headers,
                commits.size(),
                sent / Math.max(took, 1e-9),
                Millis.of(visible(commits, seen)),
                Millis.of(everywhere(commits, seen)),
                Millis.of(seen.stream().map(VerdictWatch.Seen::tookMillis).toList()));
    }

    /** For each version the time to the first verdict under it or a later one. */
    private static List<Long> visible(Map<Long, Long> commits, List<VerdictWatch.Seen> seen) {
        TreeMap<Long, Long> firstOf = new TreeMap<>();
        for (VerdictWatch.Seen block : seen) {
            firstOf.merge(block.version(), block.leftMillis(), Math::min);
        }
        List<Long> times = new ArrayList<>();
        long earliest = Long.MAX_VALUE;
        TreeMap<Long, Long> firstFrom = new TreeMap<>();
        for (Map.Entry<Long, Long> entry : firstOf.descendingMap().entrySet()) {
            earliest = Math.min(earliest, entry.getValue());
            firstFrom.put(entry.getKey(), earliest);
        }
        for (Map.Entry<Long, Long> commit : commits.entrySet()) {
            Map.Entry<Long, Long> there = firstFrom.ceilingEntry(commit.getKey());
            if (there != null) {
                times.add(there.getValue() - commit.getValue());
            }
        }
        return times;
    }

    /** For each version the time to the last verdict under an older one. */
    private static List<Long> everywhere(Map<Long, Long> commits, List<VerdictWatch.Seen> seen) {
        TreeMap<Long, Long> lastUpTo = new TreeMap<>();
        TreeMap<Long, Long> lastOf = new TreeMap<>();
        for (VerdictWatch.Seen block : seen) {
            lastOf.merge(block.version(), block.leftMillis(), Math::max);
        }
        long latest = Long.MIN_VALUE;
        for (Map.Entry<Long, Long> entry : lastOf.entrySet()) {
            latest = Math.max(latest, entry.getValue());
            lastUpTo.put(entry.getKey(), latest);
        }
        List<Long> times = new ArrayList<>();
        for (Map.Entry<Long, Long> commit : commits.entrySet()) {
            Map.Entry<Long, Long> older = lastUpTo.lowerEntry(commit.getKey());
            if (older != null && lastOf.ceilingKey(commit.getKey()) != null) {
                times.add(Math.max(0, older.getValue() - commit.getValue()));
            }
        }
        return times;
    }

    /** The rule that most headers of the trace hit. */
    private Rule mostHit(RuleSet set) {
        try (Engine engine =
                Engine.open(set, EngineOptions.DEFAULTS.withGpu(GpuPool.Selection.OFF))) {
            int[] hits = new int[set.size()];
            for (HeaderBatch batch : trace.batches(engine.current().layout(), 4096)) {
                VerdictBatch verdicts = engine.classify(batch);
                for (int i = 0; i < batch.size(); i++) {
                    if (verdicts.rule(i) != VerdictBatch.MISS) {
                        hits[verdicts.rule(i)]++;
                    }
                }
            }
            int most = 0;
            for (int i = 1; i < hits.length; i++) {
                most = hits[i] > hits[most] ? i : most;
            }
            return set.rules().get(most);
        }
    }
}
