package dev.sluice.job.ruletopic;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sluice.engine.rules.Rule;
import dev.sluice.engine.rules.RuleDelta;
import dev.sluice.operators.rules.topic.EffectiveTimes;
import dev.sluice.operators.rules.topic.RuleSetMessages;
import dev.sluice.operators.rules.topic.RuleTransaction;
import dev.sluice.policy.io.SluiceException;
import dev.sluice.schemas.codec.RuleChange;
import dev.sluice.schemas.codec.RuleChange.Kind;
import dev.sluice.schemas.codec.TextLimit;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaException;
import org.jspecify.annotations.Nullable;

/** The messages of one Kafka transaction of a publisher on their way. */
final class RuleSending {
    /** Without other instructions a snapshot follows when so many changes came after the last. */
    private static final long LEAST_CHANGES = 20_000;

    private static final long CHANGES_BY_RULE = 4;

    /** Longer names of rule sets are cut. */
    private static final int LONGEST_NAME = 1000;

    private final KafkaProducer<byte[], byte[]> to;
    private final String topic;
    private final String publisher;
    private final long snapshotEvery;
    private final RuleStanding base;
    private final List<Future<RecordMetadata>> sent = new ArrayList<>();
    private RuleStanding standing;
    private String lastTransaction = "";
    private long bytes;
    private boolean committing;
    private long end;
    private long ownTimeNs = Long.MAX_VALUE;
    private final List<RuleKeep.Snapshot> snapshots = new ArrayList<>();

    /**
     * A Kafka transaction that is to change what stands in the topic.
     *
     * @param publisher who publishes, for the log
     * @param snapshotEvery changes after which a snapshot follows; 0: as many as the rules ask for
     */
    RuleSending(
            KafkaProducer<byte[], byte[]> to,
            String topic,
            String publisher,
            long snapshotEvery,
            RuleStanding base) {
        this.to = to;
        this.topic = topic;
        this.publisher = publisher;
        this.snapshotEvery = snapshotEvery;
        this.base = base;
        this.standing = base;
    }

    /** Content of the topic before this sending. */
    RuleStanding base() {
        return base;
    }

    /** Tells whether the commit was begun. */
    boolean isCommitting() {
        return committing;
    }

    boolean snapshot() {
        return standing.snapshotOffset() != base.snapshotOffset();
    }

    /**
     * Looks whether transactions may follow what stands.
     *
     * @throws SluiceException if no version is left for them, or they state times that go back or
     *     that a heartbeat has ruled out
     */
    void requirePossible(List<RuleDraft> drafts) {
        // One more than the drafts: a snapshot may follow.
        if (!RuleTransaction.isVersion(base.version() + drafts.size() + 1)) {
            throw new SluiceException(
                    ("topic %s has come to version %d, and none above %d is possible; publish the rules to a topic"
                                    + " that is made anew, where versions begin at 1")
                            .formatted(topic, base.version(), RuleTransaction.MAX_VERSION));
        }
        long latest = base.inForceNs();
        for (RuleDraft draft : drafts) {
            Long given = draft.effectiveTimeNs();
            if (given != null && given < latest) {
                throw new SluiceException(
                        ("the effective time %s is before %s, from which version %d is in force;"
                                        + " effective times never decrease: give a later one, or none")
                                .formatted(
                                        EffectiveTimes.instant(given),
                                        EffectiveTimes.instant(latest),
                                        base.version()));
            }
            if (given != null && given <= base.heartbeatNs()) {
                throw new SluiceException(
                        ("the effective time %s is not after %s, up to which a heartbeat says that no other version"
                                        + " comes into force: give a later one, or none")
                                .formatted(
                                        EffectiveTimes.instant(given),
                                        EffectiveTimes.instant(base.heartbeatNs())));
            }
            latest = given == null ? latest : given;
        }
    }

    void begin() {
        to.beginTransaction();
    }

    /**
     * Aborts what a failure has stopped, unless its commit was begun.
     *
     * @return whether it was not, so that nothing was published
     */
    boolean abort(KafkaException failure) {
        if (committing) {
            return false;
        }
        try {
            to.abortTransaction();
        } catch (KafkaException | IllegalStateException e) {
            failure.addSuppressed(e); // fenced, or out of reach: Kafka aborts it
        }
        return true;
    }

    void sendAll(List<RuleDraft> drafts, RuleDraft.Content content) {
        RuleDraft last = drafts.get(drafts.size() - 1);
        if (!standing.whole() && (drafts.size() > 1 || last.delta() != null)) {
            send(snapshotAfter(last, content.rules()));
            return;
        }
        drafts.forEach(this::send);
        if (last.delta() != null
                && standing.changesSince() >= atLeast()
                && (snapshotEvery > 0
                        || standing.changesSince() >= CHANGES_BY_RULE * content.size())) {
            send(snapshotAfter(last, content.rules()));
        }
    }

    private long atLeast() {
        return snapshotEvery > 0 ? snapshotEvery : LEAST_CHANGES;
    }

