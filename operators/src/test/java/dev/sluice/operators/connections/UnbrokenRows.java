package dev.sluice.operators.connections;

import dev.sluice.schemas.codec.Connection;
import dev.sluice.schemas.codec.Connection.Opening;
import dev.sluice.schemas.codec.VerdictOutcome;
import java.util.ArrayList;
import java.util.List;

/** Rows of connections by one tracker that never fails, as {@code classify} keeps them. */
public final class UnbrokenRows implements ConnectionRows, PacketFacts {
    private final List<Opening> openings = new ArrayList<>();
    private final List<Connection> told = new ArrayList<>();
    private final Connections connections = new Connections(TrackerOptions.LINUX, this, this);
    private final TrackedPacket packet = new TrackedPacket();
    private int length;
    private long number;
    private Opening opening = new Opening("", "", VerdictOutcome.NONE, null, null, "", "", 0, "");

    /** Takes a packet and the verdict on it. */
    public void packet(int[] header, long time, long packetNumber, int bytes, Opening verdict) {
        length = bytes;
        number = packetNumber;
        opening = verdict;
        packet.read(header, 0);
        connections.measure(packet.tuple, 0);
        int state = packet.state(connections, time);
        connections.decided(0, state, 0, verdict.outcome());
    }

    /** Returns the rows of all connections, in the order of their ends. */
    public List<Connection> all() {
        connections.handRest();
        return told;
    }

    @Override
    public int length(int at) {
        return length;
    }

    @Override
    public long number(int at) {
        return number;
    }

    @Override
    public int opening(int at, int rule) {
        openings.add(opening);
        return openings.size() - 1;
    }

    @Override
    public void refused(int at, ConnectionRow refusal) {
        // the rows alone are compared
    }

    @Override
    public void take(ConnectionRow row, ConnectionEnd end) {
        told.add(row.toConnection(openings.get(row.opening()), end));
    }
}
