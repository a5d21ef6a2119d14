package dev.sluice.job.connections;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sluice.operators.connections.Connections;
import dev.sluice.operators.connections.TrackerCounts;
import dev.sluice.policy.io.Amount;
import org.jspecify.annotations.Nullable;

/**
 * Counts of the connections of captures.
 *
 * @param counts of the tracker
 * @param live connections that had not ended after the last packet
 * @param refusedConnections connections whose first packet was refused; null: not counted, since no
 *     rows were kept
 */
public record ConnectionSum(TrackerCounts counts, long live, @Nullable Long refusedConnections) {
    /**
     * The counts of connections so far.
     *
     * @param rows whether they have rows
     */
    public static ConnectionSum of(Connections connections, boolean rows) {
        return new ConnectionSum(
                connections.counts(),
                connections.live(),
                rows ? connections.refusedConnections() : null);
    }

    /** A sentence for people. */
    public String describe() {
        StringBuilder words =
                new StringBuilder(
                        "connections: %,d opened, %,d of them picked up in the middle"
                                .formatted(counts.created(), counts.pickedUp()));
        words.append("; %,d live at the end".formatted(live));
        words.append("; %s refused".formatted(Amount.of(counts.refused(), "first packet")));
        if (refusedConnections != null) {
            words.append(" of %s".formatted(Amount.of(refusedConnections, "connection")));
        }
        if (counts.doubtful() > 0) {
            words.append(
                    "; %s let in that depend"
                            .formatted(Amount.of(counts.doubtful(), "first packet")));
        }
        if (counts.evicted() + counts.full() > 0) {
            words.append(
                    "; at the limit (--conntrack-max) %,d ended early and %,d were not entered"
                            .formatted(counts.evicted(), counts.full()));
        }
        if (counts.reevaluated() > 0) {
            words.append(
                    "; %,d judged anew when rules changed, %,d of them refused"
                            .formatted(counts.reevaluated(), counts.endedByRules()));
        }
        if (counts.untold() > 0) {
            words.append(
                    "; %s without TCP's sequence numbers or SCTP's chunks, from which on the states of their connections are unknown"
                            .formatted(Amount.of(counts.untold(), "packet")));
        }
        if (counts.answering() == 0 && counts.created() > 0) {
            words.append(
                    "; no packet answers another: states are right only where captures have both directions");
        }
        return words.toString();
    }

    /** Puts the counts into an object. */
    public void putInto(ObjectNode object) {
        object.put("opened", counts.created());
        object.put("picked_up", counts.pickedUp());
        object.put("live", live);
        object.put("refused", counts.refused());
        object.put("refused_connections", refusedConnections);
        object.put("doubtful", counts.doubtful());
        object.put("ended_early", counts.evicted());
        object.put("not_entered", counts.full());
        object.put("answering_packets", counts.answering());
        object.put("reevaluated", counts.reevaluated());
        object.put("ended_by_rules", counts.endedByRules());
        object.put("untold_segments", counts.untold());
    }
}
