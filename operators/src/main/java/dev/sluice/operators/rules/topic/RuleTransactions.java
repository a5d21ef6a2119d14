package dev.sluice.operators.rules.topic;

import dev.sluice.schemas.codec.DeadLetterReason;
import dev.sluice.schemas.codec.MalformedMessageException;
import dev.sluice.schemas.codec.RuleChange;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Puts the messages of the rules topic together to transactions.
 *
 * <p>A transaction is handed on whole at its COMMIT, or refused with its reason: another BEGIN
 * comes first (its publisher died), chunks are missing, a rule is malformed, its version goes back.
 *
 * <p>Messages may come again, from any earlier point of the topic on: a message that was taken is
 * passed over, a transaction that was refused is not refused again while it is among the last ones,
 * and what is open stays open until its end, or something new, comes. A version goes back if its
 * transaction is none of the last ones and those reach back to before it. Whoever starts again at
 * an earlier point than this instance ever saw calls {@link #rewound}. Not thread-safe.
 */
final class RuleTransactions {
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

    /**
     * Transactions for a book.
     *
     * @param book is told of heartbeats, and of transactions that are refused, after which it waits
     *     for a snapshot
     */
    RuleTransactions(RuleBook book) {
        this.book = book;
    }

    /** As {@link #accept(byte[], long)}, of a record without a time. */
    @Nullable RuleTransaction accept(byte[] message) throws MalformedMessageException {
        return accept(message, RuleTransaction.NO_TIME);
    }

    /**
     * Takes a message.
     *
     * @param recordTimeNs time of its record in the topic, ns since 1970 UTC
     * @return the transaction that it committed, or null; it may be one that was handed on before,
     *     if the topic is read again
     * @throws MalformedMessageException with the reason why a transaction or message is refused
     */
    @Nullable RuleTransaction accept(byte[] message, long recordTimeNs)
            throws MalformedMessageException {
        return accept(RuleChange.decode(message), message, recordTimeNs);
    }

    /** As {@link #accept(byte[], long)}, of a message that was decoded. */
    @Nullable RuleTransaction accept(RuleChange change, byte[] message, long recordTimeNs)
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
    void rewound() {
        catchingUp = version != Long.MIN_VALUE;
        located = false;
    }

    /** Tells whether a transaction has begun, and neither ended nor been refused. */
    boolean isOpen(String transaction) {
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

    /** A transaction that was handed on is refused: it is passed over from now on. */
    void refused(RuleTransaction whole) {
        refused.add(whole.history(), whole.version(), whole.id());
    }

    private MalformedMessageException refuse(RuleChange which, MalformedMessageException reason) {
        refused.add(history, which.version(), which.transaction());
        book.missed(history, Math.max(version, which.version()));
        return reason;
    }

    /** Messages of the transaction that is open, for a checkpoint. */
    List<byte[]> openMessages() {
        OpenTransaction now = open;
        return now == null ? List.of() : List.copyOf(now.messages());
    }

    /** State for {@link #restore}, beside the open transaction. */
    Moment moment() {
        return new Moment(history, version, newestTimeNs, seen.newest(), refused.newest());
    }

    /** Goes on where another instance was. */
    void restore(DataInputStream in, List<byte[]> openMessages)
            throws IOException, MalformedMessageException {
        String wasHistory = in.readUTF();
        long wasVersion = in.readLong();
        long wasTimeNs = in.readLong();
        seen.read(in);
        refused.read(in);
        for (byte[] message : openMessages) {
            accept(message);
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
     * Moment of an instance. It is taken with each message, so it is written when it is asked for.
     */
    record Moment(
            String history,
            long version,
            long newestTimeNs,
            List<Begun> seen,
            List<Begun> refused) {
        void write(DataOutputStream out) throws IOException {
            out.writeUTF(history);
            out.writeLong(version);
            out.writeLong(newestTimeNs);
            for (List<Begun> transactions : List.of(seen, refused)) {
                out.writeInt(transactions.size());
                for (Begun begun : transactions) {
                    begun.write(out);
                }
            }
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
