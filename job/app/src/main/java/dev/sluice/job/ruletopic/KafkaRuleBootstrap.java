package dev.sluice.job.ruletopic;

import dev.sluice.job.kafka.KafkaClients;
import dev.sluice.job.kafka.ShardedMessage;
import dev.sluice.job.kafka.TopicReader;
import dev.sluice.operators.rules.topic.RuleBootstrap;
import dev.sluice.schemas.codec.DeadLetter;
import dev.sluice.schemas.codec.MalformedMessageException;
import dev.sluice.schemas.codec.RuleChange;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InterruptException;
import org.jspecify.annotations.Nullable;

/** Reads the rules topic from its newest snapshot on. */
public final class KafkaRuleBootstrap implements RuleBootstrap {
    private static final long serialVersionUID = 1L;
    private static final Duration POLL = Duration.ofMillis(200);

    private final KafkaClients kafka;
    private final String topic;
    private final @Nullable Long startEnd;

    /** Whether the broadcast goes on at a position of another topic. */
    private final boolean madeAnew;

    /**
     * A bootstrap from a topic of one partition.
     *
     * @param startEnd offset behind what the job is to begin with; null: behind what is there when
     *     it begins to read
     */
    public KafkaRuleBootstrap(KafkaClients kafka, String topic, @Nullable Long startEnd) {
        this(kafka, topic, startEnd, false);
    }

    private KafkaRuleBootstrap(
            KafkaClients kafka, String topic, @Nullable Long startEnd, boolean madeAnew) {
        this.kafka = kafka;
        this.topic = topic;
        this.startEnd = startEnd;
        this.madeAnew = madeAnew;
    }

    @Override
    public String topic() {
        return RuleTopicSettings.id(kafka, topic);
    }

    @Override
    public RuleBootstrap ofTopicMadeAnew() {
        return new KafkaRuleBootstrap(kafka, topic, null, true);
    }

    /**
     * Hands a record on. Of what the broadcast does not bring, records that cannot be read become
     * dead letters here, as those of the broadcast do in {@link RuleDeserializer}.
     *
     * @param reportsTo offset behind the records that the broadcast may not bring
     */
    private void hand(ConsumerRecord<byte[], byte[]> message, long reportsTo, Target target)
            throws InterruptedException {
        byte[] value = message.value() == null ? new byte[0] : message.value();
        if (message.offset() < reportsTo) {
            try {
                RuleChange.decode(value);
            } catch (MalformedMessageException e) {
                target.unreadable(new DeadLetter(e, ShardedMessage.where(message, value)));
                return;
            }
        }
        target.message(value, TimeUnit.MILLISECONDS.toNanos(message.timestamp()));
    }

    /** Of the topic's one partition. */
    private static long end(Map<TopicPartition, Long> ends) {
        return ends.values().iterator().next();
    }

    @Override
    public void read(Target target) throws InterruptedException {
        try (TopicReader reader = new TopicReader(kafka, List.of(topic))) {
            reader.from(topic, RuleTopic.newestSnapshot(kafka, topic, startEnd));
            if (startEnd == null) {
                target.broadcastBeginsEarlier();
            }
            var ends = reader.ends();
            if (startEnd != null) { // of a topic that was made anew there may be less
                ends.replaceAll((partition, end) -> Math.min(end, startEnd));
            }
            // Where the broadcast of a topic made anew begins is not known: two letters are better
            // than none.
            long reportsTo = startEnd != null ? startEnd : madeAnew ? end(ends) : 0;
            boolean started = false;
            while (target.wanted()) {
                for (ConsumerRecord<byte[], byte[]> message : reader.poll(POLL)) {
                    if (!started && startEnd != null && message.offset() >= startEnd) {
                        target.startReached();
                        started = true;
                    }
                    hand(message, reportsTo, target);
                }
                if (!started && reader.reached(ends)) {
                    target.startReached();
                    started = true;
                }
            }
        } catch (InterruptException e) {
            InterruptedException interrupted =
                    new InterruptedException("cancelled while waiting for rules");
            interrupted.initCause(e);
            throw interrupted;
        }
    }
}
