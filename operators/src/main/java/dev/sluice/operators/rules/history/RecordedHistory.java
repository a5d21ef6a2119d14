package dev.sluice.operators.rules.history;

import dev.sluice.engine.rules.Rule;
import dev.sluice.engine.rules.RuleDelta;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.operators.rules.topic.RuleBook;
import dev.sluice.operators.rules.topic.RuleTransaction;
import dev.sluice.operators.rules.topic.TopicFollower;
import dev.sluice.operators.rules.topic.Version;
import dev.sluice.schemas.codec.MalformedMessageException;
import dev.sluice.schemas.codec.RuleChange;
import dev.sluice.schemas.codec.RuleChange.Kind;
import dev.sluice.schemas.codec.RuleChange.Phase;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * All versions of the rules that the messages of the rules topic make, from the oldest snapshot
 * that is kept on: when each came into force, what it changed, and its rules.
 *
 * <p>Messages are kept as they came, and rules are put together from the snapshot before, so that a
 * long history costs little more than its messages. {@link #forget} drops the oldest. Where a topic
 * was made anew, the versions of the new history follow those of the old one here; which of them
 * are in force when, the {@link Timeline} says.
 *
 * <p>Thread-safe.
 */
public final class RecordedHistory {
    /** Most changes of a version that is not compiled by itself. */
    static final int FEW_CHANGES = 1_000;

    /** Changes in a row after which a version is compiled by itself, however few it makes. */
    static final int MOST_IN_A_ROW = 20_000;

    private final int mostInARow;
    private final TopicFollower follower = new TopicFollower();
    private final RuleBook book = follower.book();
    private final LoggedTransactions log = new LoggedTransactions();

    /** By version of the log: what it changes, as {@link #change} has it. */
    private final List<@Nullable RuleDelta> changes = new ArrayList<>();

    /** Of the first version of all. */
    private String firstHistory = "";

    private String firstDefaultAction = RuleSet.DROP;

    /** Index of the first version of the log: those before it are forgotten. */
    private int first;

    /** Header words of the last version that must be compiled by itself, a bit each. */
    private long words;

    /** Changes since the last version that must be compiled by itself. */
    private int inARow;

    private boolean othersHeartbeat;

    /** A history without versions. */
    public RecordedHistory() {
        this(MOST_IN_A_ROW);
    }

    RecordedHistory(int mostInARow) {
        this.mostInARow = mostInARow;
    }

    /**
     * Takes the next message of the topic.
     *
     * @param recordTimeNs time of its record, ns since 1970 UTC, or {@link RuleTransaction#NO_TIME}
     * @return whether it added a version
     * @throws MalformedMessageException with the reason why a transaction or message is refused;
     *     the history stays as it was
     */
    public synchronized boolean accept(byte[] message, long recordTimeNs)
            throws MalformedMessageException {
        othersHeartbeat = false;
        RuleChange change = RuleChange.decode(message);
        othersHeartbeat =
                change.phase() == Phase.HEARTBEAT && !change.history().equals(book.history());
        RuleTransaction whole = follower.assemble(change, message, recordTimeNs);
        if (whole == null) {
            return false;
        }
        RuleSet before = whole.kind() == Kind.SNAPSHOT ? book.ruleSet() : null;
        Version version = follower.apply(whole);
        if (version == null) {
            return false;
        }
        RuleDelta delta =
                before == null || version.newHistory() ? version.delta() : difference(before);
        boolean isFirst = log.size() == 0;
        if (isFirst) {
            firstHistory = book.history();
            firstDefaultAction = whole.defaultAction();
        }
        log.add(LoggedTransaction.of(whole, version.effectiveTimeNs()));
        changes.add(small(isFirst ? null : delta));
        return true;
    }

    /** Tells whether the last message was a heartbeat of another history than the one in force. */
    synchronized boolean endedWithOthersHeartbeat() {
        return othersHeartbeat;
    }

    /** As {@link TopicFollower#rewound}. */
    synchronized void rewound() {
        follower.rewound();
    }

    /** As {@link RuleBook#knownNs}. */
    synchronized long knownNs() {
        return book.knownNs();
    }

    /** Id of the history of the first version of all; empty before it. */
    public synchronized String firstHistory() {
        return firstHistory;
    }

    /** Default action of the first version of all. */
    public synchronized String firstDefaultAction() {
        return firstDefaultAction;
    }

    /** Versions that are kept. */
    public synchronized int kept() {
        return log.size();
    }

    /** Bytes of heap of what is kept. */
    public synchronized long bytes() {
        return log.bytes();
    }

    /** The last snapshot up to an index that is kept; -1 if there is none. */
    public synchronized int snapshotUpTo(int index) {
        int at = log.snapshotUpTo(index - first);
        return at < 0 ? -1 : first + at;
    }

    /**
     * Drops the versions before a snapshot. Nobody may ask for them again.
     *
     * @throws IllegalArgumentException if there is no snapshot at the index
     */
    public synchronized void forget(int snapshot) {
        if (at(snapshot).kind() != Kind.SNAPSHOT) {
            throw new IllegalArgumentException("version " + snapshot + " is no snapshot");
        }
        log.replace(0, snapshot - first, List.of());
        changes.subList(0, snapshot - first).clear();
        first = snapshot;
    }

    private LoggedTransaction at(int index) {
        if (index < first) {
            throw new IllegalStateException(
                    "version %d of the history is asked for, and versions before %d are forgotten"
                            .formatted(index, first));
        }
        return log.get(index - first);
    }

    /** Changes of a snapshot to the version before; null if more than its rules. */
    private @Nullable RuleDelta difference(RuleSet before) {
        RuleSet after = book.newest();
        boolean renamed =
                !after.name().equals(before.name())
                        || !after.defaultAction().equals(before.defaultAction());
        return renamed ? null : VersionDiff.between(before, after).delta();
    }

    /**
     * A delta, if an engine that serves the version before can always take it as it is: it is
     * small, and its rules look at no header word that the last version which was compiled by
     * itself does not look at.
     */
    private @Nullable RuleDelta small(@Nullable RuleDelta delta) {
        int count = delta == null ? 0 : delta.removes().size() + delta.inserts().size();
        if (delta == null
                || count > FEW_CHANGES
                || inARow + count > mostInARow
                || delta.inserts().stream().anyMatch(this::looksFurther)) {
            inARow = 0;
            words = book.newest().layout().wordBits();
            return null;
        }
        inARow += count;
        return delta;
    }

    private boolean looksFurther(Rule rule) {
        return (rule.match().usedWords() & ~words) != 0;
    }

    /** Time from which a version is in force, ns since 1970 UTC. */
    synchronized long effectiveNs(int index) {
        return at(index).effectiveTimeNs();
    }

    /** Number of versions, forgotten ones included. */
    public synchronized int size() {
        return first + log.size();
    }

    /** Rule-set version of an index, as publishers number them. */
    public synchronized long number(int index) {
        return at(index).version();
    }

    /** Id of the history that {@link #number} is a number of. */
    public synchronized String history(int index) {
        return at(index).history();
    }

    /**
     * The changes of a version to the one before, where an engine that serves the one before can
     * take them without compiling anything; null for the first version that is kept, and for any
     * other that must be compiled by itself.
     */
    public synchronized @Nullable RuleDelta change(int index) {
        return index <= first ? null : changes.get(index - first);
    }

    /** All rules of a version. Costs as much as applying the changes since the last snapshot. */
    public RuleSet rules(int index) {
        List<LoggedTransaction> since;
        synchronized (this) {
            at(index);
            since = log.upTo(index - first);
        }
        return LoggedTransactions.replayed(since).newest();
    }
}
