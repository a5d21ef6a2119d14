package dev.sluice.job.ruletopic;

import dev.sluice.job.kafka.KafkaClients;
import dev.sluice.job.kafka.PartitionReader;
import dev.sluice.operators.rules.topic.HistorySource;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.errors.InterruptException;

/** Reads the rules topic, which has one partition, from the first message that is kept on. */
public final class KafkaRuleHistory implements HistorySource {
    private static final long serialVersionUID = 1L;

    private final KafkaClients kafka;
    private final String topic;
    private final long end;

    /**
     * A history.
     *
     * @param end offset behind its last message, for a job without state
     */
    public KafkaRuleHistory(KafkaClients kafka, String topic, long end) {
        this.kafka = kafka;
        this.topic = topic;
        this.end = end;
    }

    @Override
    public String topic() {
        return RuleTopicSettings.id(kafka, topic);
    }

    @Override
    public long end() {
        return end;
    }

    @Override
    public boolean read(long before, Taker taker) throws InterruptedException {
        try (PartitionReader reader = new PartitionReader(kafka, topic)) {
            long start = reader.start();
            // Of a topic that was made anew there may be less.
            long to = Math.min(before, reader.committedEnd());
            reader.read(start, to, message -> hand(message, taker));
            return start > 0;
        } catch (InterruptException e) {
            throw cancelled(e);
        }
    }

    private static void hand(ConsumerRecord<byte[], byte[]> message, Taker taker) {
        if (message.value() != null) {
            taker.message(
                    message.value(),
                    TimeUnit.MILLISECONDS.toNanos(message.timestamp()),
                    message.offset() + 1);
        }
    }

    private static InterruptedException cancelled(InterruptException cause) {
        InterruptedException interrupted =
                new InterruptedException("cancelled while the rule history was read");
        interrupted.initCause(cause);
        return interrupted;
    }

    @Override
    public void follow(long position, Follower follower) throws InterruptedException {
        try (PartitionReader reader = new PartitionReader(kafka, topic)) {
            long next = position;
            while (true) {
                next = reader.follow(next, message -> hand(message, follower), follower::quiet);
                follower.rewound();
            }
        } catch (InterruptException e) {
            throw cancelled(e);
        }
    }
}
