package dev.sluice.job.ruletopic;

import dev.sluice.job.kafka.KafkaClients;
import dev.sluice.operators.rules.topic.EffectiveTimes;
import dev.sluice.policy.io.SluiceException;
import dev.sluice.schemas.codec.RuleChange.Kind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.apache.kafka.common.KafkaException;
import org.jspecify.annotations.Nullable;

/**
 * Publishes transactions on the rules to a rules topic, whole or not at all, one publisher at a
 * time.
 *
 * <p>All publishers of a topic have one transactional id. The one that takes over last fences the
 * others: Kafka aborts what they have open and refuses what they send. It then reads what stands in
 * the topic, and changes that. So a change is always one of the version before it, whoever else
 * publishes; the one that lost is told, and has changed nothing.
 *
 * <p>Whether a transaction whose commit was disturbed did commit is looked up in the topic: a call
 * that returns has published, a call that throws has not, unless its message says that it is not
 * known.
 *
 * <p>Not thread-safe.
 */
public final class RulePublisher implements AutoCloseable {
    /** Snapshots that are sent, one after the other, if heartbeats come before each of them. */
    private static final int MOST_REPAIRS = 3;

    /** The beginning of the transactional ids of all publishers. */
    public static final String TRANSACTIONS = "sluice-rules-publisher:";

    /**
     * Options of a publisher of rules.
     *
     * @param topic the rules topic
     * @param snapshotEvery changes after which a snapshot follows; 0: four times as many as there
     *     are rules, at least 20,000
     * @param keep what is kept of the history
     * @param publisher who publishes, for the log
     */
    public record Options(String topic, long snapshotEvery, RuleKeep keep, String publisher) {
        /** The defaults for a topic. */
        public static Options of(String topic) {
            String host = System.getenv().getOrDefault("HOSTNAME", "");
            String user = System.getProperty("user.name", "unknown");
            return new Options(topic, 0, RuleKeep.ALL, host.isEmpty() ? user : user + "@" + host);
        }

        /** These options with other snapshots and another history. */
        public Options with(long everySoMany, RuleKeep kept) {
            return new Options(topic, everySoMany, kept, publisher);
        }
    }

    /**
     * Receipt for transactions that were published.
     *
     * @param version the newest version
     * @param bytes of all messages
     * @param snapshot whether a snapshot is among the transactions
     */
    public record Receipt(long version, long bytes, boolean snapshot) {}

    private final Options options;
    private final RuleTopic topic;
    private final RuleTakeover takeover;

    /** Snapshots that are there, unless all are kept. */
    private final List<RuleKeep.Snapshot> snapshots = new ArrayList<>();

    private long deletedTo;
    private @Nullable RuleStanding standing;
    private boolean published;

    /** The offset behind the last message that was published. */
    private long end;

    /** A publisher to a topic, which must exist; it only reads until it takes over. */
    public RulePublisher(KafkaClients kafka, Options options, RuleTopic.Progress progress) {
        this.options = options;
        this.topic = new RuleTopic(kafka, options.topic(), progress);
        this.takeover =
                new RuleTakeover(kafka, transactionalId(options.topic()), options.topic(), topic);
    }

    /**
     * Has this publisher wait for a broker that is away, once it has taken the topic over, and then
     * publish what it was to.
     *
     * @param longest after which it fails
     * @param told hears that it waits, and that it goes on
     */
    public void waitForBroker(Duration longest, Consumer<String> told) {
        takeover.waitForBroker(longest, told);
    }

    /** Reads the content of the topic, without disturbing other publishers. */
    public RuleStanding look() {
        return topic.standing();
    }

    /**
     * Takes the topic over from other publishers, and tells what stands in it then.
     *
     * @throws SluiceException if another publisher does the same right now
     */
    public RuleStanding takeOver() {
        fenceOthers();
        return begin(topic.settled());
    }

