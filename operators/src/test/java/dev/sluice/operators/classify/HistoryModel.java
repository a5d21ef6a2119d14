package dev.sluice.operators.classify;

import dev.sluice.engine.rules.Place;
import dev.sluice.engine.rules.Rule;
import dev.sluice.engine.rules.RuleDelta;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.operators.rules.topic.RuleSetMessages;
import dev.sluice.schemas.codec.RuleChange;
import dev.sluice.schemas.header.HeaderWord;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * A rules topic, and what the rules of each of its versions are, known in the plainest way. A rule
 * whose mask of {@link HeaderWord#IPV4_SRC} is no prefix cannot be built by the algorithm of these
 * tests.
 */
final class HistoryModel {
    static final String HISTORY = "h";

    private final List<byte[]> messages = new ArrayList<>();
    private final TreeMap<Long, RuleSet> committed = new TreeMap<>();
    private final Map<Long, Boolean> servable = new HashMap<>();
    private final TreeMap<Long, Rule> rules = new TreeMap<>();
    private String defaultAction = "drop";
    private List<byte[]> last = List.of();
    private long version;
    private long contentVersion = -1;

    /** Whether a delta would follow what the topic says. */
    private boolean deltasFollow;

    /** Whether the last transaction has no end. */
    private boolean unfinished;

    /** Returns the number of messages in the topic. */
    synchronized int size() {
        return messages.size();
    }

    /** Returns a message of the topic, once it is there. */
    synchronized byte[] await(int at) throws InterruptedException {
        while (at >= messages.size()) {
            wait();
        }
        return messages.get(at);
    }

    private synchronized void append(List<byte[]> more) {
        messages.addAll(more);
        notifyAll();
    }

    /** The rules of now. */
    List<Rule> rules() {
        return List.copyOf(rules.values());
    }

    /** Rules of a version that was committed. */
    RuleSet committed(long number) {
        RuleSet there = committed.get(number);
        if (there == null) {
            throw new AssertionError("version " + number + " was never committed");
        }
        return there;
    }

    /** The newest version that every engine of the tests can build. */
    long newestServable() {
        for (long number : committed.descendingKeySet()) {
            if (servable.get(number)) {
                return number;
            }
        }
        throw new AssertionError("nothing was ever servable");
    }

    /** Publishes what a step says. */
    void publish(HistoryStep step) {
        // Old messages change nothing: the rest of what is unfinished may come behind them.
        if (!step.word(1).equals("again")) {
            deltasFollow &= !unfinished;
            unfinished = false;
        }
        switch (step.word(1)) {
            case "snapshot" -> {
                rules.clear();
                defaultAction = step.word(2);
                change(step);
                snapshot();
            }
            case "similar" -> {
                change(step);
                snapshot();
            }
            case "delta" -> delta(step);
            case "unservable" -> {
                defaultAction = defaultAction + "'";
                change(step);
                snapshot();
            }
            case "broken" -> {
                if (!rules.isEmpty()) { // of none, a snapshot has nothing between its ends
                    List<byte[]> cut = transaction(++version);
                    append(List.of(cut.get(0), cut.get(cut.size() - 1)));
                    deltasFollow = false;
                }
            }
            case "unfinished" -> {
                List<byte[]> cut = transaction(++version);
                append(cut.subList(0, 1 + step.number(2) % (cut.size() - 1)));
                unfinished = true;
            }
            case "again" -> append(last);
            default -> throw new IllegalArgumentException("nobody publishes " + step.word(1));
        }
    }

    /** Removes, adds and changes rules; says what was changed. */
    private RuleDelta change(HistoryStep step) {
        List<Long> removes =
                step.removes().stream().filter(id -> rules.remove(id) != null).toList();
        List<Rule> puts = step.rules().stream().map(HistoryModel::placed).toList();
        puts.forEach(rule -> rules.put(rule.id(), rule));
        return new RuleDelta(removes, puts);
    }

    /** A rule whose place follows from what it is, so that it moves when its action changes. */
    private static Rule placed(Rule rule) {
        long id = rule.id();
        int at = 1 + Math.floorMod(31 * id + rule.action().hashCode(), 100);
        byte[] place = {(byte) at, (byte) (id >> 8), (byte) id, 1};
        return new Rule(
                id,
                rule.priority(),
                rule.match(),
                rule.action(),
                (int) id,
                Place.of(place),
                "rule " + id);
    }

    private void snapshot() {
        version++;
        commit(transaction(version));
        deltasFollow = true;
    }

    private List<byte[]> transaction(long number) {
        return RuleSetMessages.snapshot(begin(number, null, RuleChange.Kind.SNAPSHOT), rules());
    }

    private void delta(HistoryStep step) {
        if (!deltasFollow) { // it waits for a snapshot and changes nothing
            RuleChange begin = begin(++version, contentVersion, RuleChange.Kind.DELTA);
            append(RuleSetMessages.delta(begin, RuleDelta.remove()));
            return;
        }
        long base = contentVersion;
        RuleDelta delta = change(step);
        version++;
        commit(RuleSetMessages.delta(begin(version, base, RuleChange.Kind.DELTA), delta));
    }

    private RuleChange begin(long number, Long base, RuleChange.Kind kind) {
        return RuleChange.begin(
                "t" + number, HISTORY, number, base, null, kind, "set", defaultAction);
    }

    private void commit(List<byte[]> transaction) {
        append(transaction);
        last = transaction;
        contentVersion = version;
        committed.put(version, RuleSet.of("set", version, defaultAction, rules()));
        servable.put(version, rules.values().stream().noneMatch(HistoryModel::hasHoles));
    }

    private static boolean hasHoles(Rule rule) {
        int others = ~rule.match().mask(HeaderWord.IPV4_SRC);
        return (others & others + 1) != 0;
    }
}
