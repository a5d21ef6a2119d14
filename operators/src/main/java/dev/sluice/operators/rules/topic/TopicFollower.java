package dev.sluice.operators.rules.topic;

import dev.sluice.schemas.codec.MalformedMessageException;
import dev.sluice.schemas.codec.RuleChange;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Follower of the rules topic: puts messages together to transactions, and makes versions of these.
 * All who read the topic follow it so, be it a range of it or what comes, and agree on what is in
 * it. Not thread-safe.
 */
public final class TopicFollower {
    private final RuleBook book;
    private final RuleTransactions transactions;

    /** A follower before the first message. */
    public TopicFollower() {
        this(new RuleBook());
    }

    private TopicFollower(RuleBook book) {
        this.book = book;
        this.transactions = new RuleTransactions(book);
    }

    /**
     * A follower that goes on where another was.
     *
     * @param book the rules that the other had
     * @param in what the other wrote
     * @param open messages of the transaction that was open
     */
    public static TopicFollower restored(RuleBook book, DataInputStream in, List<byte[]> open)
            throws IOException, MalformedMessageException {
        TopicFollower restored = new TopicFollower(book);
        restored.transactions.restore(in, open);
        book.read(in);
        return restored;
    }

    /**
     * The rules that transactions come to which were taken before.
     *
     * @param transactions the messages of each; a snapshot first
     * @throws IllegalStateException if one does not follow the one before
     */
    public static RuleBook replayed(Iterable<List<byte[]>> transactions) {
        TopicFollower again = new TopicFollower();
        for (List<byte[]> messages : transactions) {
            Version version = null;
            String why = "it was taken before";
            try {
                for (byte[] message : messages) {
                    version = again.accept(message, RuleTransaction.NO_TIME);
                }
            } catch (MalformedMessageException e) {
                why = e.reason() + ": " + e.detail();
            }
            if (version == null) {
                throw new IllegalStateException(
                        "a transaction of the rule history does not follow version %d: %s"
                                .formatted(again.book.version(), why));
            }
        }
        return again.book;
    }

    /** The rules of the newest version. To be read, not to be changed. */
    public RuleBook book() {
        return book;
    }

    /** State that brings another follower with the same rules to where this one is. */
    public State state() {
        ByteArrayOutputStream ofBook = new ByteArrayOutputStream(64);
        try (DataOutputStream out = new DataOutputStream(ofBook)) {
            book.write(out);
        } catch (IOException e) {
            throw new UncheckedIOException("writing to memory failed", e);
        }
        return new State(transactions.moment(), ofBook.toByteArray(), transactions.openMessages());
    }

    /**
     * A follower at a moment, beside its rules. It is written when it is asked for.
     *
     * @param moment of the transactions
     * @param book what the rules' book wrote
     * @param open messages of the transaction that is open
     */
    public record State(RuleTransactions.Moment moment, byte[] book, List<byte[]> open) {
        /** Writes what {@link #restored} reads. */
        public void write(DataOutputStream out) throws IOException {
            moment.write(out);
            out.write(book);
        }
    }

    /**
     * Takes a message.
     *
     * @param recordTimeNs time of its record, ns since 1970 UTC, or {@link RuleTransaction#NO_TIME}
     * @return the version that it makes; null if it makes none
     * @throws MalformedMessageException with the reason why a transaction or message is refused;
     *     the rules stay as they were
     */
    public @Nullable Version accept(byte[] message, long recordTimeNs)
            throws MalformedMessageException {
        RuleTransaction whole = assemble(RuleChange.decode(message), message, recordTimeNs);
        return whole == null ? null : apply(whole);
    }

    /**
     * Takes a message, as the first half of {@link #accept}.
     *
     * @return the transaction that it commits, which is to be applied; null if it commits none
     */
    public @Nullable RuleTransaction assemble(RuleChange change, byte[] message, long recordTimeNs)
            throws MalformedMessageException {
        return transactions.accept(change, message, recordTimeNs);
    }

    /**
     * Applies a transaction. If it is refused, it is passed over from now on.
     *
     * @return the version that it makes; null if it, or a later one, was taken before
     * @throws MalformedMessageException with the reason why it is refused
     */
    public @Nullable Version apply(RuleTransaction whole) throws MalformedMessageException {
        try {
            return book.apply(whole);
        } catch (MalformedMessageException e) {
            transactions.refused(whole);
            throw e;
        }
    }

    /** Tells whether a transaction has begun, and neither ended nor been refused. */
    public boolean isOpen(String transaction) {
        return transactions.isOpen(transaction);
    }

    /**
     * Says that the messages which follow begin at an earlier point of the topic, perhaps before
     * all that was seen. What lies before that is passed over.
     */
    public void rewound() {
        transactions.rewound();
    }
}
