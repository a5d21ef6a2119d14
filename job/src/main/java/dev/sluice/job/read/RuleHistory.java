package dev.sluice.job.read;

import dev.sluice.engine.rules.RuleDelta;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.job.kafka.KafkaClients;
import dev.sluice.job.kafka.TopicReader;
import dev.sluice.job.read.VerdictRow.RuleFacts;
import dev.sluice.operators.rules.RuleBook;
import dev.sluice.operators.rules.RuleTransaction;
import dev.sluice.operators.rules.RuleTransactions;
import dev.sluice.schemas.codec.MalformedMessageException;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * What the rules topic says of each rule, version by version, in each history that it holds. It is
 * read when a version is asked for that was not read yet. Where no history is named, the newest
 * counts. Not thread-safe.
 */
public final class RuleHistory implements AutoCloseable {
    private static final Duration POLL = Duration.ofMillis(200);
    private static final long NANOS_PER_MILLI = 1_000_000;
    private static final RuleVersions NONE = new RuleVersions();

    private final TopicReader reader;
    private final RuleBook book = new RuleBook();
    private final RuleTransactions transactions = new RuleTransactions(book);

    /** By the id of their history. */
    private final Map<String, RuleVersions> versions = new HashMap<>();

    /** Versions that were looked for in the topic: each once, as a verdict never precedes them. */
    private final Set<Sought> sought = new HashSet<>();

    private long passedOver;

    /** A version as a verdict names it. */
    private record Sought(String history, long version) {}

    /** The history in a rules topic. */
    public RuleHistory(KafkaClients kafka, String topic) {
        reader = new TopicReader(kafka, List.of(topic));
    }

    /**
     * What a rule was in a version; {@link RuleFacts#UNKNOWN} where the topic does not say.
     *
     * @param history id of the history that the version is a number of; empty: the newest
     */
    RuleFacts rule(long id, String history, long version) {
        return known(history, version).facts(id, version);
    }

    /** As {@link #rule}, the default action of the version; empty where the topic does not say. */
    String defaultAction(String history, long version) {
        return known(history, version).defaultAction(version);
    }

    /** The versions of a history, read on where the one asked for is newer than what is known. */
    private RuleVersions known(String history, long version) {
        if (!of(history).reaches(version) && sought.add(new Sought(history, version))) {
            readOn();
        }
        return of(history);
    }

    private RuleVersions of(String history) {
        String named = history.isEmpty() ? book.history() : history;
        return versions.getOrDefault(named, NONE);
    }

    private void readOn() {
        var ends = reader.ends();
        while (!reader.reached(ends)) {
            for (ConsumerRecord<byte[], byte[]> message : reader.poll(POLL)) {
                if (message.value() != null) {
                    take(message.value(), message.timestamp() * NANOS_PER_MILLI);
                }
            }
        }
    }

    private void take(byte[] message, long timeNs) {
        try {
            RuleTransaction done = transactions.accept(message, timeNs);
            RuleBook.Update update = done == null ? null : book.apply(done);
            if (done != null && update != null) {
                learn(done, update);
            }
        } catch (MalformedMessageException e) {
            passedOver++; // as the job did, which has made a dead letter of it
        }
    }

    private void learn(RuleTransaction transaction, RuleBook.Update update) {
        RuleVersions known =
                versions.computeIfAbsent(transaction.history(), fresh -> new RuleVersions());
        RuleDelta delta = update.delta();
        RuleSet all = delta == null ? book.ruleSet() : null;
        if (all != null) {
            known.replace(update.version(), all.defaultAction(), all.rules());
        } else if (delta != null) {
            known.change(
                    update.version(),
                    transaction.defaultAction(),
                    delta.removes(),
                    delta.inserts(),
                    delta.shifts());
        }
    }

    /** Messages and transactions of the rules topic that changed nothing, as they are malformed. */
    public long passedOver() {
        return passedOver;
    }

    @Override
    public void close() {
        reader.close();
    }
}
