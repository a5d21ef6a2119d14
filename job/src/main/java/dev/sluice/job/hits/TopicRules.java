package dev.sluice.job.hits;

import dev.sluice.engine.rules.Rule;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.job.Amount;
import dev.sluice.job.SluiceException;
import dev.sluice.job.kafka.KafkaClients;
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

/**
 * Reads the rules of a rules topic, and those that were removed since the oldest record that the
 * topic keeps. Memory: every rule of the newest history once.
 */
public final class TopicRules {
    private static final Duration POLL = Duration.ofMillis(200);
    private static final long NS_PER_MS = 1_000_000L;

    private final RuleBook book = new RuleBook();
    private final RuleTransactions transactions = new RuleTransactions(book);

    /** By id, as they were last put. */
    private final Map<Long, Rule> known = new HashMap<>();

    private long malformed;

    private TopicRules() {}

    /**
     * Reads a topic to its end.
     *
     * @throws SluiceException if it holds no complete version
     */
    public static KnownRules read(KafkaClients kafka, String topic) {
        TopicRules rules = new TopicRules();
        try (TopicReader reader = new TopicReader(kafka, List.of(topic))) {
            var ends = reader.ends();
            while (!reader.reached(ends)) {
                for (ConsumerRecord<byte[], byte[]> message : reader.poll(POLL)) {
                    if (message.value() != null) {
                        rules.take(message.value(), message.timestamp() * NS_PER_MS);
                    }
                }
            }
        }
        return rules.result(topic);
    }

    private void take(byte[] message, long recordTimeNs) {
        try {
            RuleTransaction done = transactions.accept(message, recordTimeNs);
            RuleBook.Update update = done == null ? null : book.apply(done);
            if (done != null && update != null) {
                if (update.newHistory()) {
                    known.clear();
                }
                done.puts().forEach(rule -> known.put(rule.id(), rule));
            }
        } catch (MalformedMessageException e) {
            malformed++; // the job makes a dead letter of it and keeps the rules that it has
        }
    }

    private KnownRules result(String topic) {
        RuleSet inForce = book.ruleSet();
        if (inForce == null) {
            throw new SluiceException(
                    "topic %s holds no complete rule set (malformed: %s); publish one with sluice rules publish, or name a file with --rules"
                            .formatted(topic, Amount.of(malformed, "message")));
        }
        inForce.rules().forEach(rule -> known.remove(rule.id()));
        // A rule that is gone stands on no line, whatever line it stood on when it was put.
        known.replaceAll((id, rule) -> rule.onLine(0));
        return new KnownRules(book.history(), inForce, known);
    }
}
