package dev.sluice.operators.rules.topic;

import dev.sluice.engine.rules.Match;
import dev.sluice.engine.rules.Place;
import dev.sluice.engine.rules.Rule;
import dev.sluice.engine.rules.RuleDelta;
import dev.sluice.schemas.codec.RuleChange;
import dev.sluice.schemas.codec.RuleChange.Kind;
import dev.sluice.schemas.header.Field;
import java.util.ArrayList;
import java.util.List;

/** Messages as publishers send them. */
public final class Topic {
    private Topic() {}

    /** A rule on a port. */
    public static Rule rule(long id, int priority, int port) {
        return new Rule(
                id,
                priority,
                new Match.Builder().ports(Field.DST_PORT, port, port + 2).build(),
                "a" + id,
                (int) id,
                Place.NONE,
                "rule " + id);
    }

    public static Rule rule(long id, int priority, int port, int place) {
        return rule(id, priority, port).at(Place.of(new byte[] {(byte) place}));
    }

    /** The transaction that a message of a record without a time commits, not applied; or null. */
    static RuleTransaction assembled(TopicFollower follower, byte[] message) throws Exception {
        return assembled(follower, message, RuleTransaction.NO_TIME);
    }

    static RuleTransaction assembled(TopicFollower follower, byte[] message, long timeNs)
            throws Exception {
        return follower.assemble(RuleChange.decode(message), message, timeNs);
    }

    public static RuleChange beginSnapshot(String history, long version) {
        return RuleChange.begin(
                "t-" + history + version,
                history,
                version,
                null,
                null,
                Kind.SNAPSHOT,
                "set",
                "drop");
    }

    public static RuleChange beginDelta(String history, long version, long base) {
        return RuleChange.begin(
                "t-" + history + version, history, version, base, null, Kind.DELTA, "set", "drop");
    }

    public static List<byte[]> snapshot(String history, long version, Rule... rules) {
        return RuleSetMessages.snapshot(beginSnapshot(history, version), List.of(rules));
    }

    public static List<byte[]> delta(String history, long version, long base, RuleDelta delta) {
        return RuleSetMessages.delta(beginDelta(history, version, base), delta);
    }

    /** The messages of some transactions, one after the other. */
    @SafeVarargs
    public static List<byte[]> all(List<byte[]>... transactions) {
        List<byte[]> all = new ArrayList<>();
        for (List<byte[]> one : transactions) {
            all.addAll(one);
        }
        return all;
    }

    /** All but the last message. */
    public static List<byte[]> withoutCommit(List<byte[]> messages) {
        return messages.subList(0, messages.size() - 1);
    }
}
