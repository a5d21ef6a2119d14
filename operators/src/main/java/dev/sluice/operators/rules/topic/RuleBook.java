package dev.sluice.operators.rules.topic;

import dev.sluice.engine.rules.Rule;
import dev.sluice.engine.rules.RuleDelta;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.schemas.codec.DeadLetterReason;
import dev.sluice.schemas.codec.MalformedMessageException;
import dev.sluice.schemas.codec.RuleChange.Kind;
import dev.sluice.schemas.header.HeaderLayout;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Rules of the newest version of the rule history, whether or not they can be served.
 *
 * <p>A transaction that cannot follow is refused with its reason and changes nothing: a delta
 * without its base, rules of which neither comes first, a time that goes back. Deltas after it wait
 * for a snapshot. What was taken before is passed over, so that transactions may come again, from
 * any earlier one on. The first snapshot of another history replaces everything.
 *
 * <p>A delta takes time for the rules that it names, not for all. Not thread-safe.
 */
public final class RuleBook {
    /** The version before the first. */
    public static final long NO_VERSION = -1;

    private RuleIndex index = new RuleIndex();
    private String history = "";
    private long version = NO_VERSION;
    private String name = "";
    private String defaultAction = RuleSet.DROP;
    private EffectiveTimes times = new EffectiveTimes();
    private @Nullable RuleSet current;

    /** Header words that rules looked at since the last snapshot, a bit each. */
    private long words;

    /** True if a transaction was refused since the last snapshot. */
    private boolean waits;

    /** Histories that another one replaced, with the last version that was taken of each. */
    private final Map<String, Long> past = new HashMap<>();

    /** Tells whether no snapshot has come. */
    public boolean isEmpty() {
        return version == NO_VERSION;
    }

    /** Id of the history; empty before the first snapshot. */
    public String history() {
        return history;
    }

    /** The newest version; {@link #NO_VERSION} before the first. */
    public long version() {
        return version;
    }

    /**
     * Tells whether deltas are refused until a snapshot comes, since something before was refused.
     */
    public boolean waitsForSnapshot() {
        return waits;
    }

    /** Event time from which the newest version is in force, as {@link Version} has it. */
    public long effectiveTimeNs() {
        return times.newestNs();
    }

    /** As {@link EffectiveTimes#heartbeatNs}, of the history. */
    public long heartbeatNs() {
        return times.heartbeatNs();
    }

    /** As {@link EffectiveTimes#knownNs}, of the history. */
    public long knownNs() {
        return times.knownNs();
    }

    /** The rules of the newest version; null before the first. O(rules) after a change. */
    public @Nullable RuleSet ruleSet() {
        RuleSet known = current;
        if (known == null && !isEmpty()) {
            known = RuleSet.of(name, version, defaultAction, index.rules());
            current = known;
        }
        return known;
    }

    /**
     * The rules of the newest version.
     *
     * @throws IllegalStateException before the first
     */
    public RuleSet newest() {
        RuleSet rules = ruleSet();
        if (rules == null) {
            throw new IllegalStateException("the rule history has no version");
        }
        return rules;
    }

    /** Tells whether a version is of a history that another one has replaced since. */
    boolean isPast(String which, long number) {
        return number <= past.getOrDefault(which, Long.MIN_VALUE);
    }

    /**
     * Notes that a transaction could not be read.
     *
     * @param which its history
     * @param position the highest version up to it
     */
    void missed(String which, long position) {
        if (which.equals(history) && position >= version) {
            waits = true;
        }
    }

    /** As {@link EffectiveTimes#heartbeat}; of another history than this one it says nothing. */
    void heartbeat(String which, long untilNs) {
        if (!isEmpty() && which.equals(history)) {
            times.heartbeat(untilNs);
        }
    }

    /**
     * Takes a transaction.
     *
     * @return what it has changed; null if it, or a later one, was taken before
     * @throws MalformedMessageException if it cannot follow; the rules stay as they were
     */
    @Nullable Version apply(RuleTransaction transaction) throws MalformedMessageException {
        boolean same = !isEmpty() && transaction.history().equals(history);
        if (same && transaction.version() <= version
                || isPast(transaction.history(), transaction.version())) {
            return null;
        }
        try {
            return transaction.kind() == Kind.SNAPSHOT
                    ? replace(transaction, same)
                    : change(transaction, same);
        } catch (MalformedMessageException e) {
            missed(transaction.history(), transaction.version());
            throw e;
        }
    }

    private Version replace(RuleTransaction snapshot, boolean same)
            throws MalformedMessageException {
        EffectiveTimes following = same ? times : new EffectiveTimes();
        long timeNs = following.resolve(snapshot.effectiveTimeNs(), snapshot.commitTimeNs());
        RuleSet rules;
        try {
            rules =
                    RuleSet.of(
                            snapshot.ruleSet(),
                            snapshot.version(),
                            snapshot.defaultAction(),
                            snapshot.puts());
        } catch (IllegalArgumentException e) {
            throw order(snapshot, String.valueOf(e.getMessage()));
        }
        RuleIndex next = new RuleIndex();
        rules.rules().forEach(next::add);
        boolean newHistory = !same && !isEmpty();
        if (newHistory) {
            past.put(history, version);
        }
        index = next;
        history = snapshot.history();
        times = following;
        waits = false;
        words = rules.layout().wordBits();
        took(snapshot, timeNs);
        current = rules;
        return new Version(snapshot, null, newHistory, timeNs);
    }

