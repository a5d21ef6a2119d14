package dev.sluice.job.ruletopic;

import dev.sluice.job.kafka.KafkaClients;
import dev.sluice.job.kafka.PartitionReader;
import dev.sluice.operators.rules.topic.RuleSource;
import dev.sluice.schemas.codec.DeadLetter;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.errors.InterruptException;

/** Reads the rules topic, which has one partition, for a job. */
public final class KafkaRuleSource implements RuleSource {
    private static final long serialVersionUID = 1L;

    private final KafkaClients kafka;
    private final String topic;
    private final long end;

    /**
     * A source.
     *
     * @param end offset behind what a job without state begins with, or {@link #ALL}
     */
    public KafkaRuleSource(KafkaClients kafka, String topic, long end) {
        this.kafka = kafka;
        this.topic = topic;
        this.end = end;
    }

    @Override
    public String topic() {
        return RuleTopicSettings.id(kafka, topic);
    }

    @Override
    public DeadLetter.Message where(byte[] message, long position) {
        return new DeadLetter.Message(topic, 0, position - 1, message);
    }

    @Override
    public long end() {
        return end;
    }

    @Override
    public Range read(From from, long before, Taker taker) throws InterruptedException {
        try (PartitionReader reader = new PartitionReader(kafka, topic)) {
            // Of a topic that was made anew there may be less.
            long to = Math.min(before, reader.committedEnd());
            long start =
                    from == From.FIRST
                            ? reader.start()
                            : RuleTopic.newestSnapshot(kafka, topic, to);
            reader.read(start, to, message -> hand(message, taker));
            return new Range(start, to);
        } catch (InterruptException e) {
            throw cancelled(e);
        }
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

    private static void hand(ConsumerRecord<byte[], byte[]> message, Taker taker) {
        byte[] value = message.value() == null ? new byte[0] : message.value();
        long timeNs = TimeUnit.MILLISECONDS.toNanos(message.timestamp());
        try {
            taker.message(value, timeNs, message.offset() + 1);
        } catch (InterruptedException e) {
            throw new InterruptException(e);
        }
    }

    private static InterruptedException cancelled(InterruptException cause) {
        InterruptedException interrupted =
                new InterruptedException("cancelled while the rules were read");
        interrupted.initCause(cause);
        return interrupted;
    }
}
