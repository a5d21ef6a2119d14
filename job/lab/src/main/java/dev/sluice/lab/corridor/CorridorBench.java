package dev.sluice.lab.corridor;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.lab.load.RuleLoad;
import dev.sluice.operators.classify.ClassifyOptions;
import dev.sluice.operators.statistics.StatisticsOptions;
import dev.sluice.policy.HeaderTrace;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Measurement of the whole job: packets in a Kafka topic, filled beforehand, through the job with
 * its exactly-once sink, to committed verdicts; then on request the job while rules change, and
 * under packets that come at set rates.
 *
 * @param traceFile file of the trace, which is repeated as often as needed
 * @param shadow policy that the job compares; null: none
 */
record CorridorBench(
        Site site,
        RuleSet rules,
        HeaderTrace trace,
        Path traceFile,
        ClassifyOptions classify,
        StatisticsOptions statistics,
        @Nullable RuleSet shadow) {
    /** Shares of the highest rate at which delays are measured. */
    private static final List<Double> SHARES = List.of(0.1, 0.5, 0.9);

    /** Share of the highest rate at which packets are loaded for long. */
    private static final double SUSTAINED_SHARE = 0.9;

    /** Share of the highest rate at which rules change. */
    private static final double CHANGED_SHARE = 0.8;

    private static final int LIST = 1_000;

    /** Measures, and adds what was found to a record; the job's own figures on top. */
    void run(ObjectNode record) throws Exception {
        CorridorOptions options = site.options;
        record.put("parallelism", options.parallelism);
        record.put("block", CorridorOptions.BLOCK_SIZE);
        record.put("partitions", options.partitions());
        record.put("checkpointMillis", options.checkpoints.toMillis());
        record.put("verdictColumns", options.columns.name().toLowerCase(Locale.ROOT));
        try (CorridorTopics topics = new CorridorTopics(site);
                RuleLoad load = new RuleLoad(site.bootstrap, topics.names().rules(), rules)) {
            CorridorJob job =
                    new CorridorJob(
                            classify,
                            statistics,
                            topics.names(),
                            shadow == null ? null : topics.createShadow(shadow));
            throughput(new ThroughputRun(site, topics, job), topics, record);
            underLoad(load, job, record);
        }
    }

    private void throughput(ThroughputRun run, CorridorTopics topics, ObjectNode record)
            throws Exception {
        CorridorOptions options = site.options;
        int shards = classify.shards();
        if (options.warmHeaders > 0) {
            CorridorTopics.Filled few =
                    topics.fillBlocks(topics.warm(), trace, shards, options.warmHeaders);
            run.of(few);
        }
        long start = System.nanoTime();
        CorridorTopics.Filled blocks =
                topics.fillBlocks(topics.names().packets(), trace, shards, options.headers);
        record.put("producedMpps", blocks.headers() * 1e3 / (System.nanoTime() - start));
        record.setAll(run.of(blocks));
    }

    private void underLoad(RuleLoad load, CorridorJob job, ObjectNode record) throws Exception {
        CorridorOptions options = site.options;
        double highest = steadyRate(record);
        if (!options.delays.isZero()) {
            try (LoadedJob loaded = loaded(job, load, "delays", highest, options.delays)) {
                for (double share : SHARES) {
                    record.withArray("delays").add(loaded.at(share * highest, 0));
                }
            }
        }
        if (!options.phases.isZero()) {
            double rate = options.loadRate(CHANGED_SHARE, highest);
            try (LoadedJob loaded = loaded(job, load, "phases", rate, options.phases)) {
                // What looks up changed rules was never compiled by the JVM before.
                phase(loaded, rate, "first lists of " + LIST, LIST, record);
                phase(loaded, rate, "no changes", 0, record);
                phase(loaded, rate, "single changes", 1, record);
                phase(loaded, rate, "lists of " + LIST, LIST, record);
                loaded.describeCheckpoints(record);
            }
        }
        if (!options.sustained.isZero()) {
            double rate = options.loadRate(SUSTAINED_SHARE, highest);
            try (LoadedJob loaded = loaded(job, load, "sustained", rate, options.sustained)) {
                ObjectNode sustained = loaded.at(rate, 0);
                record.set("sustained", sustained.put("seconds", options.sustained.toSeconds()));
            }
        }
    }

    private LoadedJob loaded(
            CorridorJob job, RuleLoad rules, String topic, double highest, Duration time)
            throws Exception {
        return new LoadedJob(site, job, rules, traceFile, topic, highest, (int) time.toSeconds());
    }

    private static void phase(
            LoadedJob loaded, double rate, String name, int size, ObjectNode record)
            throws InterruptedException {
        ObjectNode phase = record.withArray("phases").addObject().put("name", name);
        phase.put("changesPerSecond", 0.0).setAll(loaded.at(rate, size));
    }

    private static double steadyRate(ObjectNode record) {
        return 1e6 * record.path("steadyMpps").asDouble();
    }
}
