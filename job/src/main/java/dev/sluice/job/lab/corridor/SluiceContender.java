package dev.sluice.job.lab.corridor;

import dev.sluice.job.graph.JobOptions;
import dev.sluice.job.graph.LocalFlink;
import dev.sluice.job.kafka.Framing;
import dev.sluice.job.kafka.KafkaClients;
import dev.sluice.job.kafka.TopicNames;
import dev.sluice.job.packets.PacketFormat;
import dev.sluice.operators.classify.ClassifyOptions;
import dev.sluice.operators.statistics.StatisticsOptions;
import dev.sluice.schemas.codec.MalformedMessageException;
import dev.sluice.schemas.codec.VerdictBlock;
import org.apache.flink.configuration.Configuration;
import org.apache.kafka.common.record.CompressionType;

/**
 * The job itself.
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

    /** The same job with batches that wait as long to be filled, in µs. */
    SluiceContender withMaxDelay(long micros) {
        return new SluiceContender(
                classify.withMaxDelayMicros(micros), statistics, topics, compression);
    }

    @Override
    public Running start(Track track) {
        Configuration config = LocalFlink.configuration(track.directory());
        int port = FlinkRest.offer(config);
        LocalFlink flink = start(track, config);
        return new FlinkRunning(flink, new FlinkRest(port, flink.jobId()));
    }

    /** Starts it in a cluster of that configuration. */
    LocalFlink start(Track track, Configuration config) {
        return LocalFlink.start(options(track), track.parallelism(), config);
    }

    /** What it is told of a track. */
    JobOptions options(Track track) {
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
