package dev.sluice.job.ruletopic;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sluice.operators.rules.topic.EffectiveTimes;
import dev.sluice.operators.rules.topic.RuleBook;
import dev.sluice.operators.rules.topic.RuleTransaction;
import dev.sluice.operators.rules.topic.TopicFollower;
import dev.sluice.operators.rules.topic.Version;
import dev.sluice.schemas.codec.MalformedMessageException;
import dev.sluice.schemas.codec.RuleChange;
import dev.sluice.schemas.codec.RuleChange.Kind;
import dev.sluice.schemas.codec.RuleChange.Phase;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.Header;
import org.jspecify.annotations.Nullable;

/**
 * Follower of a rules topic, which tells of each transaction what it did: {@link RuleTopic#readOn}
 * brings it the messages. Not thread-safe.
 */
public final class RuleScan implements Consumer<ConsumerRecord<byte[], byte[]>> {
    /** Header of a BEGIN: who publishes. */
    static final String PUBLISHER = "publisher";

    /** Header of a COMMIT: offset at which the newest snapshot begins, 8 bytes. */
    static final String SNAPSHOT = "snapshot";

    /** Takes what was found. */
    public interface Sink {
        /**
         * A transaction.
         *
         * @param version the version that it makes, or null if it is refused
         */
        void take(RuleLogEntry entry, @Nullable Version version);
    }

    private final TopicFollower follower = new TopicFollower();
    private final Sink sink;

    /** The newest version that a BEGIN named, by history: others may have been begun in between. */
    private final Map<String, Long> newest = new HashMap<>();

    /** The transaction whose BEGIN came last; null before the first. */
    private @Nullable Begun begun;

    private long snapshotOffset = -1;
    private long next;

    /** A scan from the start of the topic. */
    public RuleScan(Sink sink) {
        this(sink, 0);
    }

    /**
     * A scan of a part of the topic.
     *
     * @param from an offset at which no transaction is open
     */
    RuleScan(Sink sink, long from) {
        this.sink = sink;
        this.next = from;
    }

    /** The offset from which on nothing was read. */
    long next() {
        return next;
    }

    /** All before an offset was read. */
    void readTo(long end) {
        next = Math.max(next, end);
    }

    /** A transaction that was begun, and how long its messages are so far. */
    private static final class Begun {
        final RuleChange begin;
        final String publisher;
        final long offset;
        long bytes;

        Begun(RuleChange begin, ConsumerRecord<byte[], byte[]> message) {
            this.begin = begin;
            Header by = message.headers().lastHeader(PUBLISHER);
            publisher = by == null ? "" : new String(by.value(), UTF_8);
            offset = message.offset();
        }
    }

    @Override
    public void accept(ConsumerRecord<byte[], byte[]> message) {
        if (message.value() != null) {
            accept(message, message.value());
        }
        readTo(message.offset() + 1);
    }

    private void accept(ConsumerRecord<byte[], byte[]> message, byte[] value) {
        RuleChange change;
        try {
            change = RuleChange.decode(value);
        } catch (MalformedMessageException e) {
            sink.take(RuleLogEntry.unreadable(message, words(e)), null);
            return;
        }
        Begun before = begun;
        if (change.phase() == Phase.BEGIN) {
            begin(change, message);
        }
        Begun now = begun;
        boolean itsOwn = now != null && now.begin.transaction().equals(change.transaction());
        if (now != null && itsOwn) {
            now.bytes += value.length;
        }
        RuleTransaction done = null;
        try {
            done = follower.assemble(change, value, timeNs(message));
            Version version = done == null ? null : follower.apply(done);
            if (version != null && done != null && now != null) {
                if (done.kind() == Kind.SNAPSHOT) {
                    snapshotOffset = now.offset;
                }
                sink.take(entry(now, done, message, null), version);
            }
        } catch (MalformedMessageException e) {
            // A BEGIN that is taken ends the one before, which has no COMMIT.
            Begun refused = follower.isOpen(change.transaction()) ? before : itsOwn ? now : null;
            sink.take(
                    refused == null
                            ? RuleLogEntry.unreadable(message, words(e))
                            : entry(refused, done, message, words(e)),
                    null);
        }
        if (change.phase() == Phase.BEGIN && !follower.isOpen(change.transaction())) {
            begun = before; // refused or passed over: what was open stays open
        }
    }

    private void begin(RuleChange change, ConsumerRecord<byte[], byte[]> message) {
        begun = new Begun(change, message);
        if (RuleTransaction.isVersion(change.version())) {
            newest.merge(change.history(), change.version(), Math::max);
        }
    }

    private static String words(MalformedMessageException e) {
        return e.reason() + ": " + e.detail();
    }

    private static long timeNs(ConsumerRecord<byte[], byte[]> message) {
        return message.timestamp() * 1_000_000L;
    }

    /**
     * Entry of a transaction.
     *
     * @param done the transaction; null if it is not whole
     * @param last the message that ended it
     */
    private RuleLogEntry entry(
            Begun from,
            @Nullable RuleTransaction done,
            ConsumerRecord<byte[], byte[]> last,
            @Nullable String refusal) {
        RuleChange begin = from.begin;
        return new RuleLogEntry(
                begin.history(),
                begin.version(),
                begin.base(),
                begin.kind(),
                done == null ? 0 : done.puts().size(),
                done == null ? 0 : done.removes().size(),
                begin.ruleSet(),
                begin.defaultAction(),
                begin.effectiveTimeNs(),
                refusal == null ? book().effectiveTimeNs() : EffectiveTimes.NONE,
                timeNs(last),
                from.publisher,
                from.bytes,
                from.offset,
                last.offset(),
                refusal);
    }

    /** The rules that the transactions came to. */
    public RuleBook book() {
        return follower.book();
    }

    /**
     * The newest version that a BEGIN of the content's history named, or, while there is no
     * content, of the history that was begun last; 0 for none.
     */
    long newestVersion() {
        Begun last = begun;
        String history =
                last == null || !book().isEmpty() ? book().history() : last.begin.history();
        return Math.max(0, newest.getOrDefault(history, 0L));
    }

    /** Offset of the snapshot that the content is built on; -1 for none. */
    long snapshotOffset() {
        return snapshotOffset;
    }

    /** The offset in a header that {@link #SNAPSHOT} names, or -1 where there is none. */
    static long snapshotHeader(ConsumerRecord<byte[], byte[]> message) {
        Header header = message.headers().lastHeader(SNAPSHOT);
        return header == null || header.value().length != Long.BYTES
                ? -1
                : ByteBuffer.wrap(header.value()).getLong();
    }
}