    /**
     * Takes the topic over if nothing was published since it was looked at.
     *
     * @throws SluiceException if something was, or another publisher takes over right now
     */
    public void takeOver(RuleStanding base) {
        topic.awaitSettled(RuleTakeover.SETTLING);
        requireUnchanged(base, topic.committedEnd()); // before the others are disturbed for nothing
        fenceOthers();
        requireUnchanged(base, topic.end());
        begin(base);
    }

    private void requireUnchanged(RuleStanding base, long end) {
        long other = topic.changeBehind(base.end(), end);
        if (other != 0) {
            throw new SluiceException(
                    ("the base is stale: this was to change version %d of topic %s, but another publisher has"
                                    + " published version %d meanwhile; nothing of this was published: look at the"
                                    + " change with sluice rules diff, and run this again")
                            .formatted(base.version(), options.topic(), other));
        }
    }

    /** The transactional id of all publishers of a topic, by which one fences the others. */
    public static String transactionalId(String topic) {
        return TRANSACTIONS + topic;
    }

    private void fenceOthers() {
        try {
            takeover.fenceOthers();
        } catch (KafkaException e) {
            throw lost("takes over", e);
        }
    }

    private RuleStanding begin(RuleStanding found) {
        standing = found;
        if (!options.keep().isAll()) {
            topic.log().stream()
                    .filter(entry -> entry.kind() == Kind.SNAPSHOT && entry.refusal() == null)
                    .map(
                            entry ->
                                    new RuleKeep.Snapshot(
                                            entry.version(), entry.offset(), entry.commitTimeNs()))
                    .forEach(snapshots::add);
        }
        return found;
    }

    /**
     * Publishes transactions in this order, all of them or none. Where the content of the topic is
     * not known to be that of its newest version, they become one snapshot of the content after
     * them. A snapshot is added where one is due, and where a heartbeat came before them that this
     * publisher had not seen: it brings the rules into force behind the heartbeat.
     *
     * @param content the rules as they are after the transactions
     * @throws SluiceException if nothing was published, or if its message says so, if that is not
     *     known; the publisher is of no use then. Also if such a heartbeat rules out a time that a
     *     draft gives: its message says what is in force
     * @throws IllegalStateException if the topic was not taken over
     */
    public Receipt publish(List<RuleDraft> drafts, RuleDraft.Content content) {
        Receipt receipt = publishOnce(drafts, content);
        RuleStanding now = standing;
        if (now == null || now.whole()) {
            return receipt;
        }
        long version = now.version();
        long bytes = receipt.bytes();
        RuleDraft last = drafts.get(drafts.size() - 1);
        for (int left = MOST_REPAIRS; now != null && !now.whole(); left--, now = standing) {
            if (left == 0) {
                throw ruledOut(version, now);
            }
            RuleDraft behind = last.notBefore(now.earliestNs());
            receipt = publishOnce(List.of(behind), content);
            bytes += receipt.bytes();
        }
        if (now != null && drafts.stream().anyMatch(draft -> draft.effectiveTimeNs() != null)) {
            throw ruledOut(version, now);
        }
        return new Receipt(receipt.version(), bytes, receipt.snapshot());
    }

    private SluiceException ruledOut(long version, RuleStanding now) {
        return new SluiceException(
                ("version %d was published to topic %s, but a heartbeat up to %s came before it, so that readers"
                                + " drop it or disagree on its time: %s")
                        .formatted(
                                version,
                                options.topic(),
                                EffectiveTimes.instant(now.heartbeatNs()),
                                now.whole()
                                        ? "its rules are in force as version %d, from %s on"
                                                .formatted(
                                                        now.version(),
                                                        EffectiveTimes.instant(now.inForceNs()))
                                        : "see that the clock of sluice rules heartbeat is right, and publish it again"));
    }

