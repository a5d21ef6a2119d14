package dev.sluice.job.read;

import dev.sluice.engine.rules.RuleDelta;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.job.kafka.TopicReader;
import dev.sluice.job.read.VerdictRow.RuleFacts;
import dev.sluice.operators.rules.RuleBook;
import dev.sluice.operators.rules.RuleTransaction;
import dev.sluice.operators.rules.RuleTransactions;
import dev.sluice.schemas.codec.MalformedMessageException;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * What the rules topic says of each rule, version by version. It is read when a version is asked
 * for that was not read yet. Of a topic that was made anew, the newest history counts: versions of
 * the ones before are forgotten. Not thread-safe.
 */
public final class RuleHistory implements AutoCloseable {
    private static final Duration POLL = Duration.ofMillis(200);
    private static final long NANOS_PER_MILLI = 1_000_000;

    private final TopicReader reader;
    private final RuleBook book = new RuleBook();
    private final RuleTransactions transactions = new RuleTransactions(book);
    private final RuleVersions versions = new RuleVersions();

    /** Versions that were looked for in the topic: each once, as a verdict never precedes them. */
    private final Set<Long> sought = new HashSet<>();

    private long passedOver;

    /** The history in a rules topic. */
    public RuleHistory(String bootstrap, String topic) {
        reader = new TopicReader(bootstrap, List.of(topic));
    }

    /** What a rule was in a version; {@link RuleFacts#UNKNOWN} where the topic does not say. */
    RuleFacts rule(long id, long version) {
        know(version);
        return versions.facts(id, version);
    }

    /** The default action of a version; empty where the topic does not say. */
    String defaultAction(long version) {
        know(version);
        return versions.defaultAction(version);
    }

    /** Reads on where the version is newer than what is known. */
    private void know(long version) {
        if (versions.reaches(version) || !sought.add(version)) {
            return;
        }
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
        if (update.newHistory()) {
            versions.clear();
        }
        RuleDelta delta = update.delta();
        RuleSet all = delta == null ? book.ruleSet() : null;
        if (all != null) {
            versions.replace(update.version(), all.defaultAction(), all.rules());
        } else if (delta != null) {
            versions.change(
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
