package dev.sluice.job.kafka;

import dev.sluice.engine.rules.Rule;
import dev.sluice.operators.rules.RuleSetMessages;
import dev.sluice.schemas.codec.MalformedMessageException;
import dev.sluice.schemas.codec.RuleChange;
import dev.sluice.schemas.codec.RuleChange.Kind;
import dev.sluice.schemas.codec.RuleChange.Phase;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/** Publishes rule sets as transactions of the rules topic. */
public final class RulePublisher {
    private static final Duration POLL = Duration.ofMillis(200);

    private RulePublisher() {}

    /**
     * Publishes a snapshot under the version after the newest committed one.
     *
     * @param byAge rules in the order of their age
     * @return the version
     */
    public static long publish(
            String bootstrap, String topic, String name, String defaultAction, List<Rule> byAge) {
        long version = newestVersion(bootstrap, topic) + 1;
        RuleChange begin =
                RuleChange.begin(
                        UUID.randomUUID().toString(),
                        version,
                        null,
                        Kind.SNAPSHOT,
                        name,
                        defaultAction);
        try (MessageProducer producer = new MessageProducer(bootstrap)) {
            for (byte[] message : RuleSetMessages.snapshot(begin, byAge)) {
                producer.send(topic, null, message);
            }
            producer.flush();
        }
        return version;
    }

    /** The newest version that a BEGIN names, committed or not; 0 before the first. */
    private static long newestVersion(String bootstrap, String topic) {
        long newest = 0;
        try (TopicReader reader = new TopicReader(bootstrap, List.of(topic))) {
            var ends = reader.ends();
            while (!reader.reached(ends)) {
                for (ConsumerRecord<byte[], byte[]> message : reader.poll(POLL)) {
                    newest = Math.max(newest, version(message.value()));
                }
            }
        }
        return newest;
    }

    private static long version(byte[] message) {
        try {
            if (message == null) {
                return 0;
            }
            RuleChange change = RuleChange.decode(message);
            return change.phase() == Phase.BEGIN ? change.version() : 0;
        } catch (MalformedMessageException e) {
            return 0; // the job makes a dead letter of it; it names no version
        }
    }
}
