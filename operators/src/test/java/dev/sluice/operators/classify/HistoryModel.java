package dev.sluice.operators.classify;

import dev.sluice.engine.rules.Match;
import dev.sluice.engine.rules.Place;
import dev.sluice.engine.rules.Rule;
import dev.sluice.engine.rules.RuleDelta;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.operators.rules.RuleSetMessages;
import dev.sluice.schemas.codec.RuleChange;
import dev.sluice.schemas.header.HeaderWord;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;

/**
 * A rules topic, and what the rules of each of its versions are, known in the plainest way. A rule
 * whose address mask is no prefix cannot be built by the algorithm of these tests.
 */
final class HistoryModel {
    /** First octets of source addresses. */
    static final int ADDRESSES = 16;

    /** Destination ports. */
    static final int PORTS = 6;

    private static final String HISTORY = "h";

    /** What a publisher does. */
    enum Kind {
        SNAPSHOT,
        /** All rules as they are, but for a few. */
        SIMILAR_SNAPSHOT,
        DELTA,
        /** Rules that cannot be built, under another default action, so that they must be. */
        UNSERVABLE,
        /** A snapshot without one of its messages. */
        BROKEN,
        /** A snapshot whose COMMIT never comes. */
        UNFINISHED,
        /** The transaction before once more. */
        AGAIN
    }

    private final List<byte[]> messages = Collections.synchronizedList(new ArrayList<>());
    private final TreeMap<Long, RuleSet> committed = new TreeMap<>();
    private final Map<Long, Boolean> servable = new HashMap<>();
    private Map<Long, Rule> rules = new TreeMap<>();
    private String defaultAction = "drop";
    private List<byte[]> last = List.of();
    private long version;
    private long contentVersion = -1;
    private long nextId = 1;

    /** Whether a delta would follow what the topic says. */
    private boolean deltasFollow;

    /** The topic's messages, oldest first; synchronize on it to read it beside a publisher. */
    List<byte[]> messages() {
        return messages;
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

    /** Publishes something; returns what. */
    String publish(Random random) {
        Kind[] kinds = Kind.values();
        int dice = random.nextInt(20);
        return publish(random, dice < 11 ? Kind.DELTA : kinds[random.nextInt(kinds.length)]);
    }

    String publish(Random random, Kind kind) {
        switch (kind) {
            case SNAPSHOT -> {
                rules = new TreeMap<>();
                defaultAction = random.nextBoolean() ? "drop" : "none";
                fill(random, 5 + random.nextInt(30), false);
                snapshot();
            }
            case SIMILAR_SNAPSHOT -> {
                change(random);
                snapshot();
            }
            case DELTA -> delta(random);
            case UNSERVABLE -> {
                defaultAction = defaultAction + "'";
                fill(random, 2, true);
                snapshot();
            }
            case BROKEN -> {
                List<byte[]> cut = transaction(++version);
                messages.add(cut.get(0));
                messages.add(cut.get(cut.size() - 1));
                deltasFollow = false;
            }
            case UNFINISHED -> {
                List<byte[]> cut = transaction(++version);
                messages.addAll(cut.subList(0, 1 + random.nextInt(cut.size() - 1)));
                deltasFollow = false;
            }
            case AGAIN -> messages.addAll(last);
        }
        return kind + " " + version;
    }

    private void fill(Random random, int count, boolean holes) {
        for (int i = 0; i < count; i++) {
            put(rule(random, nextId++, holes));
        }
    }

    private void put(Rule rule) {
        rules.put(rule.id(), rule);
    }

    private Rule rule(Random random, long id, boolean hole) {
        int length = random.nextInt(5);
        int mask = hole ? 0x05000000 : length == 0 ? 0 : -1 << 28 - length & 0x0f000000;
        mask |= hole || length == 0 ? 0 : 0xf0000000;
        Match.Builder match = new Match.Builder();
        match.word(HeaderWord.IPV4_SRC, random.nextInt(ADDRESSES) << 24 & mask, mask);
        if (random.nextBoolean()) {
            match.word(HeaderWord.PORTS, random.nextInt(PORTS), 0xffff);
        }
        byte[] place = {(byte) (1 + random.nextInt(100)), (byte) (id >> 8), (byte) id, 1};
        return new Rule(
                id,
                random.nextInt(3),
                match.build(),
                "a" + random.nextInt(4),
                (int) id,
                Place.of(place),
                "rule " + id);
    }

    /** Removes, adds and changes some rules; returns what has changed. */
    private RuleDelta change(Random random) {
        List<Long> removes = new ArrayList<>();
        List<Rule> inserts = new ArrayList<>();
        List<Long> there = new ArrayList<>(rules.keySet());
        Collections.shuffle(there, random);
        int removed = Math.min(Math.max(0, there.size() - 3), random.nextInt(4));
        for (Long id : there.subList(0, removed)) {
            rules.remove(id);
            removes.add(id);
        }
        for (int i = random.nextInt(4); i > 0; i--) {
            inserts.add(rule(random, nextId++, false));
        }
        if (removed < there.size() && random.nextBoolean()) {
            inserts.add(rule(random, there.get(removed), false));
        }
        inserts.forEach(this::put);
        return new RuleDelta(removes, inserts);
    }

    private void snapshot() {
        version++;
        commit(transaction(version));
        deltasFollow = true;
    }

    private List<byte[]> transaction(long number) {
        return RuleSetMessages.snapshot(
                begin(number, null, RuleChange.Kind.SNAPSHOT), List.copyOf(rules.values()));
    }

    private void delta(Random random) {
        if (!deltasFollow) { // it waits for a snapshot and changes nothing
            RuleChange begin = begin(++version, contentVersion, RuleChange.Kind.DELTA);
            messages.addAll(RuleSetMessages.delta(begin, RuleDelta.remove()));
            return;
        }
        long base = contentVersion;
        RuleDelta delta = change(random);
        version++;
        commit(RuleSetMessages.delta(begin(version, base, RuleChange.Kind.DELTA), delta));
    }

    private static RuleChange begin(long number, Long base, RuleChange.Kind kind, String action) {
        return RuleChange.begin("t" + number, HISTORY, number, base, null, kind, "set", action);
    }

    private RuleChange begin(long number, Long base, RuleChange.Kind kind) {
        return begin(number, base, kind, defaultAction);
    }

    private void commit(List<byte[]> transaction) {
        messages.addAll(transaction);
        last = transaction;
        contentVersion = version;
        RuleSet now = RuleSet.of("set", version, defaultAction, List.copyOf(rules.values()));
        committed.put(version, now);
        servable.put(
                version,
                now.rules().stream()
                        .noneMatch(r -> r.match().mask(HeaderWord.IPV4_SRC) == 0x05000000));
    }
}
