package dev.sluice.job.graph;

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
        Duration checkpointInterval) {
    /** Where a job without state starts in the packets topic. */
    public enum StartFrom {
        EARLIEST,
        LATEST,
        /** Behind what the consumer group has committed; at the start where it has nothing. */
        COMMITTED
    }
}