    private void took(RuleTransaction transaction, long timeNs) {
        version = transaction.version();
        name = transaction.ruleSet();
        defaultAction = transaction.defaultAction();
        times.took(timeNs);
        current = null;
    }

    private Version change(RuleTransaction delta, boolean same) throws MalformedMessageException {
        requireBase(delta, same);
        long timeNs = times.resolve(delta.effectiveTimeNs(), delta.commitTimeNs());
        requireOrder(delta);
        boolean renamed =
                !delta.ruleSet().equals(name) || !delta.defaultAction().equals(defaultAction);
        Set<Long> put = new HashSet<>();
        delta.puts().forEach(rule -> put.add(rule.id()));
        List<Long> gone =
                delta.removes().stream()
                        .filter(id -> index.holds(id) && !put.contains(id))
                        .toList();
        RuleDelta change = new RuleDelta(gone, delta.puts(), delta.shifts());
        words = words(delta, put);
        index.apply(change);
        took(delta, timeNs);
        return new Version(delta, renamed ? null : change, false, timeNs);
    }

    private void requireBase(RuleTransaction delta, boolean same) throws MalformedMessageException {
        String why;
        if (isEmpty()) {
            why = "there is no snapshot before it";
        } else if (!same) {
            why = "it is of history '%s', no snapshot of which has come".formatted(delta.history());
        } else if (waits) {
            why = "a transaction before it was refused; it waits for a snapshot";
        } else if (delta.base() == null || delta.base() != version) {
            why = "the rules are those of version " + version;
        } else {
            return;
        }
        throw new MalformedMessageException(
                DeadLetterReason.RULES_NO_BASE,
                "version %d of '%s' changes version %s, but %s"
                        .formatted(
                                delta.version(),
                                delta.ruleSet(),
                                delta.base() == null ? "none" : delta.base(),
                                why));
    }

    private void requireOrder(RuleTransaction delta) throws MalformedMessageException {
        Set<Long> moving = new HashSet<>(delta.removes());
        delta.puts().forEach(rule -> moving.add(rule.id()));
        TreeMap<Rule, Rule> among = new TreeMap<>(Rule.TOTAL_ORDER);
        for (Rule rule : delta.puts()) {
            if (rule.place().isNone()) {
                throw order(delta, "rule " + rule.id() + " has no place");
            }
            Rule there = index.inPlaceOf(rule);
            Rule other = there != null && !moving.contains(there.id()) ? there : among.get(rule);
            if (other != null) {
                throw order(
                        delta,
                        "rules %d and %d have priority %d and place %s both; neither comes first"
                                .formatted(other.id(), rule.id(), rule.priority(), rule.place()));
            }
            among.put(rule, rule);
        }
    }

    /** Returns the words of the rules after a delta, and of earlier ones while they fit. */
    private long words(RuleTransaction delta, Set<Long> put) throws MalformedMessageException {
        try {
            long more = words | RuleSet.layout(delta.puts()).wordBits();
            if (Long.bitCount(more) <= HeaderLayout.MOST_WORDS) {
                return more;
            }
            put.addAll(delta.removes());
            List<Rule> after = new ArrayList<>(index.rules());
            after.removeIf(rule -> put.contains(rule.id()));
            after.addAll(delta.puts());
            return RuleSet.layout(after).wordBits();
        } catch (IllegalArgumentException e) {
            throw new MalformedMessageException(
                    DeadLetterReason.RULES_MATCH_WORDS, String.valueOf(e.getMessage()));
        }
    }

    private static MalformedMessageException order(RuleTransaction transaction, String detail) {
        return new MalformedMessageException(
                DeadLetterReason.RULES_ORDER,
                "version %d of '%s': %s"
                        .formatted(transaction.version(), transaction.ruleSet(), detail));
    }

    /** Writes what a checkpoint needs beside the messages of the rules. */
    void write(DataOutputStream out) throws IOException {
        out.writeBoolean(waits);
        out.writeInt(past.size());
        for (Map.Entry<String, Long> one : past.entrySet()) {
            out.writeUTF(one.getKey());
            out.writeLong(one.getValue());
        }
        out.writeLong(times.heartbeatNs());
    }

    /** Reads what {@link #write} wrote, once the messages are taken. */
    void read(DataInputStream in) throws IOException {
        waits = in.readBoolean();
        past.clear();
        for (int left = in.readInt(); left > 0; left--) {
            past.put(in.readUTF(), in.readLong());
        }
        times.heartbeat(in.readLong());
    }
}
