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
import dev.sluice.operators.classify.ClassifyOptions;
import dev.sluice.operators.statistics.StatisticsOptions;
import dev.sluice.schemas.codec.MalformedMessageException;
import dev.sluice.schemas.codec.VerdictBlock;
import java.util.List;
import org.apache.flink.configuration.Configuration;
import org.apache.kafka.common.record.CompressionType;

/**
 * The job itself, in this process or on a cluster.
 *
 * @param topics of its rules and of what it says beside verdicts
 */
record SluiceContender(ClassifyOptions classify, StatisticsOptions statistics, TopicNames topics)
        implements Contender {
    @Override
    public String name() {
        return "sluice";
    }

    @Override
    public Running start(Track track) {
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
                () -> cluster.requireRunning(id),
                () -> cluster.cancel(id),
                new JobMetrics(cluster.web(), id));
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
                null);
    }

    @Override
    public int headers(byte[] message) throws MalformedMessageException {
        return VerdictBlock.count(message);
    }
}
