package dev.sluice.job.lab.corridor;

import dev.sluice.job.graph.JobOptions;
import dev.sluice.job.graph.LocalFlink;
import dev.sluice.job.kafka.Framing;
import dev.sluice.job.kafka.TopicNames;
import dev.sluice.job.packets.PacketFormat;
import dev.sluice.operators.classify.ClassifyOptions;
import dev.sluice.operators.statistics.StatisticsOptions;
import dev.sluice.schemas.codec.MalformedMessageException;
import dev.sluice.schemas.codec.VerdictBlock;
import org.apache.flink.configuration.Configuration;

/**
 * The job itself.
 *
 * @param rules topic of its rules
 */
record SluiceContender(ClassifyOptions classify, StatisticsOptions statistics, String rules)
        implements Contender {
    @Override
    public String name() {
        return "sluice";
    }

    /** The same job with batches that wait as long to be filled, in µs. */
    SluiceContender withMaxDelay(long micros) {
        return new SluiceContender(classify.withMaxDelayMicros(micros), statistics, rules);
    }

    @Override
    public Running start(Track track) {
        return new FlinkRunning(start(track, LocalFlink.configuration(track.directory())));
    }

    /** Starts it in a cluster of that configuration. */
    LocalFlink start(Track track, Configuration config) {
        TopicNames names = TopicNames.defaults();
        JobOptions options =
                new JobOptions(
                        track.bootstrap(),
                        new TopicNames(
                                track.packets(),
                                rules,
                                track.verdicts(),
                                names.deadLetters(),
                                names.statistics(),
                                names.statisticsWindows()),
                        PacketFormat.AVRO,
                        classify,
                        statistics,
                        name(),
                        JobOptions.StartFrom.EARLIEST,
                        false,
                        name(),
                        TRANSACTION_TIMEOUT,
                        track.checkpoints(),
                        Framing.SINGLE_OBJECT,
                        null,
                        null);
        return LocalFlink.start(options, track.parallelism(), config);
    }

    @Override
    public int headers(byte[] message) throws MalformedMessageException {
        return VerdictBlock.count(message);
    }
}
