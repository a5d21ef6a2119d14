package dev.sluice.operators.classify;

import dev.sluice.operators.connections.ConnectionEnd;
import dev.sluice.operators.connections.ConnectionRow;
import dev.sluice.operators.connections.ConnectionRows;
import dev.sluice.operators.connections.PacketFacts;

/** Rows of the connections of a flow shard. Not thread-safe. */
final class ShardRows implements ConnectionRows, PacketFacts {
    final Openings openings = new Openings();
    private final BatchFacts facts;

    /** Rows of packets whose facts are told. */
    ShardRows(BatchFacts facts) {
        this.facts = facts;
    }

    @Override
    public int length(int at) {
        return facts.length(at);
    }

    @Override
    public long number(int at) {
        return facts.number(at);
    }

    @Override
    public int opening(int at, int rule) {
        return openings.number(facts.opening(at, rule));
    }

    @Override
    public void refused(int at, ConnectionRow refusal) {
        // verdicts of a job have no notes
    }

    @Override
    public void began(int opening) {
        if (opening > 0) {
            openings.began(opening);
        }
    }

    @Override
    public void take(ConnectionRow row, ConnectionEnd end) {
        int opening = row.opening();
        if (opening > 0) {
            facts.tell(row.toConnection(openings.get(opening), end));
            if (end != ConnectionEnd.LIVE) {
                openings.ended(opening);
            }
        }
    }
}
