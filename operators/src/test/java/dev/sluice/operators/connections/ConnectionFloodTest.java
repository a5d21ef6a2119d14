package dev.sluice.operators.connections;

import static dev.sluice.operators.connections.ConnectionTracker.ASSURED;
import static dev.sluice.operators.connections.ConnectionTracker.ESTABLISHED;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Connections that come and go, and floods of those that have one packet. */
class ConnectionFloodTest {
    private static final int SYN = 2;
    private static final int ACK = 16;
    private static final int OPEN = 100_000;
    private static final int MOST = TrackerOptions.DEFAULT_CONNECTIONS_MAX;
    private static final long MICRO = 1_000;

    private final ConnectionTracker tracker = new ConnectionTracker(TrackerOptions.LINUX);
    private final PacketTuple packet = new PacketTuple();
    private long now;

    @Test
    void memoryStaysWhileConnectionsComeAndGo() {
        comeAndGo(2_000_000);
    }

    @Test
    @Tag("long")
    void memoryStaysOverFiftyMillionConnections() {
        comeAndGo(50_000_000);
    }

    /** Opens and resets connections; half of the most are open, others are remembered for 10 s. */
    private void comeAndGo(int connections) {
        long most = 0;
        for (int i = 0; i < connections; i++) {
            now += 100 * MICRO;
            tcp(i, SYN, false);
            tcp(i, SYN | ACK, true);
            tcp(i, ACK, false);
            if (i >= MOST / 2) {
                tcp(i - MOST / 2, 4 | ACK, false);
            }
            if (i == MOST) {
                most = tracker.bytes();
            }
        }
        assertTrue(tracker.live() < MOST, tracker.live() + " are live");
        assertTrue(tracker.bytes() <= most * 11 / 10, most + " bytes, then " + tracker.bytes());
        assertEquals(0, tracker.counts().evicted());
    }

    @ParameterizedTest
    @ValueSource(ints = 1_000_000)
    void aFloodDropsNoOpenConnection(int packets) {
        flood(packets);
    }

    @Test
    @Tag("long")
    void tenMillionConnectionsOfOnePacketDropNoOpenOne() {
        flood(10_000_000);
    }

    /** Sends packets of open connections, alone and beside others that open one each. */
    private void flood(int packets) {
        for (int i = 0; i < OPEN; i++) {
            tcp(i, SYN, false);
            tcp(i, SYN | ACK, true);
            tcp(i, ACK, false);
        }
        double alone = packetsOfOpen(packets, false);
        double beside = packetsOfOpen(packets, true);
        assertTrue(tracker.counts().live() <= MOST, tracker.counts().toString());
        assertTrue(tracker.bytes() <= 64L * MOST, tracker.bytes() + " bytes");
        assertEquals(packets, tracker.counts().created() - OPEN);
        System.out.printf(
                "a packet of an open connection: %.0f ns alone, %.0f ns beside %,d of a flood%n",
                alone, beside, packets);
    }

    /** Returns the ns that a packet of an open connection takes. */
    private double packetsOfOpen(int packets, boolean flooded) {
        long spent = 0;
        for (int start = 0; start < packets; start += 1_000) {
            for (int i = start; flooded && i < start + 1_000; i++) {
                now += MICRO;
                packet.ipv4(0x0a00_0000 + i, 2, PacketTuple.TCP).ports(9, 80).tcpFlags(SYN);
                tracker.state(packet, null, now);
                tracker.decided(true);
            }
            long from = System.nanoTime();
            for (int i = start; i < start + 1_000; i++) {
                int state = tcp((int) (i * 7919L % OPEN), ACK, (i & 1) == 0);
                assertEquals(ESTABLISHED | ASSURED, state & (ESTABLISHED | ASSURED));
            }
            spent += System.nanoTime() - from;
        }
        return (double) spent / packets;
    }

    private int tcp(int connection, int flags, boolean answers) {
        now += MICRO;
        if (answers) {
            packet.ipv4(1, connection, PacketTuple.TCP).ports(80, 7);
        } else {
            packet.ipv4(connection, 1, PacketTuple.TCP).ports(7, 80);
        }
        int state = tracker.state(packet.tcpFlags(flags), null, now);
        tracker.decided(true);
        return state;
    }
}
