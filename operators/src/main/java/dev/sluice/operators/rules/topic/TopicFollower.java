package dev.sluice.operators.rules.topic;

import dev.sluice.schemas.codec.DeadLetterReason;
import dev.sluice.schemas.codec.MalformedMessageException;
import dev.sluice.schemas.codec.RuleChange;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Follower of the rules topic: puts messages together to transactions, and makes versions of these.
 * All who read the topic follow it so, be it a range of it or what comes, and agree on what is in
 * it.
 *
 * <p>A transaction is handed on whole at its COMMIT, or refused with its reason: another BEGIN
 * comes first (its publisher died), chunks are missing, a rule is malformed, its version goes back,
 * the rules cannot follow it.
 *
 * <p>Messages may come again, from any earlier point of the topic on: a message that was taken is
 * passed over, a transaction that was refused is not refused again while it is among the last ones,
 * and what is open stays open until its end, or something new, comes. A version goes back if its
 * transaction is none of the last ones and those reach back to before it. Whoever starts again at
 * an earlier point than this instance ever saw calls {@link #rewound}. Not thread-safe.
 */
public final class TopicFollower {
    /** Transactions that are remembered by their ids. */
    private static final int REMEMBERED = 4096;

    /** Remembered transactions that a checkpoint keeps. */
    private static final int KEPT_IN_STATE = 64;

    private final RuleBook book;

    private @Nullable OpenTransaction open;

    /** Place that the topic's messages have come to: the last BEGIN, passed over or not. */
    private String history = "";

    private long version = Long.MIN_VALUE;
    private long newestTimeNs = RuleTransaction.NO_TIME;

    private final Recent seen = new Recent();
    private final Recent refused = new Recent();

    /** True if messages from before the first that was seen are passed over. */
    private boolean catchingUp;

    /** True if a BEGIN has come since it is not known where the messages go on. */
    private boolean located;

    /** A follower before the first message. */
    public TopicFollower() {
        this(new RuleBook());
    }

    /**
     * A follower with rules.
     *
     * @param book is told of heartbeats, and of transactions that are refused, after which it waits
     *     for a snapshot
     */
    TopicFollower(RuleBook book) {
        this.book = book;
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
        restored.restore(in, open);
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
     * @return the transaction that it commits, which is to be applied, even if it was handed on
     *     before and the topic is read again; null if it commits none
     */
    public @Nullable RuleTransaction assemble(RuleChange change, byte[] message, long recordTimeNs)
            throws MalformedMessageException {
        RuleTransaction done =
                switch (change.phase()) {
                    case BEGIN -> begin(change, message, recordTimeNs);
                    case CHANGES -> changes(change, message);
                    case COMMIT -> commit(change, message, recordTimeNs);
                    case HEARTBEAT -> heartbeat(change);
                    case UNKNOWN -> null;
                };
        newestTimeNs = Math.max(newestTimeNs, recordTimeNs);
        return done;
    }

    /**
     * Says that the messages which follow begin at an earlier point of the topic, perhaps before
     * all that was seen. What lies before that is passed over.
     */
    public void rewound() {
        catchingUp = version != Long.MIN_VALUE;
        located = false;
    }

    /** Tells whether a transaction has begun, and neither ended nor been refused. */
    public boolean isOpen(String transaction) {
        OpenTransaction now = open;
        return now != null && now.id().equals(transaction);
    }

    private @Nullable RuleTransaction begin(RuleChange begin, byte[] message, long timeNs)
            throws MalformedMessageException {
        located = true;
        String id = begin.transaction();
        OpenTransaction unfinished = open;
        if (unfinished != null && unfinished.id().equals(id)) {
            return null;
        }
        if (!RuleTransaction.isVersion(begin.version())) {
            boolean before =
                    catchingUp && (timeNs == RuleTransaction.NO_TIME || timeNs <= newestTimeNs);
            if (before || refused.holds(id)) {
                return null;
            }
            throw refuse(
                    begin,
                    new MalformedMessageException(
                            DeadLetterReason.RULES_VERSION_RANGE,
                            "version %d of '%s' is not in 0..%d"
                                    .formatted(
                                            begin.version(),
                                            begin.ruleSet(),
                                            RuleTransaction.MAX_VERSION)));
        }
        boolean sameHistory = version != Long.MIN_VALUE && begin.history().equals(history);
        boolean known = seen.holds(id) || refused.holds(id);
        if (catchingUp) {
            catchingUp =
                    !known
                            && (sameHistory
                                    ? begin.version() <= version
                                    : timeNs == RuleTransaction.NO_TIME || timeNs <= newestTimeNs);
            if (catchingUp) {
                return null;
            }
        }
        boolean again =
                known
                        || book.isPast(begin.history(), begin.version())
                        || sameHistory
                                && begin.version() <= version
                                && begin.version() < seen.lowestOf(history);
        if (sameHistory && begin.version() <= version && !again) {
            throw refuse(
                    begin,
                    new MalformedMessageException(
                            DeadLetterReason.RULES_VERSION_BACK,
                            "version %d of '%s' follows version %d"
                                    .formatted(begin.version(), begin.ruleSet(), version)));
        }
        if (again && unfinished != null) {
            // What is open goes on. If the topic is read again, it comes again, too; if it does
            // not, it is unfinished when something new begins.
            return null;
        }
        open = refused.holds(id) ? null : new OpenTransaction(begin, message);
        MalformedMessageException broken =
                unfinished == null
                        ? null
                        : refuse(
                                unfinished.begin(),
                                new MalformedMessageException(
                                        DeadLetterReason.RULES_UNFINISHED,
                                        "version %d of '%s' was begun, but not committed before the next BEGIN"
                                                .formatted(
                                                        unfinished.begin().version(),
                                                        unfinished.begin().ruleSet())));
        seen.add(begin.history(), begin.version(), id);
        history = begin.history();
        version = begin.version();
        if (broken != null) {
            throw broken;
        }
        return null;
    }

    private @Nullable RuleTransaction changes(RuleChange change, byte[] message)
            throws MalformedMessageException {
        OpenTransaction to = open;
        if (to == null || !to.id().equals(change.transaction())) {
            return null; // of a transaction that was refused or handed on; or its COMMIT will say
        }
        try {
            to.add(change, message);
        } catch (MalformedMessageException e) {
            open = null;
            throw refuse(to.begin(), e);
        }
        return null;
    }

    private @Nullable RuleTransaction commit(RuleChange commit, byte[] message, long timeNs)
            throws MalformedMessageException {
        String id = commit.transaction();
        OpenTransaction whole = open;
        if (whole != null && whole.id().equals(id)) {
            open = null;
            try {
                return whole.commit(commit, message, timeNs);
            } catch (MalformedMessageException e) {
                throw refuse(whole.begin(), e);
            }
        }
        boolean begun = seen.holds(id) || refused.holds(id) || commit.version() <= version;
        if (begun || catchingUp || !located) {
            return null;
        }
        throw refuse(
                commit,
                new MalformedMessageException(
                        DeadLetterReason.RULES_NO_BEGIN,
                        "version %d is committed, but its BEGIN did not come"
                                .formatted(commit.version())));
    }

    private @Nullable RuleTransaction heartbeat(RuleChange heartbeat) {
        Long until = heartbeat.effectiveTimeNs();
        if (until != null) {
            book.heartbeat(heartbeat.history(), until);
        }
        return null;
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
            refused.add(whole.history(), whole.version(), whole.id());
            throw e;
        }
    }

    private MalformedMessageException refuse(RuleChange which, MalformedMessageException reason) {
        refused.add(history, which.version(), which.transaction());
        book.missed(history, Math.max(version, which.version()));
        return reason;
    }

    /** State that brings another follower with the same rules to where this one is. */
    public State state() {
        ByteArrayOutputStream ofBook = new ByteArrayOutputStream(64);
        try (DataOutputStream out = new DataOutputStream(ofBook)) {
            book.write(out);
        } catch (IOException e) {
            throw new UncheckedIOException("writing to memory failed", e);
        }
        OpenTransaction now = open;
        return new State(
                history,
                version,
                newestTimeNs,
                seen.newest(),
                refused.newest(),
                ofBook.toByteArray(),
                now == null ? List.of() : List.copyOf(now.messages()));
    }

    private void restore(DataInputStream in, List<byte[]> openMessages)
            throws IOException, MalformedMessageException {
        String wasHistory = in.readUTF();
        long wasVersion = in.readLong();
        long wasTimeNs = in.readLong();
        seen.read(in);
        refused.read(in);
        for (byte[] message : openMessages) {
            assemble(RuleChange.decode(message), message, RuleTransaction.NO_TIME);
        }
        history = wasHistory;
        version = wasVersion;
        newestTimeNs = wasTimeNs;
        located = false;
    }

    /** A transaction that began. */
    record Begun(String history, long version, String id) {
        void write(DataOutputStream out) throws IOException {
            out.writeUTF(history);
            out.writeLong(version);
            out.writeUTF(id);
        }
    }

    /**
     * A follower at a moment, beside its rules. It is taken with each message, so it is written
     * when it is asked for.
     *
     * @param book bytes of the rules' book
     * @param open messages of the transaction that is open
     */
    public record State(
            String history,
            long version,
            long newestTimeNs,
            List<Begun> seen,
            List<Begun> refused,
            byte[] book,
            List<byte[]> open) {
        /** Writes what {@link #restored} reads. */
        public void write(DataOutputStream out) throws IOException {
            out.writeUTF(history);
            out.writeLong(version);
            out.writeLong(newestTimeNs);
            for (List<Begun> transactions : List.of(seen, refused)) {
                out.writeInt(transactions.size());
                for (Begun begun : transactions) {
                    begun.write(out);
                }
            }
            out.write(book);
        }
    }

    /** The last transactions of some kind. */
    private static final class Recent {
        private final Set<String> ids = new HashSet<>();
        private final Deque<Begun> byAge = new ArrayDeque<>();
        private final Deque<Begun> newest = new ArrayDeque<>();

        boolean holds(String id) {
            return ids.contains(id);
        }

        /** The lowest version of a history; those before it may be forgotten. */
        long lowestOf(String history) {
            return byAge.stream()
                    .filter(begun -> begun.history.equals(history))
                    .mapToLong(Begun::version)
                    .min()
                    .orElse(Long.MAX_VALUE);
        }

        void add(String history, long version, String id) {
            if (ids.add(id)) {
                Begun begun = new Begun(history, version, id);
                byAge.add(begun);
                newest.add(begun);
                if (newest.size() > KEPT_IN_STATE) {
                    newest.remove();
                }
                if (byAge.size() > REMEMBERED) {
                    ids.remove(byAge.remove().id);
                }
            }
        }

        /** Transactions that a checkpoint keeps, the oldest first. */
        List<Begun> newest() {
            return List.copyOf(newest);
        }

        void read(DataInputStream in) throws IOException {
            for (int left = in.readInt(); left > 0; left--) {
                add(in.readUTF(), in.readLong(), in.readUTF());
            }
        }
    }
}
