package dev.sluice.job.hits;

import dev.sluice.job.kafka.KafkaClients;
import dev.sluice.job.kafka.TopicScan;
import dev.sluice.policy.io.SluiceException;
import dev.sluice.schemas.codec.DeadLetterReason;
import dev.sluice.schemas.codec.MalformedMessageException;
import dev.sluice.schemas.codec.RuleStatistics;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/** Newest statistics of each key of a statistics topic. Memory: O(keys). */
public final class StatisticsTopic {
    private final Map<String, RuleStatistics> newest = new HashMap<>();
    private String lastHistory = "";
    private long lastTimestamp = Long.MIN_VALUE;

    /** No statistics, before the first message. */
    public StatisticsTopic() {}

    /**
     * Reads a topic to its end.
     *
     * @throws SluiceException if there is no such topic, or one of its messages holds no statistics
     */
    public static StatisticsTopic read(KafkaClients kafka, String topic) {
        StatisticsTopic statistics = new StatisticsTopic();
        try (TopicScan scan = new TopicScan(kafka, topic, "earliest", false)) {
            scan.forEach(
                    message -> {
                        try {
                            statistics.take(message);
                            return true;
                        } catch (MalformedMessageException e) {
                            throw strange(message, e.reason() + ": " + e.detail());
                        }
                    });
        }
        return statistics;
    }

    /**
     * Takes the next message of the topic.
     *
     * @throws MalformedMessageException if it holds no statistics
     */
    public void take(ConsumerRecord<byte[], byte[]> message) throws MalformedMessageException {
        if (message.key() == null) {
            throw new MalformedMessageException(DeadLetterReason.WRONG_SCHEMA, "it has no key");
        }
        String key = new String(message.key(), StandardCharsets.UTF_8);
        if (message.value() == null) { // somebody deleted the key
            newest.remove(key);
            return;
        }
        RuleStatistics statistics = RuleStatistics.decode(message.value());
        newest.put(key, statistics);
        if (message.timestamp() >= lastTimestamp) {
            lastTimestamp = message.timestamp();
            lastHistory = statistics.history();
        }
    }

    /** Forgets all but the statistics of known rules, where there are many more. */
    public void keep(KnownRules rules, int more) {
        if (newest.size() > rules.inForce().size() + rules.removed().size() + more) {
            Set<Long> ids = new HashSet<>(rules.removed().keySet());
            rules.inForce().rules().forEach(rule -> ids.add(rule.id()));
            newest.values()
                    .removeIf(
                            hits ->
                                    !hits.history().equals(rules.history())
                                            || hits.ruleId() != null
                                                    && !ids.contains(hits.ruleId()));
        }
    }

    private static SluiceException strange(ConsumerRecord<byte[], byte[]> message, String what) {
        return new SluiceException(
                "offset %d of partition %d of topic %s is no statistics: %s; check --stats-topic"
                        .formatted(message.offset(), message.partition(), message.topic(), what));
    }

    /** Returns the history of the message that was written last. */
    public String lastHistory() {
        return lastHistory;
    }

    /** Returns the statistics of a history, one for each key. */
    public List<RuleStatistics> of(String history) {
        return newest.values().stream().filter(s -> s.history().equals(history)).toList();
    }
}
