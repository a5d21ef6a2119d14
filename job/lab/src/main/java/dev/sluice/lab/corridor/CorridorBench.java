package dev.sluice.lab.corridor;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.job.replay.TemporaryDirectory;
import dev.sluice.job.submit.ClusterTarget;
import dev.sluice.lab.load.RuleLoad;
import dev.sluice.operators.classify.ClassifyOptions;
import dev.sluice.operators.statistics.StatisticsOptions;
import dev.sluice.policy.HeaderTrace;
import dev.sluice.policy.RuleFile;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Measurement of the whole job: packets in a Kafka topic, filled beforehand, through the job with
 * its exactly-once sink, to committed verdicts; then on request others that do the same with less,
 * the job while rules change, and the job under packets that come at set rates.
 *
 * @param traceFile file of the trace, which is repeated as often as needed
 * @param cluster that runs broker and job; null: the broker is a process of its own, the job runs
 *     in this one
 */
record CorridorBench(
        RuleFile rules,
        HeaderTrace trace,
        Path traceFile,
        ClassifyOptions classify,
        StatisticsOptions statistics,
        CorridorPlan plan,
        @Nullable ClusterTarget cluster,
        PrintWriter err) {
    /** Shares of the highest rate at which delays are measured. */
    private static final List<Double> SHARES = List.of(0.1, 0.5, 0.9);

    /** Share of the highest rate at which packets are loaded for long. */
    private static final double SUSTAINED_SHARE = 0.9;

    /** Share of the highest rate at which rules change. */
    private static final double CHANGED_SHARE = 0.8;

    /** Rounds with changes and without, beside the job's first run. */
    private static final int CHANGE_ROUNDS = 2;

    private static final int LIST = 1_000;
    private static final double TRANSACTIONS_A_SECOND = 100;

    /** Measures, and adds what was found to a record; the job's own figures on top. */
    void run(Path parent, ObjectNode record) throws Exception {
        Thread.currentThread().setName(UsageMeter.BENCH_THREAD);
        record.put("partitions", plan.partitions());
        record.put("checkpointMillis", plan.checkpoints().toMillis());
        record.put("compression", plan.compression().name);
        record.put("verdictColumns", plan.columns().name().toLowerCase(Locale.ROOT));
        try (TemporaryDirectory directory = new TemporaryDirectory(parent);
                Site site = cluster == null ? new Site(directory.path()) : new Site(cluster);
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
            SluiceContender job =
                    new SluiceContender(classify, statistics, topics.names(), plan.compression());
            throughput(site, topics, directory, load, job, record);
            underLoad(site, directory, load, job, record);
        }
    }

    private void throughput(
            Site site,
            CorridorTopics topics,
            TemporaryDirectory directory,
            RuleLoad load,
            SluiceContender job,
            ObjectNode record)
            throws Exception {
        ThroughputRun run = new ThroughputRun(plan, site, topics, directory, err);
        int shards = classify.shards();
        if (plan.warmHeaders() > 0) {
            CorridorTopics.Filled few =
                    topics.fillBlocks(topics.warm(), trace, shards, plan.warmHeaders());
            run.of(job, few);
            if (plan.changeRate() > 0) {
                run.of(job, few, load);
            }
        }
        long start = System.nanoTime();
        CorridorTopics.Filled blocks =
                topics.fillBlocks(topics.names().packets(), trace, shards, plan.headers());
        record.put("producedMpps", blocks.headers() * 1e3 / (System.nanoTime() - start));
        ObjectNode trivial = plan.compare() ? run.of(new TrivialContender(), blocks) : null;
        ObjectNode own = run.of(job, blocks);
        record.setAll(own);
        record.remove(List.of("name", "changesPerSecond"));
        if (trivial != null) {
            double verdict = own.path("bytesOutPerHeader").asDouble();
            ArrayNode beside = record.putArray("beside");
            ObjectNode ratios = record.putObject("timesTheRateOf");
            for (ObjectNode other : List.of(trivial, run.of(new KafkaContender(verdict), blocks))) {
                other.remove("changesPerSecond");
                beside.add(other);
                ratios.put(other.path("name").asText(), steadyRate(own) / steadyRate(other));
            }
        }
        if (plan.changeRate() > 0) {
            changes(run, job, blocks, load, own, record.putObject("changes"));
        }
    }

    /** The job's runs with rules that change and without, in turns. */
    private void changes(
            ThroughputRun run,
            SluiceContender job,
            CorridorTopics.Filled blocks,
            RuleLoad load,
            ObjectNode own,
            ObjectNode changes)
            throws Exception {
        ArrayNode runs = changes.put("asked", plan.changeRate()).putArray("runs");
        runs.add(own);
        double with = 0;
        double without = steadyRate(own);
        for (int round = 1; round <= CHANGE_ROUNDS; round++) {
            ObjectNode changed = run.of(job, blocks, load);
            ObjectNode still = run.of(job, blocks);
            runs.add(changed).add(still);
            with += steadyRate(changed) / CHANGE_ROUNDS;
            without += steadyRate(still);
        }
        changes.put("kept", with * (CHANGE_ROUNDS + 1) / without);
        runs.forEach(
                turn ->
                        ((ObjectNode) turn)
                                .retain(
                                        "changesPerSecond",
                                        "steadyMpps",
                                        "medianSecondMpps",
                                        "steadyCpuMicrosPerHeader",
                                        "steadyCpuNanosPerHeaderByGroup"));
    }

    private void underLoad(
            Site site,
            TemporaryDirectory directory,
            RuleLoad load,
            SluiceContender job,
            ObjectNode record)
            throws Exception {
        double highest = steadyRate(record);
        if (plan.delaySeconds() > 0) {
            try (LoadedJob loaded =
                    loaded(site, job, "delays", highest, plan.delaySeconds(), directory)) {
                for (double share : SHARES) {
                    record.withArray("delays")
                            .add(
                                    loaded.at(share * highest, plan.delaySeconds())
                                            .without("changesPerSecond"));
                }
            }
        }
        if (plan.phaseSeconds() > 0) {
            double rate = plan.loadRate() > 0 ? plan.loadRate() : CHANGED_SHARE * highest;
            try (LoadedJob loaded =
                    loaded(site, job, "phases", rate, plan.phaseSeconds(), directory)) {
                // What looks up changed rules was never compiled by the JVM before.
                phase(loaded, rate, "first lists of " + LIST, load, LIST, record);
                phase(loaded, rate, "no changes", null, 0, record);
                phase(loaded, rate, "single changes", load, 1, record);
                phase(loaded, rate, "lists of " + LIST, load, LIST, record);
                loaded.describeCheckpoint(record);
            }
        }
        if (plan.sustainSeconds() > 0) {
            double rate = plan.loadRate() > 0 ? plan.loadRate() : SUSTAINED_SHARE * highest;
            try (LoadedJob loaded =
                    loaded(site, job, "sustained", rate, plan.sustainSeconds(), directory)) {
                record.set(
                        "sustained",
                        loaded.at(rate, plan.sustainSeconds())
                                .put("seconds", plan.sustainSeconds())
                                .without("changesPerSecond"));
            }
        }
    }

    private LoadedJob loaded(
            Site site,
            SluiceContender job,
            String topic,
            double highest,
            int seconds,
            TemporaryDirectory directory)
            throws Exception {
        return new LoadedJob(plan, site, job, traceFile, topic, highest, seconds, directory, err);
    }

    private void phase(
            LoadedJob loaded,
            double rate,
            String name,
            @Nullable RuleLoad rules,
            int size,
            ObjectNode record)
            throws InterruptedException {
        ObjectNode phase = record.withArray("phases").addObject().put("name", name);
        phase.setAll(
                loaded.at(rate, plan.phaseSeconds(), rules, size, size * TRANSACTIONS_A_SECOND));
    }

    private static double steadyRate(ObjectNode record) {
        return 1e6 * record.path("steadyMpps").asDouble();
    }
}
