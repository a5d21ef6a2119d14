package dev.sluice.lab.corridor;

import dev.sluice.job.cluster.ClusterRest;
import dev.sluice.job.cluster.SubmittedOptions;
import dev.sluice.job.graph.JobOptions;
import dev.sluice.job.graph.LocalFlink;
import dev.sluice.job.graph.ShadowJob;
import dev.sluice.job.kafka.Framing;
import dev.sluice.job.kafka.KafkaClients;
import dev.sluice.job.kafka.TopicNames;
import dev.sluice.job.packets.PacketFormat;
import dev.sluice.job.submit.ClusterTarget;
import dev.sluice.job.submit.KafkaJob;
import dev.sluice.operators.classify.ClassifyOptions;
import dev.sluice.operators.statistics.StatisticsOptions;
import dev.sluice.policy.io.SluiceException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.apache.flink.configuration.Configuration;
import org.apache.kafka.common.record.CompressionType;
import org.jspecify.annotations.Nullable;

/**
 * The job itself, in this process or on a cluster.
 *
 * @param topics of its rules and of what it says beside verdicts
 * @param shadow policy that it compares; null: none
 */
record CorridorJob(
        ClassifyOptions classify,
        StatisticsOptions statistics,
        TopicNames topics,
        @Nullable ShadowJob shadow) {
    /** Longest time for which a transaction may stay open. */
    private static final Duration TRANSACTION_TIMEOUT = Duration.ofMinutes(10);

    /**
     * Topics of a run and its place.
     *
     * @param packets topic to read from its start
     * @param verdicts topic to write
     * @param directory for its files
     */
    record Track(Site site, String packets, String verdicts, Path directory) {}

    /** Something to ask or to end a running job by. */
    interface Step {
        /** Does it. */
        void run() throws InterruptedException;
    }

    /**
     * Job on its way.
     *
     * @param check fails with the job's failure if it has ended
     * @param end ends it
     * @param metrics its figures
     */
    record Running(Step check, Runnable end, JobMetrics metrics) implements AutoCloseable {
        @Override
        public void close() {
            end.run();
        }
    }

    /** Starts the job; what {@link Track#verdicts} receives from now on is the job's. */
    Running start(Track track) {
        JobOptions options = options(track);
        ClusterTarget cluster = track.site().cluster;
        if (cluster == null) {
            Configuration config = LocalFlink.configuration(track.directory());
            String web = JobMetrics.offer(config);
            LocalFlink flink = LocalFlink.start(options, track.site().options.parallelism, config);
            return new Running(
                    flink::requireRunning, flink::close, new JobMetrics(web, flink.jobId()));
        }
        String id =
                cluster.submit(
                        new KafkaJob(
                                options,
                                LocalFlink.JOB_NAME,
                                new SubmittedOptions(List.of(), options.transactionPrefix(), "")));
        return new Running(
                () -> requireRunning(cluster, id),
                () -> cancel(cluster, id),
                new JobMetrics(cluster.state().web(), id));
    }

    private static void requireRunning(ClusterTarget cluster, String id)
            throws InterruptedException {
        for (ClusterRest.Job job : new ClusterRest(cluster.state()).jobs()) {
            if (job.id().equals(id) && job.ended()) {
                throw new SluiceException(
                        "job %s has ended as %s; the cluster's logs are in %s"
                                .formatted(id, job.state(), cluster.folder().logs()));
            }
        }
    }

    private static void cancel(ClusterTarget cluster, String id) {
        try {
            if (!new ClusterRest(cluster.state()).cancel(List.of(id))) {
                throw new SluiceException(
                        "job %s does not end when it is cancelled; the cluster's logs are in %s"
                                .formatted(id, cluster.folder().logs()));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private JobOptions options(Track track) {
        return new JobOptions(
                new KafkaClients(track.site().bootstrap),
                new TopicNames(
                        track.packets(),
                        topics.rules(),
                        track.verdicts(),
                        topics.deadLetters(),
                        topics.statistics(),
                        topics.statisticsWindows()),
                PacketFormat.AVRO,
                classify,
                statistics,
                track.verdicts(),
                JobOptions.StartFrom.EARLIEST,
                false,
                track.verdicts(),
                TRANSACTION_TIMEOUT,
                track.site().options.checkpoints,
                Framing.SINGLE_OBJECT,
                CompressionType.NONE,
                null,
                null,
                null,
                shadow);
    }
}
