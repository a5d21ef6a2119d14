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
 * @param doubtful packets that begin a connection and depend, so that they count as let through
 * @param answering packets that answer others
 */
public record ConnectionSum(
        TrackerCounts counts,
        long live,
        @Nullable Long refusedConnections,
        long doubtful,
        long answering) {
    /**
     * The counts of connections so far.
     *
     * @param rows whether they have rows
     */
    public static ConnectionSum of(Connections connections, boolean rows) {
        return new ConnectionSum(
                connections.counts(),
                connections.live(),
                rows ? connections.refusedConnections() : null,
                connections.doubtful(),
                connections.answering());
    }

    /** Returns the connections that ended by themselves. */
    private long ended() {
        return counts.created() - live - counts.evicted();
    }

    /** A sentence for people. */
    public String describe() {
        StringBuilder words =
                new StringBuilder(
                        "connections: %,d opened, %,d of them picked up in the middle; %,d ended, %,d live at the end; %s refused"
                                .formatted(
                                        counts.created(),
                                        counts.pickedUp(),
                                        ended(),
                                        live,
                                        Amount.of(counts.refused(), "first packet")));
        if (refusedConnections != null) {
            words.append(" of %s".formatted(Amount.of(refusedConnections, "connection")));
        }
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
        object.put("ended", ended());
        object.put("live", live);
        object.put("refused", counts.refused());
        if (refusedConnections != null) {
            object.put("refused_connections", refusedConnections);
        }
        object.put("doubtful", doubtful);
        object.put("ended_early", counts.evicted());
        object.put("not_entered", counts.full());
        object.put("answering_packets", answering);
    }
}
