package dev.sluice.job.graph;

import dev.sluice.job.kafka.Framing;
import dev.sluice.job.kafka.KafkaClients;
import dev.sluice.job.kafka.TopicNames;
import dev.sluice.job.packets.PacketFormat;
import dev.sluice.operators.classify.ClassifyOptions;
import dev.sluice.operators.statistics.StatisticsOptions;
import java.time.Duration;
import org.apache.kafka.common.record.CompressionType;
import org.jspecify.annotations.Nullable;

/**
 * Options of the job.
 *
 * @param kafka brokers
 * @param topics topic names
 * @param packetFormat format of the packets topic
 * @param classify how headers are classified
 * @param statistics which counts each rule gets
 * @param group consumer group of the packets
 * @param from where a job without state starts in the packets topic
 * @param bounded whether the job ends at the last offsets of its start
 * @param transactionPrefix prefix of the sinks' transactional ids, one for each job
 * @param transactionTimeout how long a transaction may stay open
 * @param checkpointInterval time between checkpoints, at which verdicts become visible
 * @param verdictFraming bytes that precede each verdict message
 * @param verdictCompression compression of batches of verdict messages
 * @param rulesEnd end offset of the rules with which a job without state starts. The submitting
 *     client fixes it, so that all subtasks start with the same rules. null: the end of the topic
 *     when the job starts
 * @param rulesDrift in a live job in event time: how far packets are read ahead of the rules; null:
 *     as far as the limit of waiting packets allows
 * @param connectionsTopic topic of the rows of connections; null: connections have no rows
 * @param shadow a second policy that is compared with the first; null: none is
 */
public record JobOptions(
        KafkaClients kafka,
        TopicNames topics,
        PacketFormat packetFormat,
        ClassifyOptions classify,
        StatisticsOptions statistics,
        String group,
        StartFrom from,
        boolean bounded,
        String transactionPrefix,
        Duration transactionTimeout,
        Duration checkpointInterval,
        Framing verdictFraming,
        CompressionType verdictCompression,
        @Nullable Long rulesEnd,
        @Nullable Duration rulesDrift,
        @Nullable String connectionsTopic,
        @Nullable ShadowJob shadow) {
    /** Returns this job with another end offset of its first rules. */
    public JobOptions withRulesEnd(long offset) {
        return new JobOptions(
                kafka,
                topics,
                packetFormat,
                classify,
                statistics,
                group,
                from,
                bounded,
                transactionPrefix,
                transactionTimeout,
                checkpointInterval,
                verdictFraming,
                verdictCompression,
                offset,
                rulesDrift,
                connectionsTopic,
                shadow);
    }

    /** Starting point of a job without state in the packets topic. */
    public enum StartFrom {
        EARLIEST,
        LATEST,
        /** Offsets committed by the consumer group; the earliest where it has committed none. */
        COMMITTED
    }
}
