package dev.sluice.operators.classify;

import dev.sluice.engine.rules.Match;
import dev.sluice.engine.rules.Place;
import dev.sluice.engine.rules.Rule;
import dev.sluice.engine.rules.Step;
import dev.sluice.operators.connections.ConnectionTracker;
import dev.sluice.operators.rules.topic.RuleSetMessages;
import dev.sluice.schemas.codec.RuleChange;
import dev.sluice.schemas.codec.RuleChange.Kind;
import dev.sluice.schemas.header.Field;
import dev.sluice.schemas.header.HeaderWord;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Versions of a policy that asks for the states of connections, and its answers rule by rule. */
final class HistoryPolicy {
    static final int DROPS_INVALID = 1;
    static final int PASSES_KNOWN = 2;
    static final int PASSES_SOURCE = 4;
    private static final int PASSES_OTHERS = 5;
    private static final int DROPS_LATE = 3;
    static final int DROPS_REST = 9;

    /** Times of the versions in ns, and of the first packet. */
    private static final long VERSION_NANOS = 40_000_000_000L;

    private static final long BEGIN_NANOS = 1_000_000_000_000L;
    private static final int VERSIONS = 100;

    private HistoryPolicy() {}

    private static Rule rule(int id, int priority, Match match, Step step) {
        return new Rule(id, priority, match, "act", id, Place.NONE, "", step);
    }

    private static Rule box(int rule, boolean permits, Match.Builder match) {
        Step step = new Step(Step.Kind.DECIDE, permits, 1, rule, 0, 0);
        return rule(100 + rule, 100 - rule, match.build(), step);
    }

    private static Match.Builder state(int state) {
        return new Match.Builder()
                .field(Field.CONNECTION_STATE, state, state)
                .field(Field.CONNECTION_PRESENT, 1);
    }

    private static Match.Builder any() {
        return new Match.Builder();
    }

    /** The version in force at a time. */
    static long version(long nanos) {
        return Math.min(VERSIONS, 1 + (nanos - BEGIN_NANOS) / VERSION_NANOS);
    }

    /** The source port that a version lets in. */
    private static int port(long version) {
        return 1 + (int) (version - 1) % 3;
    }

    /** All versions, each from its time on. */
    static List<byte[]> history() {
        List<byte[]> messages = new ArrayList<>();
        for (long version = 1; version <= VERSIONS; version++) {
            messages.addAll(policy(version, BEGIN_NANOS + (version - 1) * VERSION_NANOS));
        }
        return messages;
    }

    static List<byte[]> policy(long version, @Nullable Long from) {
        List<Rule> rules = new ArrayList<>();
        rules.add(box(DROPS_INVALID, false, state(ConnectionTracker.INVALID)));
        rules.add(box(PASSES_KNOWN, true, state(ConnectionTracker.ESTABLISHED)));
        rules.add(
                box(
                        DROPS_LATE,
                        false,
                        any().field(Field.IP_PROTO, 6)
                                .field(Field.TCP_FLAGS, 0, 2)
                                .field(Field.SRC_PORT, 2)));
        rules.add(box(PASSES_SOURCE, true, any().field(Field.SRC_PORT, port(version))));
        Match.Builder others = any().field(Field.IP_VERSION, Field.VERSION_6);
        if (version % 2 == 0) {
            others = others.field(Field.DST_PORT, 1);
        }
        rules.add(box(PASSES_OTHERS, true, others));
        for (int rule :
                List.of(
                        DROPS_INVALID,
                        PASSES_KNOWN,
                        DROPS_LATE,
                        PASSES_SOURCE,
                        PASSES_OTHERS,
                        DROPS_REST)) {
            boolean permits = permits(rule);
            Step answer = new Step(Step.Kind.ANSWER, permits, 0, rule, 0, 0);
            rules.add(rule(rule, 0, any().build(), answer));
        }
        Step stage = new Step(Step.Kind.STAGE, false, 0, DROPS_REST, 0, 1);
        rules.add(rule(200, 0, any().build(), stage));
        return RuleSetMessages.snapshot(
                RuleChange.begin("t" + version, version, from, Kind.SNAPSHOT, "set", "not-judged"),
                rules);
    }

    /** The rule that decides, by the rules from the first to the last. */
    static int decides(int[] header, int flags, int state, long version) {
        boolean known = state != ConnectionTracker.UNKNOWN;
        if (known && (state & ConnectionTracker.INVALID) != 0) {
            return DROPS_INVALID;
        }
        if (known && (state & ConnectionTracker.ESTABLISHED) != 0) {
            return PASSES_KNOWN;
        }
        int port = header[HeaderWord.PORTS] >>> 16;
        if (Field.IP_PROTO.extract(header[HeaderWord.IP]) == 6 && (flags & 2) == 0 && port == 2) {
            return DROPS_LATE;
        }
        if (port == port(version)) {
            return PASSES_SOURCE;
        }
        boolean six = Field.IP_VERSION.extract(header[HeaderWord.IP]) == Field.VERSION_6;
        boolean passes = six && (version % 2 == 1 || (header[HeaderWord.PORTS] & 0xffff) == 1);
        return passes ? PASSES_OTHERS : DROPS_REST;
    }

    static boolean permits(int rule) {
        return rule == PASSES_KNOWN || rule == PASSES_SOURCE || rule == PASSES_OTHERS;
    }
}
