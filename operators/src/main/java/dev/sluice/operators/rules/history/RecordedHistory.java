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
import dev.sluice.schemas.header.HeaderWord;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
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

    /** A version. */
    private record Entry(
            String history,
            long number,
            long effectiveNs,
            boolean snapshot,
            List<byte[]> messages,
            @Nullable RuleDelta change) {
        long bytes() {
            return messages.stream().mapToLong(message -> message.length).sum();
        }
    }

    private final int mostInARow;
    private final TopicFollower follower = new TopicFollower();
    private final RuleBook book = follower.book();
    private final List<Entry> entries = new ArrayList<>();

    /** Of the first version of all. */
    private String firstHistory = "";

    private String firstDefaultAction = RuleSet.DROP;

    /** Index of the first entry: those before it are forgotten. */
    private int first;

    /** Bytes of the entries' messages. */
    private long bytes;

    /** Bits of the header words that each rule of the newest version looks at. */
    private final Map<Long, Long> wordsOfRule = new HashMap<>();

    /** How many rules of the newest version look at each header word. */
    private final int[] rulesOfWord = new int[HeaderWord.COUNT];

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
        if (entries.isEmpty()) {
            firstHistory = book.history();
            firstDefaultAction = whole.defaultAction();
        }
        Entry entry =
                new Entry(
                        version.history(),
                        version.number(),
                        version.effectiveTimeNs(),
                        whole.kind() == Kind.SNAPSHOT,
                        whole.messages(),
                        entries.isEmpty() ? alone(null) : small(delta));
        entries.add(entry);
        bytes += entry.bytes();
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
        return entries.size();
    }

    /** Bytes of the messages that are kept. */
    public synchronized long bytes() {
        return bytes;
    }

    /** The last snapshot up to an index that is kept; -1 if there is none. */
    public synchronized int snapshotUpTo(int index) {
        int at = index;
        while (at >= first && !entry(at).snapshot) {
            at--;
        }
        return at < first ? -1 : at;
    }

    /**
     * Drops the versions before a snapshot. Nobody may ask for them again.
     *
     * @throws IllegalArgumentException if there is no snapshot at the index
     */
    public synchronized void forget(int snapshot) {
        if (!entry(snapshot).snapshot) {
            throw new IllegalArgumentException("version " + snapshot + " is no snapshot");
        }
        List<Entry> oldest = entries.subList(0, snapshot - first);
        oldest.forEach(entry -> bytes -= entry.bytes());
        oldest.clear();
        first = snapshot;
    }

    private Entry entry(int index) {
        if (index < first) {
            throw new IllegalStateException(
                    "version %d of the history is asked for, and versions before %d are forgotten"
                            .formatted(index, first));
        }
        return entries.get(index - first);
    }

    /** Changes of a snapshot to the version before; null if more than its rules. */
    private @Nullable RuleDelta difference(RuleSet before) {
        RuleSet after = book.newest();
        boolean renamed =
                !after.name().equals(before.name())
                        || !after.defaultAction().equals(before.defaultAction());
        return renamed ? null : VersionDiff.between(before, after).delta();
    }

    /** The delta, if an engine that serves the version before can always take it as it is. */
    private @Nullable RuleDelta small(@Nullable RuleDelta delta) {
        if (delta == null) {
            return alone(null);
        }
        int changes = delta.removes().size() + delta.inserts().size();
        boolean widens = delta.inserts().stream().anyMatch(this::looksFurther);
        if (changes > FEW_CHANGES || widens || inARow + changes > mostInARow) {
            return alone(delta);
        }
        inARow += changes;
        count(delta);
        return delta;
    }

    /** Notes that the newest version must be compiled by itself. */
    private @Nullable RuleDelta alone(@Nullable RuleDelta delta) {
        inARow = 0;
        if (delta != null) {
            count(delta);
            return null;
        }
        wordsOfRule.clear();
        Arrays.fill(rulesOfWord, 0);
        book.newest().rules().forEach(this::put);
        return null;
    }

    private void count(RuleDelta delta) {
        delta.removes().forEach(this::remove);
        for (Rule rule : delta.inserts()) {
            remove(rule.id());
            put(rule);
        }
    }

    private void put(Rule rule) {
        long words = rule.match().usedWords();
        wordsOfRule.put(rule.id(), words);
        add(words, 1);
    }

    private void remove(long id) {
        Long words = wordsOfRule.remove(id);
        if (words != null) {
            add(words, -1);
        }
    }

    private void add(long words, int rules) {
        for (long bits = words; bits != 0; bits &= bits - 1) {
            rulesOfWord[Long.numberOfTrailingZeros(bits)] += rules;
        }
    }

    /** Tells whether a rule looks at a header word that none of the version before does. */
    private boolean looksFurther(Rule rule) {
        for (long bits = rule.match().usedWords(); bits != 0; bits &= bits - 1) {
            if (rulesOfWord[Long.numberOfTrailingZeros(bits)] == 0) {
                return true;
            }
        }
        return false;
    }

    /** Time from which a version is in force, ns since 1970 UTC. */
    synchronized long effectiveNs(int index) {
        return entry(index).effectiveNs;
    }

    /** Number of versions, forgotten ones included. */
    public synchronized int size() {
        return first + entries.size();
    }

    /** Rule-set version of an index, as publishers number them. */
    public synchronized long number(int index) {
        return entry(index).number;
    }

    /** Id of the history that {@link #number} is a number of. */
    public synchronized String history(int index) {
        return entry(index).history;
    }

    /**
     * The changes of a version to the one before, where an engine that serves the one before can
     * take them without compiling anything; null for the first version that is kept, and for any
     * other that must be compiled by itself.
     */
    public synchronized @Nullable RuleDelta change(int index) {
        return index <= first ? null : entry(index).change;
    }

    /** All rules of a version. Costs as much as applying the changes since the last snapshot. */
    public RuleSet rules(int index) {
        List<Entry> since;
        synchronized (this) {
            int from = index;
            while (!entry(from).snapshot) {
                from--;
            }
            since = List.copyOf(entries.subList(from - first, index + 1 - first));
        }
        RuleBook then = TopicFollower.replayed(since.stream().map(Entry::messages).toList());
        return then.newest();
    }
}
