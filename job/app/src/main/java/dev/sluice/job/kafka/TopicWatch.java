package dev.sluice.job.kafka;

import dev.sluice.job.kafka.WatchedTopics.Topic;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListOffsetsResult.ListOffsetsResultInfo;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds that a topic of a running job was deleted, or is another one of the same name: Kafka's
 * clients wait for the one without a word, and go on in the other at offsets of the old one.
 *
 * <p>All but {@link #look} and {@link #unread} belongs to one thread.
 */
public final class TopicWatch implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(TopicWatch.class);
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    /** A broker may hear of a new topic later than others: once missed is not gone. */
    private static final int LOOKS_UNTIL_GONE = 2;

    private final WatchedTopics watched;
    private final Admin admin;

    /** Ids of the topics that the job began with, or has gone on from. */
    private final Map<String, String> ids;

    /** Those of which it is known since this start that they are there. */
    private final Set<String> seen = new HashSet<>();

    private final Map<String, Integer> missed = new HashMap<>();
    private boolean blind;

    /**
     * What was found.
     *
     * @param sentence with topic, event, checkpoint and remedy
     * @param restartHelps whether the job goes on when it starts again from its last checkpoint
     */
    public record Finding(String sentence, boolean restartHelps) {}

    /**
     * A watch.
     *
     * @param ids of the topics as of the checkpoint that the job goes on from; empty where it has
     *     none, or it does not tell
     */
    public TopicWatch(WatchedTopics watched, Map<String, String> ids) {
        this.watched = watched;
        this.ids = new HashMap<>(ids);
        this.admin = watched.kafka().admin(PATIENCE);
    }

    /** Ids by name, to be kept with a checkpoint. */
    public Map<String, String> ids() {
        return Map.copyOf(ids);
    }

    /**
     * Asks Kafka; waits for its answer.
     *
     * @return ids by name, of those that are there
     * @throws ExecutionException if Kafka does not answer
     */
    public Map<String, String> look() throws ExecutionException, InterruptedException {
        Map<String, String> now = new HashMap<>();
        List<String> names = new ArrayList<>();
        watched.topics().forEach(topic -> names.add(topic.name()));
        for (var asked : admin.describeTopics(names).topicNameValues().entrySet()) {
            try {
                now.put(asked.getKey(), asked.getValue().get().topicId().toString());
            } catch (ExecutionException e) {
                if (!(e.getCause() instanceof UnknownTopicOrPartitionException)) {
                    throw e;
                }
            }
        }
        return now;
    }

    /**
     * Counts the messages in partitions of the packets topic that are not among those that were
     * found; waits for Kafka's answer.
     *
     * @param found none: nobody has looked yet, and nothing is counted
     * @throws ExecutionException if Kafka does not answer
     */
    public long unread(Set<TopicPartition> found) throws ExecutionException, InterruptedException {
        if (found.isEmpty()) {
            return 0;
        }
        Map<TopicPartition, OffsetSpec> first = new HashMap<>();
        Map<TopicPartition, OffsetSpec> last = new HashMap<>();
        List<String> packets = new ArrayList<>();
        for (Topic topic : watched.topics()) {
            if (topic.role() == WatchedTopics.Role.PACKETS) {
                packets.add(topic.name());
            }
        }
        for (var topic : admin.describeTopics(packets).allTopicNames().get().values()) {
            for (var partition : topic.partitions()) {
                var added = new TopicPartition(topic.name(), partition.partition());
                if (!found.contains(added)) {
                    first.put(added, OffsetSpec.earliest());
                    last.put(added, OffsetSpec.latest());
                }
            }
        }
        return last.isEmpty() ? 0 : sum(last) - sum(first);
    }

    private long sum(Map<TopicPartition, OffsetSpec> offsets)
            throws ExecutionException, InterruptedException {
        return admin.listOffsets(offsets).all().get().values().stream()
                .mapToLong(ListOffsetsResultInfo::offset)
                .sum();
    }

    /** Kafka did not answer: sources and sinks say so if that lasts. */
    public void cannotLook(Throwable reason) {
        if (!blind) {
            LOG.warn(
                    "the job's topics cannot be looked after at {}: {}; the look is repeated",
                    watched.kafka(),
                    reason.getMessage());
        }
        blind = true;
    }

    /**
     * Judges what {@link #look} saw.
     *
     * @param checkpoint the last one that is complete; 0: none
     */
    public Optional<Finding> judge(Map<String, String> now, long checkpoint) {
        blind = false;
        for (Topic topic : watched.topics()) {
            String id = now.get(topic.name());
            if (id == null) {
                if (missed.merge(topic.name(), 1, Integer::sum) >= LOOKS_UNTIL_GONE) {
                    return Optional.of(new Finding(gone(topic, checkpoint), false));
                }
                continue;
            }
            missed.remove(topic.name());
            boolean first = seen.add(topic.name());
            String before = ids.put(topic.name(), id);
            if (before != null && !before.equals(id)) {
                Optional<Finding> finding = anew(topic, first, checkpoint);
                if (finding.isPresent()) {
                    return finding;
                }
            }
        }
        return Optional.empty();
    }

    /**
     * A topic is another one.
     *
     * @param down whether that happened while the job was down
     */
    private Optional<Finding> anew(Topic topic, boolean down, long checkpoint) {
        return switch (topic.role()) {
            case PACKETS ->
                    Optional.of(
                            new Finding(
                                    "topic %s (packets) was made anew: the job's offsets are of the one that is gone, and what it had not read there is lost. The job stops; %s. To read the new topic, start the job without that checkpoint (another folder with --checkpoints) and with --from earliest"
                                            .formatted(topic.name(), last(checkpoint)),
                                    false));
            case RULES ->
                    down
                            ? Optional.empty() // the classify operator knows, and says so
                            : Optional.of(
                                    new Finding(
                                            "topic %s (rules) was made anew: the job starts again by itself, and then takes the rules that are published there; %s. Publish them with 'sluice rules publish'"
                                                    .formatted(topic.name(), last(checkpoint)),
                                            true));
            case FOLLOWED_RULES -> Optional.empty(); // as above, by what follows them
            case VERDICTS, DEAD_LETTERS, STATISTICS -> {
                if (!down) {
                    yield Optional.of(
                            new Finding(lostOutput(topic, "was made anew", checkpoint), false));
                }
                LOG.warn(
                        "topic {} ({}) was made anew while the job was down: what it wrote up to its checkpoint is not there",
                        topic.name(),
                        topic.role().text());
                yield Optional.empty();
            }
        };
    }

    private String gone(Topic topic, long checkpoint) {
        return switch (topic.role()) {
            case PACKETS ->
                    "topic %s (packets) is gone, and with it what the job had not read. The job stops; %s. To go on with other packets, make the topic anew and start the job without that checkpoint (another folder with --checkpoints)"
                            .formatted(topic.name(), last(checkpoint));
            case RULES, FOLLOWED_RULES ->
                    "topic %s (rules) is gone: no change of the rules reaches the job. The job stops; %s. Make the topic anew by 'sluice rules publish', and start the job again from that checkpoint: it takes the rules of the new topic"
                            .formatted(topic.name(), last(checkpoint));
            case VERDICTS, DEAD_LETTERS, STATISTICS -> lostOutput(topic, "is gone", checkpoint);
        };
    }

    private static String lostOutput(Topic topic, String event, long checkpoint) {
        return "topic %s (%s) %s, and what the job wrote there is lost. The job stops; %s. To go on behind it, start the job again from that checkpoint, with --create-topics where the topic is missing; to have everything once more, without it (another folder with --checkpoints) and with --from earliest"
                .formatted(topic.name(), topic.role().text(), event, last(checkpoint));
    }

    private static String last(long checkpoint) {
        return checkpoint == 0
                ? "it has no checkpoint yet"
                : "its last checkpoint is " + checkpoint;
    }

    @Override
    public void close() {
        admin.close(Duration.ZERO);
    }
}
