package dev.sluice.job.hits;

import dev.sluice.job.kafka.KafkaAccess;
import dev.sluice.job.kafka.KafkaClients;
import dev.sluice.job.kafka.TopicReader;
import dev.sluice.policy.io.SluiceException;
import dev.sluice.schemas.codec.MalformedMessageException;
import dev.sluice.schemas.codec.RuleStatistics;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/** Newest statistics of each key of a statistics topic. Memory: O(keys). */
public final class StatisticsTopic {
    private static final Duration POLL = Duration.ofMillis(200);

    private final Map<String, RuleStatistics> newest = new HashMap<>();
    private String lastHistory = "";
    private long lastTimestamp = Long.MIN_VALUE;

    private StatisticsTopic() {}

    /**
     * Reads a topic to its end.
     *
     * @throws SluiceException if there is no such topic, or one of its messages holds no statistics
     */
    public static StatisticsTopic read(KafkaClients kafka, String topic) {
        KafkaAccess.requireReadable(kafka, topic);
        StatisticsTopic statistics = new StatisticsTopic();
        try (TopicReader reader = new TopicReader(kafka, List.of(topic))) {
            var ends = reader.ends();
            while (!reader.reached(ends)) {
                for (ConsumerRecord<byte[], byte[]> message : reader.poll(POLL)) {
                    statistics.take(message);
                }
            }
        }
        return statistics;
    }

    private void take(ConsumerRecord<byte[], byte[]> message) {
        if (message.key() == null) {
            throw strange(message, "it has no key");
        }
        String key = new String(message.key(), StandardCharsets.UTF_8);
        if (message.value() == null) { // somebody deleted the key
            newest.remove(key);
            return;
        }
        RuleStatistics statistics;
        try {
            statistics = RuleStatistics.decode(message.value());
        } catch (MalformedMessageException e) {
            throw strange(message, e.reason() + ": " + e.detail());
        }
        newest.put(key, statistics);
        if (message.timestamp() >= lastTimestamp) {
            lastTimestamp = message.timestamp();
            lastHistory = statistics.history();
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
        List<RuleStatistics> chosen = new ArrayList<>();
        for (RuleStatistics statistics : newest.values()) {
            if (statistics.history().equals(history)) {
                chosen.add(statistics);
            }
        }
        return chosen;
    }
}
