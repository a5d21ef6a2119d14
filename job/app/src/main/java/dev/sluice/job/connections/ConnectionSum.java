package dev.sluice.job.connections;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sluice.operators.connections.Connections;
import dev.sluice.operators.connections.TrackerCounts;
import dev.sluice.policy.io.Amount;

/**
 * Counts of the connections of captures.
 *
 * @param counts of the tracker
 * @param doubtful packets that begin a connection and depend, so that they count as let through
 * @param answering packets that answer others
 */
public record ConnectionSum(TrackerCounts counts, long doubtful, long answering) {
    /** The counts of connections so far. */
    public static ConnectionSum of(Connections connections) {
        return new ConnectionSum(
                connections.counts(), connections.doubtful(), connections.answering());
    }

    /** A sentence for people. */
    public String describe() {
        StringBuilder words =
                new StringBuilder(
                        "connections: %,d opened, %,d of them picked up in the middle; %s refused"
                                .formatted(
                                        counts.created(),
                                        counts.pickedUp(),
                                        Amount.of(counts.refused(), "first packet")));
        if (doubtful > 0) {
            words.append("; %s let in that depend".formatted(Amount.of(doubtful, "first packet")));
        }
        if (counts.evicted() + counts.full() > 0) {
            words.append(
                    "; at the limit (--conntrack-max) %,d ended early and %,d were not entered"
                            .formatted(counts.evicted(), counts.full()));
        }
        if (answering == 0 && counts.created() > 0) {
            words.append(
                    "; no packet answers another: states are right only where captures have both directions");
        }
        return words.toString();
    }

    /** Puts the counts into an object. */
    public void putInto(ObjectNode object) {
        object.put("opened", counts.created());
        object.put("picked_up", counts.pickedUp());
        object.put("refused", counts.refused());
        object.put("doubtful", doubtful);
        object.put("ended_early", counts.evicted());
        object.put("not_entered", counts.full());
        object.put("answering_packets", answering);
    }
}
