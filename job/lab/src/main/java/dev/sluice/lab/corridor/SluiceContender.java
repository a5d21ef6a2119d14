package dev.sluice.lab.corridor;

import dev.sluice.job.cluster.SubmittedOptions;
import dev.sluice.job.graph.JobOptions;
import dev.sluice.job.graph.LocalFlink;
import dev.sluice.job.kafka.Framing;
import dev.sluice.job.kafka.KafkaClients;
import dev.sluice.job.kafka.TopicNames;
import dev.sluice.job.packets.PacketFormat;
import dev.sluice.job.submit.ClusterTarget;
import dev.sluice.job.submit.KafkaJob;
import dev.sluice.lab.backend.Classified;
import dev.sluice.operators.classify.ClassifyOptions;
import dev.sluice.operators.statistics.StatisticsOptions;
import dev.sluice.schemas.codec.MalformedMessageException;
import dev.sluice.schemas.codec.VerdictBlock;
import java.util.List;
import org.apache.flink.configuration.Configuration;
import org.apache.kafka.common.record.CompressionType;
import org.jspecify.annotations.Nullable;

/**
 * The job itself, in this process or on a cluster.
 *
 * @param topics of its rules and of what it says beside verdicts
 * @param compression of its verdicts
 */
record SluiceContender(
        ClassifyOptions classify,
        StatisticsOptions statistics,
        TopicNames topics,
        CompressionType compression)
        implements Contender {
    @Override
    public String name() {
        return "sluice";
    }

    @Override
    public Running start(Track track) {
        ClusterTarget cluster = track.site().cluster();
        return cluster == null ? startHere(track) : startOn(cluster, track);
    }

    /**
     * Job in an embedded cluster of this process.
     *
     * @param metrics figures of the job
     */
    record Here(LocalFlink flink, JobMetrics metrics) implements Running {
        @Override
        public void requireRunning() {
            flink.requireRunning();
        }

        @Override
        public @Nullable Classified classified(long headers) throws InterruptedException {
            return metrics.classified(headers);
        }

        @Override
        public void close() {
            flink.close();
        }
    }

    /** Starts the job in this process. */
    Here startHere(Track track) {
        Configuration config = LocalFlink.configuration(track.directory());
        String web = JobMetrics.offer(config);
        LocalFlink flink = LocalFlink.start(options(track), track.parallelism(), config);
        return new Here(flink, new JobMetrics(web, flink.jobId()));
    }

    private Running startOn(ClusterTarget cluster, Track track) {
        JobOptions options = options(track);
        String id =
                cluster.submit(
                        new KafkaJob(
                                options,
                                LocalFlink.JOB_NAME,
                                new SubmittedOptions(List.of(), options.transactionPrefix(), "")));
        return new Running() {
            @Override
            public void requireRunning() throws InterruptedException {
                cluster.requireRunning(id);
            }

            @Override
            public @Nullable Classified classified(long headers) throws InterruptedException {
                return new JobMetrics(cluster.web(), id).classified(headers);
            }

            @Override
            public void close() {
                cluster.cancel(id);
            }
        };
    }

    private JobOptions options(Track track) {
        return new JobOptions(
                new KafkaClients(track.bootstrap()),
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
                track.checkpoints(),
                Framing.SINGLE_OBJECT,
                compression,
                null,
                null);
    }

    @Override
    public int headers(byte[] message) throws MalformedMessageException {
        return VerdictBlock.count(message);
    }
}
