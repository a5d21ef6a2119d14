package dev.sluice.job.kafka;

import dev.sluice.operators.classify.RuleBootstrap;
import dev.sluice.operators.rules.RuleTransactions;
import dev.sluice.schemas.codec.MalformedMessageException;
import java.time.Duration;
import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.errors.InterruptException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Reads the rules topic from its newest snapshot on until a rule set is in force. */
public final class KafkaRuleBootstrap implements RuleBootstrap {
    private static final long serialVersionUID = 1L;
    private static final Logger LOG = LoggerFactory.getLogger(KafkaRuleBootstrap.class);
    private static final Duration POLL = Duration.ofMillis(200);

    private final String bootstrap;
    private final String topic;

    /** A bootstrap from a topic. */
    public KafkaRuleBootstrap(String bootstrap, String topic) {
        this.bootstrap = bootstrap;
        this.topic = topic;
    }

    @Override
    public void await(RuleTransactions rules) throws InterruptedException {
        try (TopicReader reader = new TopicReader(bootstrap, List.of(topic))) {
            reader.from(topic, RuleTopic.newestSnapshot(bootstrap, topic, null));
            var ends = reader.ends();
            while (rules.current() == null || !reader.reached(ends)) {
                for (ConsumerRecord<byte[], byte[]> message : reader.poll(POLL)) {
                    try {
                        if (message.value() != null) {
                            rules.accept(message.value());
                        }
                    } catch (MalformedMessageException e) {
                        // The broadcast stream meets the message again and makes a dead letter of
                        // it.
                        LOG.warn(
                                "offset {} of {}: {}: {}",
                                message.offset(),
                                topic,
                                e.reason(),
                                e.detail());
                    }
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
