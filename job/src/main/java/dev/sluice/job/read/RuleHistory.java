package dev.sluice.job.read;

import dev.sluice.engine.rules.Rule;
import dev.sluice.engine.rules.RuleSet;
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
import java.util.TreeMap;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;

/**
 * What the rules topic says of each rule, version by version. Memory: the rules, and each change of
 * one. Not thread-safe.
 */
public final class RuleHistory implements AutoCloseable {
    private static final Duration POLL = Duration.ofMillis(200);

    private final @Nullable TopicReader reader;
    private final RuleBook book = new RuleBook();
    private final RuleTransactions transactions = new RuleTransactions(book);

    /** By rule id, by the version from which on it holds; null: removed. */
    private final Map<Long, TreeMap<Long, @Nullable RuleFacts>> facts = new HashMap<>();

    private final TreeMap<Long, String> defaultActions = new TreeMap<>();
    private Map<Long, RuleFacts> newest = Map.of();

    /** Versions that were looked for in the topic: each once, as a verdict never precedes them. */
    private final Set<Long> soughtVersions = new HashSet<>();

    private long passedOver;

    /** A history of what it is told by {@link #take}. */
    RuleHistory() {
        reader = null;
    }

    /** A history of a rules topic, read when it is asked for a version that it does not know. */
    public RuleHistory(String bootstrap, String topic) {
        reader = new TopicReader(bootstrap, List.of(topic));
    }

    /** Takes the next version. */
    void take(RuleSet rules) {
        Map<Long, RuleFacts> now = new HashMap<>();
        for (Rule rule : rules.rules()) {
            now.put(rule.id(), facts(rule));
        }
        long version = rules.version();
        now.forEach(
                (id, fact) -> {
                    if (!fact.equals(newest.get(id))) {
                        changes(id).put(version, fact);
                    }
                });
        for (Long id : newest.keySet()) {
            if (!now.containsKey(id)) {
                changes(id).put(version, null);
            }
        }
        newest = now;
        defaultActions.put(version, rules.defaultAction());
    }

    private TreeMap<Long, @Nullable RuleFacts> changes(Long id) {
        return facts.computeIfAbsent(id, unknown -> new TreeMap<>());
    }

    private static RuleFacts facts(Rule rule) {
        return new RuleFacts(
                rule.line() == 0 ? null : Integer.valueOf(rule.line()),
                rule.priority(),
                rule.action(),
                "");
    }

    /** What a rule was in a version; {@link RuleFacts#UNKNOWN} where the topic does not say. */
    RuleFacts rule(long id, long version) {
        know(version);
        TreeMap<Long, @Nullable RuleFacts> changes = facts.get(id);
        Map.Entry<Long, @Nullable RuleFacts> last =
                changes == null ? null : changes.floorEntry(version);
        RuleFacts rule = last == null ? null : last.getValue();
        return rule == null ? RuleFacts.UNKNOWN : rule;
    }

    /** The default action of a version; empty where the topic does not say. */
    String defaultAction(long version) {
        know(version);
        Map.Entry<Long, String> last = defaultActions.floorEntry(version);
        return last == null ? "" : last.getValue();
    }

    /** Reads on where the version is newer than what is known. */
    private void know(long version) {
        TopicReader topic = reader;
        boolean known = !defaultActions.isEmpty() && defaultActions.lastKey() >= version;
        if (topic == null || known || !soughtVersions.add(version)) {
            return;
        }
        var ends = topic.ends();
        while (!topic.reached(ends)) {
            for (ConsumerRecord<byte[], byte[]> message : topic.poll(POLL)) {
                if (message.value() != null) {
                    take(message.value());
                }
            }
        }
    }

    private void take(byte[] message) {
        try {
            RuleTransaction committed = transactions.accept(message);
            RuleSet rules =
                    committed == null || book.apply(committed) == null ? null : book.ruleSet();
            if (rules != null) {
                take(rules);
            }
        } catch (MalformedMessageException e) {
            passedOver++; // as the job did, which has made a dead letter of it
        }
    }

    /** Messages of the rules topic that changed nothing because they are malformed. */
    public long passedOver() {
        return passedOver;
    }

    @Override
    public void close() {
        if (reader != null) {
            reader.close();
        }
    }
}
