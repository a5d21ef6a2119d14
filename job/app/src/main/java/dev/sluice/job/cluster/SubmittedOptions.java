package dev.sluice.job.cluster;

import dev.sluice.job.ShellWord;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.PipelineOptions;

/**
 * The options that a job was submitted with, noted in the job itself: Flink's web interface shows
 * them, who stops it is told the command by which it goes on, and who starts another sees what that
 * must not share with it.
 *
 * @param words options and their values as they were given
 * @param transactionPrefix of its transactional ids
 * @param kafkaCluster id of the Kafka cluster where they are; empty if that is not known
 */
public record SubmittedOptions(List<String> words, String transactionPrefix, String kafkaCluster) {
    static final String LINE = "sluice.options";
    static final String PREFIX = "sluice.transactional-id-prefix";
    static final String KAFKA = "sluice.kafka-cluster";

    /** Of a job. */
    public SubmittedOptions {
        words = List.copyOf(words);
    }

    /** Notes them in a job that is to be submitted with this configuration. */
    public void addTo(Configuration config) {
        config.set(
                PipelineOptions.GLOBAL_JOB_PARAMETERS,
                Map.of(
                        LINE,
                        words.stream().map(ShellWord::of).collect(Collectors.joining(" ")),
                        PREFIX,
                        transactionPrefix,
                        KAFKA,
                        kafkaCluster));
    }

    /**
     * Whether a job with these options ends another's transactions, and the other way round. A
     * transactional id is one of its Kafka cluster; jobs of before do not say which that is.
     */
    public boolean fences(SubmittedOptions other) {
        boolean sameKafka =
                kafkaCluster.isEmpty()
                        || other.kafkaCluster.isEmpty()
                        || kafkaCluster.equals(other.kafkaCluster);
        return sameKafka && transactionPrefix.equals(other.transactionPrefix);
    }
}
