package dev.sluice.job.hits;

import dev.sluice.engine.rules.Rule;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.job.SluiceException;
import dev.sluice.job.kafka.TopicReader;
import dev.sluice.operators.rules.RuleBook;
import dev.sluice.operators.rules.RuleTransaction;
import dev.sluice.operators.rules.RuleTransactions;
import dev.sluice.schemas.codec.MalformedMessageException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/** Reads the rules of a rules topic, those that were removed since its start, too. */
public final class TopicRules {
    private static final Duration POLL = Duration.ofMillis(200);

    private final RuleBook book = new RuleBook();
    private final RuleTransactions transactions = new RuleTransactions(book);
    private final Map<Long, Rule> known = new HashMap<>();
    private long malformed;

    private TopicRules() {}

    /**
     * Reads a topic to its end.
     *
     * @throws SluiceException if it holds no complete version
     */
    public static KnownRules read(String bootstrap, String topic) {
        TopicRules rules = new TopicRules();
        try (TopicReader reader = new TopicReader(bootstrap, List.of(topic))) {
            var ends = reader.ends();
            while (!reader.reached(ends)) {
                for (ConsumerRecord<byte[], byte[]> message : reader.poll(POLL)) {
                    if (message.value() != null) {
                        rules.take(message.value());
                    }
                }
            }
        }
        return rules.result(topic);
    }

    private void take(byte[] message) {
        try {
            RuleTransaction committed = transactions.accept(message);
            if (committed != null && book.apply(committed) != null) {
                committed.puts().forEach(rule -> known.put(rule.id(), rule));
            }
        } catch (MalformedMessageException e) {
            malformed++; // the job makes a dead letter of it and keeps the rules that it has
        }
    }

    private KnownRules result(String topic) {
        RuleSet inForce = book.ruleSet();
        if (inForce == null) {
            throw new SluiceException(
                    "topic %s holds no complete rule set (%d messages are malformed); publish one with sluice rules publish, or name a file with --rules"
                            .formatted(topic, malformed));
        }
        inForce.rules().forEach(rule -> known.remove(rule.id()));
        return new KnownRules(book.history(), inForce, known);
    }
}
