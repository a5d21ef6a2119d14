package dev.sluice.operators.rules.history;

import dev.sluice.engine.rules.RuleSet;
import dev.sluice.operators.rules.topic.RuleBook;
import dev.sluice.operators.rules.topic.RuleTransaction;
import dev.sluice.operators.rules.topic.TopicFollower;
import dev.sluice.operators.rules.topic.Version;
import dev.sluice.schemas.codec.DeadLetterReason;
import dev.sluice.schemas.codec.MalformedMessageException;
import dev.sluice.schemas.codec.RuleChange.Kind;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Follows the rules topic, and keeps what a checkpoint needs to go on from here: the messages of a
 * snapshot, not later than the last version that could be served; those of all transactions after
 * it; and those of the transaction that is open.
 *
 * <p>It grows with each transaction, and cuts off its head: whatever lies before the newest
 * snapshot that could be served, or that no version which can still be served needs. Where only
 * deltas come, a {@link #compaction} makes a snapshot of them once they are longer than the
 * snapshot they began with; and of those behind the version in force another, so that the log is
 * bounded by two snapshots and some MiB also while nothing newer can be served.
 *
 * <p>Not thread-safe; {@link #state} is quick.
 */
public final class RuleLog {
    /**
     * Deltas are made a snapshot when they are longer than this and than the snapshot before. So
     * much of the newest versions is kept apart behind the version in force.
     */
    private static final long COMPACT_BYTES = 4L << 20;

    /** A log that is longer is made shorter at once, not only when nothing else is to be done. */
    private static final long LONG_BYTES = 64L << 20;

    /** A log that is shorter is short enough. */
    private static final long SHORT_BYTES = 8L << 20;

    /** First bytes of the head in a checkpoint. */
    private static final byte[] MARK = {'r', 'u', 'l', 'e', 'l', 'o', 'g', 1};

    private TopicFollower follower = new TopicFollower();
    private final LoggedTransactions log = new LoggedTransactions();
    private String servableHistory = "";
    private long servableVersion = RuleBook.NO_VERSION;
    private boolean compacting;

    /** A log that could not be made shorter is looked at again when it has so many bytes. */
    private long lookFromBytes;

    /**
     * Has a log before the first message go on where a checkpoint was.
     *
     * @param state messages of a {@link State}, or nothing
     * @throws MalformedMessageException if it is neither
     */
    public void restore(List<byte[]> state) throws MalformedMessageException {
        if (state.isEmpty()) {
            return;
        }
        DataInputStream in = new DataInputStream(new ByteArrayInputStream(state.get(0)));
        try {
            if (!Arrays.equals(in.readNBytes(MARK.length), MARK)) {
                throw new IOException("it begins with no head");
            }
            read(in, state);
        } catch (IOException | IndexOutOfBoundsException | IllegalStateException e) {
            throw new MalformedMessageException(
                    DeadLetterReason.RULES_STATE, String.valueOf(e.getMessage()));
        }
    }

    private void read(DataInputStream in, List<byte[]> state)
            throws IOException, MalformedMessageException {
        servableHistory = in.readUTF();
        servableVersion = in.readLong();
        int at = 1;
        for (int left = in.readInt(); left > 0; left--) {
            boolean unservable = in.readBoolean();
            int count = in.readInt();
            log.add(LoggedTransaction.of(List.copyOf(state.subList(at, at + count)), unservable));
            at += count;
        }
        follower =
                TopicFollower.restored(
                        LoggedTransactions.replayed(log.view()),
                        in,
                        state.subList(at, state.size()));
    }

    /** The content. To be read, not to be changed. */
    public RuleBook book() {
        return follower.book();
    }

    /**
     * Takes a message of the rules topic.
     *
     * @param recordTimeNs time of its record, ns since 1970 UTC, or {@link RuleTransaction#NO_TIME}
     * @return what has changed; null if nothing has
     * @throws MalformedMessageException with the reason why a transaction or message is refused;
     *     the content stays as it was
     */
    public @Nullable Version accept(byte[] message, long recordTimeNs)
            throws MalformedMessageException {
        Version version = follower.accept(message, recordTimeNs);
        if (version != null) {
            RuleTransaction whole = version.transaction();
            log.add(LoggedTransaction.of(whole, version.effectiveTimeNs()));
            if (whole.kind() == Kind.SNAPSHOT) {
                cutHead();
            }
        }
        return version;
    }

    /** As {@link TopicFollower#rewound}. */
    public void rewound() {
        follower.rewound();
    }

    /**
     * Says that a version is in force: a checkpoint may begin with it. Of versions that the log
     * does not hold nothing is noted.
     */
    public void servable(String history, long version) {
        int index = indexOf(history, version);
        if (index >= 0) {
            log.set(index, log.get(index).servable(true));
            servableHistory = history;
            servableVersion = version;
            cutHead();
        }
    }

    /**
     * Says that nothing can serve a version.
     *
     * @return whether the log, or the checkpoint that it was restored from, did not know that
     */
    public boolean unservable(String history, long version) {
        int index = indexOf(history, version);
        if (index < 0) {
            return true;
        }
        boolean known = log.get(index).unservable();
        log.set(index, log.get(index).servable(false));
        cutHead();
        return !known;
    }

    private int indexOf(String history, long version) {
        for (int i = log.size() - 1; i >= 0; i--) {
            if (log.get(i).is(history, version)) {
                return i;
            }
        }
        return -1;
    }

    private int servableIndex() {
        return indexOf(servableHistory, servableVersion);
    }

    /** Drops what no version needs that is in force or may still come into force. */
    private void cutHead() {
        int servable = servableIndex();
        int from = log.snapshotUpTo(servable);
        if (from > 0) {
            log.replace(0, from, List.of());
            servable -= from;
        }
        int tried = servable + 1;
        while (tried < log.size() && log.get(tried).unservable()) {
            tried++;
        }
        int next = log.snapshotUpTo(Math.min(tried, log.size() - 1));
        if (next > servable + 1) {
            log.replace(servable + 1, next, List.of());
        }
    }

    /**
     * A version that the log holds.
     *
     * @param history id of its history
     * @param number its number
     */
    public record Held(String history, long number) {}

    /**
     * The versions to try when a job starts, oldest first: the newest, even if it is known to be
     * unservable, since the options may be others now; so many before it; the last that could be
     * served; and the one that the log begins with.
     */
    public List<Held> toTry(int most) {
        List<Held> versions = new ArrayList<>();
        int servable = servableIndex();
        int left = most;
        for (int i = log.size() - 1; i >= 0; i--) {
            LoggedTransaction one = log.get(i);
            boolean newest = i == log.size() - 1;
            boolean open = !one.unservable() && (left-- > 0 || i == servable || i == 0);
            if (newest || open) {
                versions.add(0, new Held(one.history(), one.version()));
            }
        }
        return versions;
    }

    /** The rules of a version; null if the log does not hold it. O(rules and changes). */
    public @Nullable RuleSet at(String history, long version) {
        RuleBook book = follower.book();
        if (!book.isEmpty() && book.history().equals(history) && book.version() == version) {
            return book.ruleSet();
        }
        int index = indexOf(history, version);
        return index < 0 ? null : LoggedTransactions.replayed(log.upTo(index)).newest();
    }

    /**
     * The {@link #compaction} that is due, and has not begun.
     *
     * @param inForce the version that is served; null if there is none
     * @param idle whether there is time for it
     * @return null if the log is short, cannot be made shorter, or is being made shorter
     */
    public @Nullable Supplier<Runnable> compactionDue(@Nullable Held inForce, boolean idle) {
        long bytes = bytes();
        if (compacting
                || bytes < SHORT_BYTES
                || !idle && (bytes < LONG_BYTES || bytes < lookFromBytes)) {
            return null;
        }
        if (inForce != null) {
            // It was not built, but made of one that was by small changes, which the engine builds
            // into its base by and by.
            servable(inForce.history, inForce.number);
        }
        lookFromBytes = bytes + COMPACT_BYTES;
        Supplier<Runnable> due = wantsCompaction() ? compaction() : null;
        compacting = due != null;
        return due;
    }

    /** Tells whether a {@link #compaction} would make the log much shorter. O(transactions). */
    boolean wantsCompaction() {
        int head = lastToFold();
        return wantsFold(0, head) || wantsFold(head + 1, lastBeforeNewest());
    }

    private boolean wantsFold(int first, int last) {
        long behind = 0;
        for (int i = first + 1; i <= last; i++) {
            behind += log.get(i).bytes();
        }
        return last > first && behind > Math.max(COMPACT_BYTES, log.get(first).bytes());
    }

    /** Index of the last version before the newest ones that are kept apart, however many. */
    private int lastBeforeNewest() {
        int first = log.size() - 1;
        long bytes = 0;
        while (first > 0 && bytes + log.get(first - 1).bytes() <= COMPACT_BYTES) {
            first--;
            bytes += log.get(first).bytes();
        }
        return first - 1;
    }

    /** The last version that need not be kept apart from those before it; 0 if there is none. */
    private int lastToFold() {
        int servable = servableIndex();
        if (servable >= 0) {
            return servable;
        }
        int last = -1;
        while (last + 1 < log.size() && log.get(last + 1).unservable()) {
            last++;
        }
        return Math.max(0, last);
    }

    /**
     * One snapshot of the versions up to the last that could be served, or of those at the start of
     * which none can; or, if they are long, of those behind it but for the newest ones: the older
     * ones of those are not tried any more. Null if there is only one of them. O(rules) at most.
     *
     * @return makes the snapshot, once, by any thread, in O(rules and changes); what it returns
     *     puts the snapshot where it belongs, and is to be run in the thread of the log
     */
    @Nullable Supplier<Runnable> compaction() {
        int head = lastToFold();
        int behind = lastBeforeNewest();
        boolean foldsBehind = wantsFold(head + 1, behind);
        int last = foldsBehind ? behind : head;
        if (last == 0) {
            return null;
        }
        LoggedTransaction newestFolded = log.get(last);
        RuleBook book = follower.book();
        boolean isNewest = newestFolded.is(book.history(), book.version());
        LoggedTransaction oldestFolded = log.get(foldsBehind ? head + 1 : 0);
        List<LoggedTransaction> folded = log.upTo(last);
        RuleSet known = isNewest ? book.newest() : null;
        return () -> {
            RuleSet rules = known == null ? LoggedTransactions.replayed(folded).newest() : known;
            LoggedTransaction snapshot = newestFolded.snapshot(rules);
            return () -> compacted(oldestFolded, newestFolded, snapshot);
        };
    }

    /**
     * Puts the snapshot that was made where it belongs, if the log still holds what it is of, and
     * the version in force is not among the ones that it would take the place of.
     */
    private void compacted(
            LoggedTransaction oldest, LoggedTransaction newest, LoggedTransaction snapshot) {
        compacting = false;
        lookFromBytes = 0;
        int first = indexOf(oldest.history(), oldest.version());
        int last = indexOf(newest.history(), newest.version());
        int servable = servableIndex();
        if (first >= 0 && last > first && (servable < first || servable >= last)) {
            boolean can = !log.get(last).unservable();
            log.replace(first, last + 1, List.of(snapshot.servable(can)));
        }
    }

    /** Bytes of heap of the whole transactions. */
    public long bytes() {
        return log.bytes();
    }

    /** Brings another log to where this one is. */
    public State state() {
        return new State(servableHistory, servableVersion, log.view(), follower.state());
    }

    /**
     * A log at a moment. To take it costs no time; its messages are put together when they are
     * asked for, by any thread.
     */
    public record State(
            String servableHistory,
            long servableVersion,
            List<LoggedTransaction> log,
            TopicFollower.State follower) {
        /** A head, then messages of the topic. */
        public List<byte[]> messages() {
            ByteArrayOutputStream head = new ByteArrayOutputStream(256);
            try (DataOutputStream out = new DataOutputStream(head)) {
                out.write(MARK);
                out.writeUTF(servableHistory);
                out.writeLong(servableVersion);
                out.writeInt(log.size());
                for (LoggedTransaction one : log) {
                    out.writeBoolean(one.unservable());
                    out.writeInt(one.messages().size());
                }
                follower.write(out);
            } catch (IOException e) {
                throw new UncheckedIOException("writing to memory failed", e);
            }
            List<byte[]> messages = new ArrayList<>();
            messages.add(head.toByteArray());
            log.forEach(one -> messages.addAll(one.messages()));
            messages.addAll(follower.open());
            return messages;
        }
    }
}
