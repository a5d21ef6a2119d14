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
 * @param packetFormat what the packets topic holds
 * @param classify how headers are classified
 * @param statistics what is counted of each rule
 * @param group consumer group of the packets
 * @param from where a job without state starts in the packets topic
 * @param bounded whether the job ends at the offsets that are the last when it starts
 * @param transactionPrefix prefix of the sinks' transactional ids, one for each job
 * @param transactionTimeout how long a transaction may stay open
 * @param checkpointInterval time between checkpoints: verdicts become visible with them
 * @param verdictFraming what stands before each verdict message
 * @param verdictCompression by which batches of verdict messages are compressed
 * @param rulesEnd offset in the rules topic behind the rules that a job without state begins with,
 *     fixed by the client that submits, so that all subtasks begin with the same; null: what is
 *     there when the job starts
 * @param rulesDrift in a live job in event time: how far packets are read ahead of the rules; null:
 *     as far as what waits for rules may grow
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
        @Nullable Duration rulesDrift) {
    /** The same job, beginning with the rules in front of an offset of the rules topic. */
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
                rulesDrift);
    }

    /** Where a job without state starts in the packets topic. */
    public enum StartFrom {
        EARLIEST,
        LATEST,
        /** Behind what the consumer group has committed; at the start where it has nothing. */
        COMMITTED
    }
}