    private Receipt publishOnce(List<RuleDraft> drafts, RuleDraft.Content content) {
        RuleSending sending = sending();
        sending.requirePossible(drafts);
        long began = System.nanoTime();
        try {
            sending.begin();
            sending.sendAll(drafts, content);
            sending.commit();
        } catch (KafkaException e) {
            if (takeover.isAway(e, began)) {
                if (!backAsCommitted(sending, e)) {
                    return publishOnce(drafts, content);
                }
            } else if (!takeover.settledAsCommitted(sending, e)) {
                throw lost("publishes", e);
            }
        }
        RuleStanding after = sending.standing();
        standing = after;
        end = sending.end();
        published = true;
        snapshots.addAll(sending.snapshots());
        hearMeanwhile(sending);
        return new Receipt(after.version(), sending.bytes(), sending.snapshot());
    }

    /**
     * Says that no other version comes into force up to now, by the clock that stamps this
     * publisher's commits. It is a transaction as others are: a publisher that is fenced is told.
     * Where there are no rules, nothing is sent.
     *
     * @throws SluiceException if Kafka does not take it; the publisher is of no use then
     * @throws IllegalStateException if the topic was not taken over
     */
    public void heartbeat() {
        RuleSending sending = sending();
        if (sending.standing().snapshotOffset() < 0) {
            return;
        }
        long began = System.nanoTime();
        try {
            sending.begin();
            sending.sendHeartbeat();
            sending.commit();
        } catch (KafkaException e) {
            if (takeover.isAway(e, began)) {
                backAsCommitted(sending, e); // the next heartbeat says more than this one
                return;
            }
            sending.abort(e);
            throw lost("sends a heartbeat", e);
        }
        standing = sending.standing();
        end = sending.end();
    }

    private RuleSending sending() {
        RuleStanding base = standing;
        if (base == null) {
            throw new IllegalStateException("take the topic over first");
        }
        return new RuleSending(
                takeover.producer(),
                options.topic(),
                options.publisher(),
                options.snapshotEvery(),
                base);
    }

    /**
     * Heartbeats may have been sent after this publisher looked: readers may drop what was
     * published, and others who do not read the heartbeats take it. Then it is not whole.
     */
    private void hearMeanwhile(RuleSending sending) {
        RuleStanding after = sending.standing();
        if (sending.ownTimeNs() == Long.MAX_VALUE) {
            return;
        }
        try {
            long heartbeat = topic.latestHeartbeat(after.history(), after.end(), sending.end());
            boolean parted = sending.ownTimeNs() <= heartbeat;
            standing = after.withHeartbeats(heartbeat, sending.end(), parted);
        } catch (KafkaException | SluiceException e) {
            throw new SluiceException(
                    "version %d was published, but whether a heartbeat rules it out is not known: %s; see sluice rules log"
                            .formatted(after.version(), e.getMessage()),
                    e);
        }
    }

    /** Waits for the broker; whether the transaction is committed. */
    private boolean backAsCommitted(RuleSending sending, KafkaException e) {
        RuleStanding stood = standing;
        standing = null; // of no use if the broker stays away
        boolean committed = takeover.backAsCommitted(sending, e);
        standing = stood;
        return committed;
    }

    /**
     * Ends the use of this publisher.
     *
     * @param doing work under way when Kafka refused it
     */
    public SluiceException lost(String doing, KafkaException e) {
        RuleStanding stood = standing;
        standing = null;
        return takeover.lost(doing, e, stood, end);
    }

    /**
     * Deletes the records that the options do not keep.
     *
     * @return the snapshot that is the first to be kept, or null if nothing was deleted
     * @throws SluiceException if Kafka does not delete them
     */
    public RuleKeep.@Nullable Snapshot deleteOld() {
        RuleStanding now = standing;
        RuleKeep.Snapshot first =
                options.keep().first(snapshots, System.currentTimeMillis() * 1_000_000L);
        if (now == null || first == null || first.offset() <= Math.max(now.start(), deletedTo)) {
            return null;
        }
        topic.deleteBefore(first.offset());
        deletedTo = first.offset();
        return first;
    }

    @Override
    public void close() {
        takeover.close(Duration.ofSeconds(5));
        try {
            if (published) {
                topic.awaitSettled(
                        RuleTakeover.SETTLING); // what was published can be read from now on
            }
        } finally {
            topic.close();
        }
    }
}
