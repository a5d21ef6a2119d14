package dev.sluice.job.ruletopic;

import dev.sluice.engine.rules.RuleSet;
import dev.sluice.job.kafka.KafkaClients;
import dev.sluice.job.kafka.PartitionReader;
import dev.sluice.operators.rules.topic.RuleBook;
import dev.sluice.policy.io.SluiceException;
import dev.sluice.schemas.codec.MalformedMessageException;
import dev.sluice.schemas.codec.RuleChange;
import dev.sluice.schemas.codec.RuleChange.Kind;
import dev.sluice.schemas.codec.RuleChange.Phase;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.Uuid;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The rules topic of a cluster, read from outside a job: its newest content, its content at any
 * version that is kept, its log. Only committed messages are read.
 *
 * <p>The newest content needs the newest snapshot and what follows. The offset at which that
 * snapshot begins is in a header of each COMMIT and of each heartbeat. A topic without such headers
 * is read from its start.
 *
 * <p>Not thread-safe.
 */
public final class RuleTopic implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(RuleTopic.class);

    /** Usually the last records of a topic: the COMMIT of a transaction, and Kafka's own. */
    private static final int LAST_RECORDS = 16;

    /** Hears how far reading has come. */
    public interface Progress {
        /** Of so many records so many are read. */
        void at(long done, long total);
    }

    private final String topic;
    private final PartitionReader reader;
    private final RuleTopicSettings settings;
    private final Progress progress;

    /** Opens a topic, which must exist. */
    public RuleTopic(KafkaClients kafka, String topic, Progress progress) {
        this.topic = topic;
        this.progress = progress;
        this.settings = new RuleTopicSettings(kafka, topic);
        this.reader = new PartitionReader(kafka, topic);
    }

    /** Opens a topic, which must exist, for who does not ask how far reading has come. */
    public RuleTopic(KafkaClients kafka, String topic) {
        this(kafka, topic, (done, total) -> {});
    }

    /** Reads what is committed and was not read before, as far as it is there. */
    public void readOn(RuleScan scan) {
        long from = Math.max(scan.next(), reader.start());
        long end = reader.committedEnd();
        read(from, end, scan);
        scan.readTo(end);
    }

    /**
     * Reads the content of the topic.
     *
     * @throws SluiceException if it cannot be read
     */
    public RuleStanding standing() {
        return standing(reader.committedEnd());
    }

    /** Content of the topic before an offset. */
    private RuleStanding standing(long end) {
        long start = reader.start();
        long from = newestSnapshot(start, end);
        RuleStanding standing = scan(start, from, end);
        return standing.snapshotOffset() < 0 && from > start ? scan(start, start, end) : standing;
    }

    private RuleStanding scan(long start, long from, long end) {
        long[] changes = new long[1]; // since the last snapshot
        RuleScan scan =
                new RuleScan(
                        (entry, made) -> {
                            if (made != null) {
                                changes[0] =
                                        entry.kind() == Kind.SNAPSHOT
                                                ? 0
                                                : changes[0] + entry.changes();
                            }
                        });
        read(from, end, scan);
        RuleBook book = scan.book();
        RuleSet rules = book.ruleSet();
        return new RuleStanding(
                rules,
                rules == null ? "" : book.history(),
                scan.newestVersion(),
                rules != null
                        && !book.waitsForSnapshot()
                        && rules.version() == scan.newestVersion(),
                book.effectiveTimeNs(),
                book.heartbeatNs(),
                start,
                end,
                scan.snapshotOffset(),
                changes[0]);
    }

    private void read(long from, long to, Consumer<ConsumerRecord<byte[], byte[]>> taker) {
        reader.read(
                from,
                to,
                message -> {
                    taker.accept(message);
                    progress.at(message.offset() + 1 - from, to - from);
                });
        if (from < to) {
            progress.at(to - from, to - from); // the last record is Kafka's own: a commit
        }
    }

    /** Offset of the newest snapshot, as far as that is known, else of the start. */
    private long newestSnapshot(long start, long end) {
        long[] named = {-1};
        long read = end;
        for (long last = LAST_RECORDS; named[0] < 0 && read > start; last *= LAST_RECORDS) {
            long from = Math.max(start, end - last);
            reader.read(
                    from,
                    read,
                    message -> named[0] = Math.max(named[0], RuleScan.snapshotHeader(message)));
            read = from;
        }
        return named[0] < end ? Math.max(start, named[0]) : start;
    }

    /**
     * Offset for a reader of the newest rules only: that of the newest snapshot, or of the start of
     * the topic where it is not known.
     *
     * @param end offset behind the rules that are of interest; Long.MAX_VALUE: all that is
     *     committed
     */
    public static long newestSnapshot(KafkaClients kafka, String topic, long end) {
        try (RuleTopic open = new RuleTopic(kafka, topic)) {
            return open.readFrom(Math.min(end, open.reader.committedEnd()));
        }
    }

    /** Offset for a reader of the newest rules before an offset. */
    long readFrom(long end) {
        long start = reader.start();
        long from = newestSnapshot(start, end);
        return from > start && !beginsSnapshot(from, end) ? start : from;
    }

    private boolean beginsSnapshot(long offset, long end) {
        boolean[] is = new boolean[1];
        changes(
                offset,
                Math.min(offset + 1, end),
                change -> is[0] = change.phase() == Phase.BEGIN && change.kind() == Kind.SNAPSHOT);
        return is[0];
    }

    /** Takes the messages between two offsets, but for those that only the log shows. */
    private void changes(long offset, long end, Consumer<RuleChange> taker) {
        reader.read(
                offset,
                end,
                message -> {
                    try {
                        if (message.value() != null) {
                            taker.accept(RuleChange.decode(message.value()));
                        }
                    } catch (MalformedMessageException e) {
                        LOG.debug("no message of rules at offset {}", message.offset(), e);
                    }
                });
    }

    /** The offset behind the last committed message. */
    long committedEnd() {
        return reader.committedEnd();
    }

    /**
     * The first change of rules behind an offset.
     *
     * @param end offset to look up to; waits until everything before it is committed or aborted
     * @return its version, or 0 if there is none
     */
    long changeBehind(long offset, long end) {
        return firstVersion(offset, end, change -> change.phase() != Phase.HEARTBEAT);
    }

    /** The version of the first message of interest between two offsets, or 0 if there is none. */
    private long firstVersion(long offset, long end, Predicate<RuleChange> ofInterest) {
        long[] version = new long[1];
        changes(
                offset,
                end,
                change -> {
                    if (version[0] == 0 && ofInterest.test(change)) {
                        version[0] = change.version();
                    }
                });
        return version[0];
    }

    /**
     * The first version that follows what stood in the topic, once one is committed.
     *
     * @param offset behind the last message of who asks
     * @param patience after which it is waited for no longer
     * @return it, or 0 if there is none
     */
    long awaitVersionAfter(RuleStanding stood, long offset, Duration patience) {
        long until = System.nanoTime() + patience.toNanos();
        long version;
        do {
            version =
                    firstVersion(
                            Math.max(offset, reader.start()),
                            reader.committedEnd(),
                            change ->
                                    change.phase() == Phase.BEGIN
                                            && (change.version() > stood.version()
                                                    || !change.history().equals(stood.history())));
        } while (version == 0 && System.nanoTime() - until < 0);
        return version;
    }

    /** Tells whether a transaction was committed behind an offset. */
    boolean holds(String transaction, long offset, long end) {
        boolean[] found = new boolean[1];
        changes(
                offset,
                end,
                change ->
                        found[0] |=
                                change.phase() == Phase.COMMIT
                                        && change.transaction().equals(transaction));
        return found[0];
    }

    /**
     * The latest time of a history's heartbeats between two offsets.
     *
     * @return it, or Long.MIN_VALUE if there is none
     */
    long latestHeartbeat(String history, long offset, long end) {
        long[] latest = {Long.MIN_VALUE};
        changes(
                offset,
                end,
                change -> {
                    Long until = change.effectiveTimeNs();
                    if (change.phase() == Phase.HEARTBEAT
                            && change.history().equals(history)
                            && until != null) {
                        latest[0] = Math.max(latest[0], until);
                    }
                });
        return latest[0];
    }

    /** Content of the topic once all that was sent is committed or aborted. */
    RuleStanding settled() {
        return standing(end());
    }

    /**
     * Waits until all that was sent is committed or aborted. Kafka answers a commit before readers
     * see it.
     *
     * @param patience after which it waits no longer: a dead publisher may have left a transaction
     */
    void awaitSettled(Duration patience) {
        long sent = settings.end();
        long end = System.nanoTime() + patience.toNanos();
        while (reader.committedEnd() < sent && System.nanoTime() - end < 0) {
            Thread.onSpinWait(); // each look is a request to the broker
        }
    }

    /** The offset behind the last message, committed or not. */
    public long end() {
        return settings.end();
    }

    /**
     * The content at a version of the newest history.
     *
     * @throws SluiceException if there is no such version, or it is not kept any more
     */
    public RuleSet at(long version) {
        long[] bounds = {Long.MAX_VALUE, 0};
        RuleSet[] found = new RuleSet[1];
        RuleScan[] scan = new RuleScan[1];
        scan[0] =
                new RuleScan(
                        (entry, made) -> {
                            if (made == null) {
                                return;
                            }
                            if (made.newHistory()) {
                                bounds[0] = Long.MAX_VALUE;
                                bounds[1] = 0;
                                found[0] = null;
                            }
                            bounds[0] = Math.min(bounds[0], entry.version());
                            bounds[1] = Math.max(bounds[1], entry.version());
                            if (entry.version() == version) {
                                found[0] = scan[0].book().newest();
                            }
                        });
        readOn(scan[0]);
        if (found[0] == null) {
            throw new SluiceException(
                    bounds[1] == 0
                            ? "topic %s holds no rules; publish some with sluice rules publish"
                                    .formatted(topic)
                            : "topic %s has no version %d; it keeps versions %d to %d, and sluice rules log lists them"
                                    .formatted(topic, version, bounds[0], bounds[1]));
        }
        return found[0];
    }

    /** All transactions that are kept, the oldest first, and what is refused among them. */
    public List<RuleLogEntry> log() {
        List<RuleLogEntry> entries = new ArrayList<>();
        RuleScan scan = new RuleScan((entry, version) -> entries.add(entry));
        readOn(scan);
        return entries;
    }

    /** As {@link RuleTopicSettings#id()}. */
    Uuid id() {
        return settings.id();
    }

    /** Deletes the records before an offset. */
    public void deleteBefore(long offset) {
        settings.deleteBefore(offset);
    }

    /** The first offset that is there. */
    public long start() {
        return reader.start();
    }

    @Override
    public void close() {
        reader.close();
        settings.close();
    }
}
