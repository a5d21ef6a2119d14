package dev.sluice.job.graph;

import dev.sluice.job.kafka.Framing;
import dev.sluice.job.kafka.TopicNames;
import dev.sluice.operators.classify.ClassifyOptions;
import dev.sluice.operators.statistics.StatisticsOptions;
import java.time.Duration;

/**
 * Options of the job.
 *
 * @param bootstrap Kafka brokers
 * @param topics topic names
 * @param classify how headers are classified
 * @param statistics what is counted of each rule
 * @param group consumer group of the packets
 * @param from where a job without state starts in the packets topic
 * @param bounded whether the job ends at the offsets that are the last when it starts
 * @param transactionPrefix prefix of the sinks' transactional ids, one for each job
 * @param transactionTimeout how long a transaction may stay open
 * @param checkpointInterval time between checkpoints: verdicts become visible with them
 * @param verdictFraming what stands before each verdict message
 */
public record JobOptions(
        String bootstrap,
        TopicNames topics,
        ClassifyOptions classify,
        StatisticsOptions statistics,
        String group,
        StartFrom from,
        boolean bounded,
        String transactionPrefix,
        Duration transactionTimeout,
        Duration checkpointInterval,
        Framing verdictFraming) {
    /** Options of a job that frames verdicts as everything else, in single-object encoding. */
    public JobOptions(
            String bootstrap,
            TopicNames topics,
            ClassifyOptions classify,
            StatisticsOptions statistics,
            String group,
            StartFrom from,
            boolean bounded,
            String transactionPrefix,
            Duration transactionTimeout,
            Duration checkpointInterval) {
        this(
                bootstrap,
                topics,
                classify,
                statistics,
                group,
                from,
                bounded,
                transactionPrefix,
                transactionTimeout,
                checkpointInterval,
                Framing.SINGLE_OBJECT);
    }

    /** Where a job without state starts in the packets topic. */
    public enum StartFrom {
        EARLIEST,
        LATEST,
        /** Behind what the consumer group has committed; at the start where it has nothing. */
        COMMITTED
    }
}
