package dev.sluice.job.kafka;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sluice.operators.rules.RuleBook;
import dev.sluice.operators.rules.RuleTransaction;
import dev.sluice.operators.rules.RuleTransactions;
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
 * Follows the messages of the rules topic and tells of each transaction what it did. Not
 * thread-safe.
 */
final class RuleScan implements Consumer<ConsumerRecord<byte[], byte[]>> {
    /** Header of a BEGIN: who publishes. */
    static final String PUBLISHER = "publisher";

    /** Header of a COMMIT: offset at which the newest snapshot begins, 8 bytes. */
    static final String SNAPSHOT = "snapshot";

    /** No BEGIN is longer; what is longer is not looked into twice. */
    private static final int LONGEST_BEGIN = 1 << 14;

    /** Takes what was found. */
    interface Sink {
        /**
         * A transaction.
         *
         * @param transaction the transaction, or null if it is not whole
         */
        void take(RuleLogEntry entry, @Nullable RuleTransaction transaction);
    }

    private final RuleBook book = new RuleBook();
    private final RuleTransactions transactions = new RuleTransactions(book);
    private final Sink sink;

    /** The newest version that a BEGIN named, by history: others may have been begun in between. */
    private final Map<String, Long> newest = new HashMap<>();

    private @Nullable RuleChange begin;
    private String publisher = "";
    private long beginOffset;
    private long bytes;
    private long snapshotOffset = -1;

    /** A scan from an offset at which no transaction is open. */
    RuleScan(Sink sink) {
        this.sink = sink;
    }

    @Override
    public void accept(ConsumerRecord<byte[], byte[]> message) {
        byte[] value = message.value();
        if (value == null) {
            return;
        }
        RuleTransaction done = null;
        try {
            if (value.length <= LONGEST_BEGIN) {
                RuleChange change = RuleChange.decode(value);
                if (change.phase() == Phase.BEGIN) {
                    begin(change, message);
                }
            }
            bytes += value.length;
            done = transactions.accept(value, message.timestamp() * 1_000_000L);
            if (done != null && book.apply(done) != null) {
                if (done.kind() == Kind.SNAPSHOT) {
                    snapshotOffset = beginOffset;
                }
                report(done, message, null);
            }
        } catch (MalformedMessageException e) {
            report(done, message, e.reason() + ": " + e.detail());
        }
    }

    private void begin(RuleChange change, ConsumerRecord<byte[], byte[]> message) {
        begin = change;
        Header by = message.headers().lastHeader(PUBLISHER);
        publisher = by == null ? "" : new String(by.value(), UTF_8);
        beginOffset = message.offset();
        bytes = 0;
        newest.merge(change.history(), change.version(), Math::max);
    }

    private void report(
            @Nullable RuleTransaction done,
            ConsumerRecord<byte[], byte[]> message,
            @Nullable String refusal) {
        RuleChange started = begin;
        if (done == null || started == null) {
            sink.take(refused(message, String.valueOf(refusal)), null);
            return;
        }
        sink.take(
                new RuleLogEntry(
                        done.history(),
                        done.version(),
                        done.base(),
                        done.kind(),
                        done.puts().size(),
                        done.removes().size(),
                        done.ruleSet(),
                        done.effectiveTimeNs(),
                        book.effectiveTimeNs(),
                        done.commitTimeNs(),
                        publisher,
                        bytes,
                        beginOffset,
                        message.offset(),
                        refusal),
                done);
    }

    /** What is known of a transaction that is not whole, or of a message that is none. */
    private RuleLogEntry refused(ConsumerRecord<byte[], byte[]> message, String refusal) {
        RuleChange started = begin;
        return new RuleLogEntry(
                started == null ? "" : started.history(),
                started == null ? 0 : started.version(),
                started == null ? null : started.base(),
                started == null ? Kind.UNKNOWN : started.kind(),
                0,
                0,
                started == null ? "" : started.ruleSet(),
                started == null ? null : started.effectiveTimeNs(),
                book.effectiveTimeNs(),
                message.timestamp() * 1_000_000L,
                publisher,
                bytes,
                beginOffset,
                message.offset(),
                refusal);
    }

    /** The content that the transactions came to. */
    RuleBook book() {
        return book;
    }

    /**
     * The newest version that a BEGIN of the content's history named, or, while there is no
     * content, of the history that was begun last; 0 for none.
     */
    long newestVersion() {
        RuleChange last = begin;
        String history = last == null || !book.isEmpty() ? book.history() : last.history();
        return Math.max(0, newest.getOrDefault(history, 0L));
    }

    /** Where the snapshot begins that the content is built on; -1 for none. */
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
