package dev.sluice.job.lab.corridor;

import dev.sluice.engine.gpu.GpuPool;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.job.cli.ClusterTarget;
import dev.sluice.job.cluster.CoreList;
import dev.sluice.job.importers.HeaderTrace;
import dev.sluice.job.importers.RuleFile;
import dev.sluice.job.kafka.TopicBound;
import dev.sluice.job.kafka.TopicNames;
import dev.sluice.job.lab.load.RuleLoad;
import dev.sluice.job.replay.TemporaryDirectory;
import dev.sluice.operators.classify.ClassifyOptions;
import dev.sluice.operators.classify.PassedColumns;
import dev.sluice.operators.statistics.StatisticsOptions;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.record.CompressionType;
import org.jspecify.annotations.Nullable;

/**
 * Measures the whole corridor: packets in a Kafka topic, filled beforehand, through the job with
 * its exactly-once sink, to committed verdicts; on request others after it that do the same with
 * less. What reads the verdicts is in this process; broker and job are where {@link Site} says.
 */
public final class CorridorBench {
    private static final int BROKER_HEAP_MEGABYTES = 1024;

    /** Shares of the highest rate at which delays are measured. */
    private static final List<Double> SHARES = List.of(0.1, 0.5, 0.9);

    /** Share of the highest rate at which packets are loaded for long. */
    private static final double SUSTAINED_SHARE = 0.9;

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
     * @param warmHeaders that the job classifies before, from a topic of their own, and once more
     *     where rules are to change; 0: none
     * @param sustainSeconds for which packets are loaded while they are classified; 0: not at all
     * @param sustainRate of these, headers a second; 0: nine tenths of the highest
     * @param compression of packets that are written before, and of verdicts
     * @param keep what a partition of packets that come while they are classified keeps
     * @param changeRate rules that go or come back a second in some runs of the job; 0: in none
     * @param lostDeviceTries of opening a device again that fail, once it is lost in mid-run; 0:
     *     none is lost
     * @param loaderCores on which the loading process is kept; null: on any
     * @param columns how verdicts have packet numbers and times
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
            TopicBound keep,
            double changeRate,
            int lostDeviceTries,
            @Nullable CoreList loaderCores,
            CompressionType compression,
            PassedColumns columns) {}

    private final RuleFile rules;
    private final HeaderTrace trace;
    private final Path traceFile;
    private final ClassifyOptions classify;
    private final StatisticsOptions statistics;
    private final Plan plan;
    private final @Nullable ClusterTarget cluster;
    private final PrintWriter err;

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
    }

    /** Runs it; the job's own heat is the first of the report's. */
    public CorridorReport run(Path parent) throws Exception {
        Thread.currentThread().setName(ThreadGroups.BENCH_THREAD);
        try (TemporaryDirectory directory = new TemporaryDirectory(parent);
                Site site =
                        cluster == null
                                ? new BrokerProcess(directory.path(), BROKER_HEAP_MEGABYTES)
                                : new ClusterSite(cluster);
                CorridorTopics topics =
                        new CorridorTopics(
                                site.bootstrap(),
                                cluster == null ? "" : "-bench-" + System.currentTimeMillis(),
                                plan,
                                directory,
                                err);
                RuleLoad load =
                        new RuleLoad(
                                site.bootstrap(),
                                topics.names().rules(),
                                rules.toRuleSet("bench", 1, RuleSet.DROP))) {
            return run(site, topics, directory, load);
        }
    }

    private CorridorReport run(
            Site site, CorridorTopics topics, TemporaryDirectory directory, RuleLoad load)
            throws Exception {
        TopicNames names = topics.names();
        SluiceContender job = new SluiceContender(classify, statistics, names, plan.compression);
        @Nullable DeviceLoss loss =
                plan.lostDeviceTries > 0
                        ? DeviceLoss.of(GpuPool.shared(), plan.lostDeviceTries)
                        : null;
        HeatBench heats = new HeatBench(plan, site, topics, directory, err);
        @Nullable ChangingContender changing =
                plan.changeRate > 0
                        ? new ChangingContender(site.job(job), load, plan.changeRate)
                        : null;
        int shards = classify.shards();
        if (plan.warmHeaders > 0) {
            CorridorTopics.Filled few =
                    topics.fillBlocks(topics.warm(), trace, shards, plan.warmHeaders);
            heats.run(site.job(job), CorridorTopics.WARM, few);
            if (changing != null) {
                heats.run(changing, CorridorTopics.WARM, few);
            }
        }
        long start = System.nanoTime();
        CorridorTopics.Filled blocks =
                topics.fillBlocks(names.packets(), trace, shards, plan.headers);
        double produceSeconds = (System.nanoTime() - start) / 1e9;
        List<Heat> found = new ArrayList<>();
        if (plan.records > 0) {
            found.add(heats.run(new TrivialContender(), "", blocks));
        }
        Heat own = heats.run(site.job(job), "", blocks, loss);
        found.add(0, own);
        @Nullable ChangeTurns changes = null;
        if (changing != null) {
            changes =
                    ChangeTurns.measure(
                            plan.changeRate, own, site.job(job), changing, heats, blocks);
        }
        if (plan.records > 0) {
            double verdict = (double) own.bytesOut() / own.headers();
            found.add(heats.run(new BareKafkaContender(verdict), "", blocks));
            CorridorTopics.Filled records = topics.fillRecords(trace, rules.rules());
            found.add(heats.run(new PerRecordContender(CorridorTopics.PLAIN_RULES), "", records));
        }
        DelayBench bench = new DelayBench(job, plan, site, traceFile, directory, err);
        return new CorridorReport(
                plan,
                blocks.headers() / produceSeconds,
                found,
                delays(bench, own.steadyRate()),
                changes,
                loss,
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
}
