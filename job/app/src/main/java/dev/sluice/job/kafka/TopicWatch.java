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
 * Detection of topics of a running job that were deleted or recreated under the same name.
 *
 * <p>Kafka's clients wait silently for a deleted topic. In a recreated topic they continue at the
 * offsets of the old one.
 *
 * <p>All but {@link #look} and {@link #unread} belongs to one thread.
 */
public final class TopicWatch implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(TopicWatch.class);
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    /**
     * Number of look-ups without a topic after which it counts as deleted. A broker may learn of a
     * new topic later than others.
     */
    private static final int LOOKS_UNTIL_GONE = 2;

    private final WatchedTopics watched;
    private final Admin admin;

    /** Ids of the topics with which the job started or resumed. */
    private final Map<String, String> ids;

    /** Topics that were found since this start. */
    private final Set<String> seen = new HashSet<>();

    private final Map<String, Integer> missed = new HashMap<>();
    private boolean blind;

    /**
     * Deleted or recreated topic.
     *
     * @param sentence with topic, event, checkpoint and remedy
     * @param restartHelps whether a restart from the last checkpoint mends the job
     */
    public record Finding(String sentence, boolean restartHelps) {}

    /**
     * Creates a watch.
     *
     * @param ids of the topics as of the checkpoint from which the job resumes; empty if there is
     *     none, or it lacks the ids
     */
    public TopicWatch(WatchedTopics watched, Map<String, String> ids) {
        this.watched = watched;
        this.ids = new HashMap<>(ids);
        this.admin = watched.kafka().admin(PATIENCE);
    }

    /** Returns the ids by name, to be stored in a checkpoint. */
    public Map<String, String> ids() {
        return Map.copyOf(ids);
    }

    /**
     * Asks Kafka for the topics; waits for its answer.
     *
     * @return ids by name of the existing topics
     * @throws ExecutionException if Kafka does not answer
     */
    public Map<String, String> look() throws ExecutionException, InterruptedException {
        Map<String, String> now = new HashMap<>();
        List<String> names = watched.topics().stream().map(Topic::name).toList();
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
     * Counts the messages in partitions of the packets topic that were not discovered; waits for
     * Kafka's answer.
     *
     * @param found the discovered partitions; none: no discovery has run yet, and nothing is
     *     counted
     * @throws ExecutionException if Kafka does not answer
     */
    public long unread(Set<TopicPartition> found) throws ExecutionException, InterruptedException {
        if (found.isEmpty()) {
            return 0;
        }
        Map<TopicPartition, OffsetSpec> first = new HashMap<>();
        Map<TopicPartition, OffsetSpec> last = new HashMap<>();
        List<String> packets = new ArrayList<>();
        watched.topics().stream()
                .filter(topic -> topic.role() == WatchedTopics.Role.PACKETS)
                .forEach(topic -> packets.add(topic.name()));
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

    /** Notes that Kafka did not answer; sources and sinks report it if that lasts. */
    public void cannotLook(Throwable reason) {
        if (!blind) {
            LOG.warn(
                    "the job's topics cannot be checked at {}: {}; the check is repeated",
                    watched.kafka(),
                    reason.getMessage());
        }
        blind = true;
    }

    /**
     * Compares the topics that {@link #look} found with the known ones.
     *
     * @param checkpoint the last complete one; 0: none
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
     * Handles a recreated topic.
     *
     * @param down whether it was recreated while the job was down
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
                            ? Optional.empty() // the classify operator detects and reports it
                            : Optional.of(
                                    new Finding(
                                            "topic %s (rules) was made anew: the job starts again by itself, and then takes the rules that are published there; %s. Publish them with 'sluice rules publish'"
                                                    .formatted(topic.name(), last(checkpoint)),
                                            true));
            case FOLLOWED_RULES -> Optional.empty(); // their follower detects and reports it
            case VERDICTS, DEAD_LETTERS, STATISTICS, CONNECTIONS, SHADOW -> {
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
            case VERDICTS, DEAD_LETTERS, STATISTICS, CONNECTIONS, SHADOW ->
                    lostOutput(topic, "is gone", checkpoint);
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