    /**
     * The time that a transaction states. A snapshot that states none would get that of its COMMIT
     * by who begins to read there, even if the version or the heartbeat before it lies ahead. So it
     * also tells such readers, publishers among them, of a heartbeat that they do not read.
     */
    private @Nullable Long effectiveTime(RuleDraft draft, long nowNs) {
        Long given = draft.effectiveTimeNs();
        long earliestNs = standing.earliestNs();
        return given == null && draft.delta() == null && earliestNs > nowNs
                ? Long.valueOf(earliestNs)
                : given;
    }

    private static long nowNs() {
        return System.currentTimeMillis() * 1_000_000L;
    }

    /** A snapshot of what is published, in force from the same time on. */
    private RuleDraft snapshotAfter(RuleDraft last, List<Rule> rules) {
        return RuleDraft.snapshot(
                last.ruleSet(), last.defaultAction(), last.effectiveTimeNs(), rules);
    }

    private void send(RuleDraft draft) {
        RuleDelta delta = draft.delta();
        boolean snapshot = delta == null;
        String history =
                standing.history().isEmpty() ? UUID.randomUUID().toString() : standing.history();
        long now = nowNs();
        Long effective = effectiveTime(draft, now);
        if (effective != null || snapshot) {
            ownTimeNs = Math.min(ownTimeNs, effective == null ? now : effective);
        }
        lastTransaction = UUID.randomUUID().toString();
        RuleChange begin =
                RuleChange.begin(
                        lastTransaction,
                        history,
                        standing.version() + 1,
                        snapshot ? null : standing.version(),
                        effective,
                        snapshot ? Kind.SNAPSHOT : Kind.DELTA,
                        cut(draft.ruleSet()),
                        draft.defaultAction());
        requireBounded("default action", draft.defaultAction());
        for (Rule rule : delta == null ? draft.rules() : delta.inserts()) {
            requireBounded("action of rule " + rule.id(), rule.action());
        }
        List<byte[]> messages =
                delta == null
                        ? RuleSetMessages.snapshot(begin, draft.rules())
                        : RuleSetMessages.delta(begin, delta);
        long snapshotOffset = standing.snapshotOffset();
        for (int i = 0; i < messages.size(); i++) {
            ProducerRecord<byte[], byte[]> message =
                    new ProducerRecord<>(topic, 0, null, messages.get(i));
            if (i == 0) {
                message.headers().add(RuleScan.PUBLISHER, publisher.getBytes(UTF_8));
            }
            if (i == messages.size() - 1) {
                byte[] offset = ByteBuffer.allocate(8).putLong(snapshotOffset).array();
                message.headers().add(RuleScan.SNAPSHOT, offset);
            }
            Future<RecordMetadata> future = to.send(message);
            bytes += messages.get(i).length;
            if (i == 0 && snapshot) {
                snapshotOffset = offset(future);
            } else {
                sent.add(future);
            }
        }
        if (snapshot) {
            snapshots.add(new RuleKeep.Snapshot(standing.version() + 1, snapshotOffset, now));
        }
        standing =
                new RuleStanding(
                        standing.rules(),
                        history,
                        standing.version() + 1,
                        true,
                        effective == null ? Math.max(standing.earliestNs(), now) : effective,
                        standing.heartbeatNs(),
                        standing.start(),
                        standing.end(),
                        snapshotOffset,
                        snapshot ? 0 : standing.changesSince() + draft.changes());
    }

    /** Says that no other version comes into force up to now. */
    void sendHeartbeat() {
        long until = nowNs();
        sent.add(
                to.send(
                        RuleHeartbeats.record(
                                topic,
                                standing.history(),
                                standing.version(),
                                until,
                                standing.snapshotOffset())));
        // Heartbeats of others behind the base are still to be looked for.
        standing = standing.withHeartbeats(until, base.end(), false);
    }

    void commit() {
        to.flush();
        for (Future<RecordMetadata> future : sent) {
            end = Math.max(end, offset(future) + 1);
        }
        committing = true;
        to.commitTransaction();
    }

    private long offset(Future<RecordMetadata> future) {
        try {
            return future.get().offset();
        } catch (ExecutionException e) {
            throw e.getCause() instanceof KafkaException kafka ? kafka : new KafkaException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new SluiceException("interrupted while rules were sent", e);
        }
    }

    /** Refuses a text that a job would not take, and that every verdict repeats. */
    private static void requireBounded(String what, String text) {
        if (!TextLimit.holds(text)) {
            throw new SluiceException(
                    "the %s has more than %d bytes, which a job does not take; shorten it"
                            .formatted(what, TextLimit.BYTES));
        }
    }

    private static String cut(String name) {
        return name.length() > LONGEST_NAME ? name.substring(0, LONGEST_NAME) : name;
    }

    /** Content of the topic if this is committed. */
    RuleStanding standing() {
        return standing;
    }

    /**
     * The earliest time that some reader takes from a transaction alone: what it states, or the
     * COMMIT of a snapshot that states nothing. Long.MAX_VALUE: there is none.
     */
    long ownTimeNs() {
        return ownTimeNs;
    }

    /** The offset behind the last message, once the commit was begun. */
    long end() {
        return end;
    }

    /** Snapshots that are added. */
    List<RuleKeep.Snapshot> snapshots() {
        return snapshots;
    }

    /** Bytes of all messages. */
    long bytes() {
        return bytes;
    }

    /** Id of the last transaction. */
    String lastTransaction() {
        return lastTransaction;
    }
}
