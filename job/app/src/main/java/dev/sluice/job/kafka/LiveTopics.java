package dev.sluice.job.kafka;

import dev.sluice.policy.io.Amount;
import dev.sluice.policy.io.SluiceException;
import dev.sluice.schemas.codec.MalformedMessageException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BooleanSupplier;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndTimestamp;
import org.apache.kafka.clients.consumer.OffsetOutOfRangeException;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Follower of the committed messages of several topics, without a consumer group. It goes on where
 * it was when the broker is back, takes up topics and partitions that come later, and says what it
 * cannot read. Each message is handed on once.
 *
 * <p>{@link #run} is called by one thread; the other methods by any.
 */
public final class LiveTopics {
    private static final Logger LOG = LoggerFactory.getLogger(LiveTopics.class);
    private static final Duration POLL = Duration.ofMillis(200);
    private static final Duration PATIENCE = Duration.ofSeconds(3);

    /** Interval at which the broker is asked for the ends of topics. */
    private static final long ASKING_NS = 1_000_000_000L;

    /** The same while the first topic is read. */
    private static final long BEGINNING_NS = 100_000_000L;

    /** Number of these intervals after which new topics and partitions are looked for. */
    private static final int LOOKING = 5;

    /** Time after which a topic that was refused is tried again. */
    private static final long REFUSED_NS = 10_000_000_000L;

    private final KafkaClients kafka;
    private final Map<String, Followed> topics = new LinkedHashMap<>();
    private final Map<TopicPartition, Long> next = new HashMap<>();
    private boolean begun;
    private @Nullable Instant awaySince;
    private String away = "";

    /** Taker of messages. */
    public interface Taker {
        /**
         * Takes a message.
         *
         * @throws MalformedMessageException if it is none of those that the topic should hold
         * @throws SluiceException if it cannot be taken now; it then comes again
         */
        void take(ConsumerRecord<byte[], byte[]> message) throws MalformedMessageException;
    }

    /** Topic and how far it is read. */
    private static final class Followed {
        final Instant from;
        final Taker taker;
        final String without;
        boolean there;
        String refusal = "";
        long refusedNs;
        long messages;
        long behind = -1;
        long unreadable;
        String last = "";
        boolean lost;

        Followed(Instant from, Taker taker, String without) {
            this.from = from;
            this.taker = taker;
            this.without = without;
        }
    }

    /**
     * How far a topic is read.
     *
     * @param messages that were read
     * @param behind messages behind them, as of a second ago
     * @param unreadable messages of those read that are no messages of the topic
     * @param standing of the topic in words
     */
    public record Standing(
            String topic, long messages, long behind, long unreadable, String standing) {}

    /** A follower of no topics. */
    public LiveTopics(KafkaClients kafka) {
        this.kafka = kafka;
    }

    /**
     * Adds a topic, before {@link #run}.
     *
     * @param from place as of {@link TopicScan}
     * @param without what is not known without the topic, as a part of a sentence; empty: nothing
     */
    public LiveTopics add(String topic, String from, String without, Taker taker) {
        topics.put(topic, new Followed(TopicScan.time(from), taker, without));
        return this;
    }

    /** Reads until it is told to end. */
    public void run(BooleanSupplier ended) {
        while (!ended.getAsBoolean()) {
            try (Closing<KafkaConsumer<byte[], byte[]>> open =
                    new Closing<>(kafka.exactConsumer())) {
                read(open.consumer, ended);
            } catch (InterruptException e) {
                return;
            } catch (OffsetOutOfRangeException e) {
                lost(e.partitions());
            } catch (TopicAuthorizationException e) {
                refused(e.unauthorizedTopics());
            } catch (KafkaException | SluiceException e) {
                LOG.info("reading of topics begins again", e);
                away(String.valueOf(e.getMessage()));
                if (!rests()) {
                    return;
                }
            }
        }
    }

    /** Consumer that does not wait for a broker at its end. */
    private record Closing<C extends KafkaConsumer<byte[], byte[]>>(C consumer)
            implements AutoCloseable {
        @Override
        public void close() {
            consumer.close(CloseOptions.timeout(Duration.ZERO));
        }
    }

    private static boolean rests() {
        try {
            Thread.sleep(ASKING_NS / 1_000_000);
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    private void read(KafkaConsumer<byte[], byte[]> consumer, BooleanSupplier ended) {
        long asked = System.nanoTime() - ASKING_NS;
        for (int asks = 0; !ended.getAsBoolean(); ) {
            long now = System.nanoTime();
            if (now - asked >= (begun ? ASKING_NS : BEGINNING_NS)) {
                try {
                    behind(left(consumer));
                    if (asks % LOOKING == 0) {
                        assign(consumer);
                    }
                    asks = begun ? asks + 1 : 0;
                } catch (TimeoutException e) {
                    away("no broker answers at " + kafka);
                }
                asked = System.nanoTime();
            }
            if (consumer.assignment().isEmpty()) {
                if (!rests()) {
                    return;
                }
            } else {
                ConsumerRecords<byte[], byte[]> messages = consumer.poll(POLL);
                for (String topic : topics.keySet()) {
                    messages.records(topic).forEach(this::take);
                }
            }
        }
    }

    private synchronized void take(ConsumerRecord<byte[], byte[]> message) {
        Followed topic = topics.get(message.topic());
        if (topic == null) {
            return;
        }
        try {
            topic.taker.take(message);
        } catch (MalformedMessageException e) {
            topic.unreadable++;
            topic.last =
                    "offset %d of partition %d: %s: %s"
                            .formatted(
                                    message.offset(), message.partition(), e.reason(), e.detail());
        }
        topic.messages++;
        next.put(new TopicPartition(message.topic(), message.partition()), message.offset() + 1);
    }

    /**
     * Reads all partitions that there are now; at the start those of the first topic alone, until
     * it is read to its end.
     */
    private void assign(KafkaConsumer<byte[], byte[]> consumer) {
        Map<String, List<PartitionInfo>> there = consumer.listTopics(PATIENCE);
        List<TopicPartition> all = new ArrayList<>();
        Map<TopicPartition, Instant> fresh = new HashMap<>();
        boolean waits = false;
        boolean first = true;
        synchronized (this) {
            for (Map.Entry<String, Followed> each : topics.entrySet()) {
                Followed topic = each.getValue();
                List<PartitionInfo> partitions = there.getOrDefault(each.getKey(), List.of());
                topic.there = !partitions.isEmpty();
                if (consumer.assignment().stream()
                        .anyMatch(one -> one.topic().equals(each.getKey()))) {
                    topic.refusal = ""; // it was polled since the last look
                }
                boolean rests =
                        !topic.refusal.isEmpty()
                                && System.nanoTime() - topic.refusedNs < REFUSED_NS;
                if (rests || waits) {
                    continue;
                }
                for (PartitionInfo info : partitions) {
                    TopicPartition one = new TopicPartition(info.topic(), info.partition());
                    all.add(one);
                    if (!next.containsKey(one)) {
                        fresh.put(one, begun ? Instant.MIN : topic.from);
                    }
                }
                waits = !begun && first && topic.there && topic.behind != 0;
                first = false;
            }
        }
        Map<TopicPartition, Long> places = places(consumer, fresh);
        synchronized (this) {
            next.putAll(places);
            begun = begun || !waits;
        }
        if (!consumer.assignment().equals(Set.copyOf(all))) {
            Set<TopicPartition> before = Set.copyOf(consumer.assignment());
            consumer.assign(all);
            for (TopicPartition one : all) {
                if (!before.contains(one)) {
                    consumer.seek(one, next.getOrDefault(one, 0L));
                }
            }
        }
    }

    private static Map<TopicPartition, Long> places(
            KafkaConsumer<byte[], byte[]> consumer, Map<TopicPartition, Instant> from) {
        Map<TopicPartition, Long> places = new HashMap<>();
        if (from.isEmpty()) {
            return places;
        }
        Map<TopicPartition, Long> starts = consumer.beginningOffsets(from.keySet(), PATIENCE);
        Map<TopicPartition, Long> ends = consumer.endOffsets(from.keySet(), PATIENCE);
        Map<TopicPartition, Long> times = new HashMap<>();
        from.forEach(
                (one, time) -> {
                    if (time.equals(Instant.MIN)) {
                        places.put(one, starts.getOrDefault(one, 0L));
                    } else if (time.equals(Instant.MAX)) {
                        places.put(one, ends.getOrDefault(one, 0L));
                    } else {
                        times.put(one, time.toEpochMilli());
                    }
                });
        if (!times.isEmpty()) {
            Map<TopicPartition, OffsetAndTimestamp> found =
                    consumer.offsetsForTimes(times, PATIENCE);
            for (TopicPartition one : times.keySet()) {
                OffsetAndTimestamp first = found.get(one);
                places.put(one, first == null ? ends.getOrDefault(one, 0L) : first.offset());
            }
        }
        return places;
    }

    /** Messages behind the consumer's position in each topic that it reads. */
    private static Map<String, Long> left(KafkaConsumer<byte[], byte[]> consumer) {
        Map<String, Long> left = new HashMap<>();
        consumer.endOffsets(consumer.assignment(), PATIENCE)
                .forEach(
                        (one, end) ->
                                left.merge(
                                        one.topic(),
                                        Math.max(0, end - consumer.position(one, PATIENCE)),
                                        Long::sum));
        return left;
    }

    private synchronized void behind(Map<String, Long> left) {
        topics.forEach((name, topic) -> topic.behind = left.getOrDefault(name, -1L));
        awaySince = null;
    }

    private synchronized void away(String words) {
        if (awaySince == null) {
            awaySince = Instant.now().truncatedTo(ChronoUnit.SECONDS);
        }
        away = words;
    }

    /** Goes on at the first message that is left of these partitions. */
    private synchronized void lost(Set<TopicPartition> partitions) {
        for (TopicPartition one : partitions) {
            next.remove(one);
            Followed topic = topics.get(one.topic());
            if (topic != null) {
                topic.lost = true;
            }
        }
    }

    private synchronized void refused(Set<String> names) {
        for (String name : names) {
            Followed topic = topics.get(name);
            if (topic != null) {
                topic.refusal = "may not be read by " + kafka.principal();
                topic.refusedNs = System.nanoTime();
            }
        }
    }

    /** Returns sentences about what cannot be read at present. */
    public synchronized List<String> troubles() {
        List<String> troubles = new ArrayList<>();
        if (awaySince != null) {
            troubles.add(
                    "Since %s nothing was read: %s. Reading goes on when the broker is back."
                            .formatted(awaySince, away));
        }
        if (!begun) {
            troubles.add("The rules are being read; packets follow.");
            return troubles;
        }
        topics.forEach(
                (name, topic) -> {
                    if (!topic.refusal.isEmpty()) {
                        troubles.add("Topic %s %s.".formatted(name, topic.refusal));
                    } else if (!topic.there && !topic.without.isEmpty()) {
                        troubles.add("Topic %s does not exist: %s.".formatted(name, topic.without));
                    }
                    if (topic.unreadable > 0) {
                        troubles.add(
                                "Topic %s: cannot be read: %s, the last at %s."
                                        .formatted(
                                                name,
                                                Amount.of(topic.unreadable, "message"),
                                                topic.last));
                    }
                    if (topic.lost) {
                        troubles.add(
                                "Topic %s: messages were deleted before they were read; sums lack them."
                                        .formatted(name));
                    }
                });
        return troubles;
    }

    /** Returns how far the topics are read, in their order; no topic that needs not exist. */
    public synchronized List<Standing> standings() {
        List<Standing> standings = new ArrayList<>();
        topics.forEach(
                (name, topic) -> {
                    if (topic.there || !topic.without.isEmpty()) {
                        standings.add(
                                new Standing(
                                        name,
                                        topic.messages,
                                        Math.max(0, topic.behind),
                                        topic.unreadable,
                                        !topic.refusal.isEmpty()
                                                ? topic.refusal
                                                : topic.there ? "is read" : "does not exist"));
                    }
                });
        return standings;
    }
}
