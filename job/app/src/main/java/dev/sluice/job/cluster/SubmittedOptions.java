package dev.sluice.job.cluster;

import dev.sluice.job.ShellWord;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.PipelineOptions;

/**
 * Options with which a job was submitted, stored in the job's own configuration.
 *
 * <p>Flink's web interface shows them. A user who stops the job gets the command that resumes it. A
 * user who starts another job learns which transactional ids it must not share.
 *
 * @param words options and their values as they were given
 * @param transactionPrefix prefix of the job's transactional ids
 * @param kafkaCluster id of the Kafka cluster of those ids; empty if not known
 */
public record SubmittedOptions(List<String> words, String transactionPrefix, String kafkaCluster) {
    /** Begin of the options of a job on captures: the command that has them. */
    public static final String ARCHIVE = "archive ";

    static final String LINE = "sluice.options";
    static final String PREFIX = "sluice.transactional-id-prefix";
    static final String KAFKA = "sluice.kafka-cluster";

    /** Copies the words. */
    public SubmittedOptions {
        words = List.copyOf(words);
    }

    /** Adds the options to the configuration of a job to be submitted. */
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
     * Tells whether a job with these options fences the transactions of another job, and vice
     * versa.
     *
     * <p>A transactional id belongs to one Kafka cluster. A job with an unknown cluster counts as
     * one of the same cluster.
     */
    public boolean fences(SubmittedOptions other) {
        boolean sameKafka =
                kafkaCluster.isEmpty()
                        || other.kafkaCluster.isEmpty()
                        || kafkaCluster.equals(other.kafkaCluster);
        return sameKafka && transactionPrefix.equals(other.transactionPrefix);
    }
}
