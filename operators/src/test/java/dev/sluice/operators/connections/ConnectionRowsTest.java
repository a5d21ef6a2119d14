package dev.sluice.operators.connections;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.schemas.testing.TestSeed;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Rows of connections are those of one map, and cost what is said. */
class ConnectionRowsTest {
    private static final long[] PAUSES = {
        0,
        1,
        1_000_000,
        2_000_000_001L,
        10_000_000_000L,
        31_000_000_000L,
        121_000_000_000L,
        601_000_000_000L,
        -5_000_000_000L
    };

    private static final int PACKETS = 60_000;

    static Stream<Long> seeds() {
        return Stream.of(1L, 2L, 3L, 4L).map(TestSeed::of);
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void fewConnectionsHaveTheRowsOfTheReference(long seed) {
        compare(seed, DrawnPacket.PROTOCOLS, 2, TrackerOptions.LINUX);
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void segmentsBetweenTheSameEndsHaveTheRowsOfTheReference(long seed) {
        List<String> rows = compare(seed, DrawnPacket.TCP, 1, TrackerOptions.LINUX);
        for (ConnectionEnd end : ConnectionEnd.values()) {
            boolean told = rows.stream().anyMatch(row -> row.endsWith(" " + end));
            boolean possible = end != ConnectionEnd.EVICTED && end != ConnectionEnd.RULES_CHANGED;
            assertEquals(possible, told, end.toString());
        }
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void connectionsOfManyPagesHaveTheRowsOfTheReference(long seed) {
        compare(
                seed,
                DrawnPacket.PROTOCOLS,
                60,
                TrackerOptions.LINUX.withLoose(false).withSeed(seed));
    }

    @Test
    void aWrongTransitionIsToldByARow() {
        int right = TcpTransitions.next(1, TcpTransitions.FIN, TcpTransitions.ESTABLISHED);
        TcpTransitions.replace(
                1, TcpTransitions.FIN, TcpTransitions.ESTABLISHED, TcpTransitions.CLOSE_WAIT);
        try {
            assertThrows(
                    AssertionError.class,
                    () -> compare(1, DrawnPacket.TCP, 1, TrackerOptions.LINUX));
        } finally {
            TcpTransitions.replace(1, TcpTransitions.FIN, TcpTransitions.ESTABLISHED, right);
        }
    }

    private static List<String> compare(
            long seed, int[] protocols, int ports, TrackerOptions options) {
        List<String> rows = new ArrayList<>();
        assertEquals(reference(seed, protocols, ports, options, rows), rows);
        return rows;
    }

    /** Returns the reference's rows, sorted, and adds the tracker's. */
    private static List<String> reference(
            long seed, int[] protocols, int ports, TrackerOptions options, List<String> rows) {
        Random random = new Random(seed);
        ReferenceRows reference = new ReferenceRows(options);
        long[] sum = new long[1];
        ConnectionTracker tracker =
                new ConnectionTracker(
                        options,
                        (row, end) -> {
                            rows.add(ReferenceRows.text(row, end));
                            sum[0] += row.packets(0) + row.packets(1);
                        });
        PacketTuple tuple = new PacketTuple();
        PacketTuple inner = new PacketTuple();
        long time = 1_000_000_000_000L;
        for (int i = 1; i <= PACKETS; i++) {
            if (random.nextInt(ports * 6) == 0) {
                time += PAUSES[random.nextInt(PAUSES.length)];
            }
            DrawnPacket packet = DrawnPacket.random(random, protocols, ports, 1);
            boolean passes = random.nextInt(4) > 0;
            int length = 40 + random.nextInt(1460);
            long refusedAt = reference.packet(packet, passes, length, i, time);
            DrawnPacket about = packet.embedded();
            tracker.state(
                    packet.fill(tuple).length(length),
                    about == null ? null : about.fill(inner),
                    time);
            tracker.decided(passes, i, i * 10L);
            ConnectionRow refusal = tracker.refusal();
            assertEquals(refusedAt, refusal == null ? 0 : refusal.refusedAt(), "packet " + i);
        }
        reference.finish();
        tracker.handRest();
        assertTrue(sum[0] > PACKETS / 4, sum[0] + " packets");
        assertEquals(reference.counted, sum[0], "packets that are tracked");
        rows.sort(null);
        reference.told.sort(null);
        return reference.told;
    }

    @Test
    void eachConnectionHasOneRowAtTheLargestNumber() {
        TrackerOptions small = TrackerOptions.LINUX.withConnectionsMax(50);
        Map<ConnectionEnd, Integer> ends = new EnumMap<>(ConnectionEnd.class);
        int[] refused = new int[1];
        ConnectionTracker tracker =
                new ConnectionTracker(
                        small,
                        (row, end) -> {
                            if (row.isRefused()) {
                                refused[0]++;
                            } else {
                                ends.merge(end, 1, Integer::sum);
                            }
                        });
        Random random = TestSeed.random(1);
        PacketTuple tuple = new PacketTuple();
        long live = 0;
        for (int i = 0; i < 30_000; i++) {
            DrawnPacket packet = DrawnPacket.random(random, DrawnPacket.PROTOCOLS, 30, 0);
            tracker.state(packet.fill(tuple), null, i * 20_000_000L);
            tracker.decided(random.nextInt(3) > 0, 0, i);
            live = tracker.live();
            assertTrue(live <= 50);
        }
        tracker.handRest();
        TrackerCounts counts = tracker.counts();
        assertEquals(counts.created(), ends.values().stream().mapToInt(n -> n).sum());
        assertEquals(live, ends.get(ConnectionEnd.LIVE).longValue());
        assertTrue(ends.get(ConnectionEnd.EVICTED) > 1000, ends.toString());
        assertEquals(tracker.refusedConnections(), refused[0]);
        assertTrue(refused[0] > 1000 && refused[0] < counts.refused(), counts.toString());
    }

    @Test
    void bytesAreCountedTo48Bits() {
        List<Long> told = new ArrayList<>();
        ConnectionTracker tracker =
                new ConnectionTracker(
                        TrackerOptions.LINUX,
                        (row, end) -> {
                            told.add(row.bytes(0));
                            told.add(row.bytes(1));
                        });
        PacketTuple packet = new PacketTuple();
        long[] sums = new long[2];
        for (int i = 0; i < 100_000; i++) {
            int direction = i % 3 == 2 ? 1 : 0;
            int length = Integer.MAX_VALUE - i;
            packet.ipv4(direction == 0 ? 1 : 2, direction == 0 ? 2 : 1, PacketTuple.UDP);
            tracker.state(packet.ports(7, 7).length(length), null, i);
            tracker.decided(true);
            sums[direction] += length;
        }
        tracker.handRest();
        assertEquals(List.of(sums[0], sums[1]), told);
    }

    @ParameterizedTest
    @ValueSource(ints = {4, 6})
    void aRowTakesAtMost64BytesMore(int version) {
        ConnectionTracker plain = new ConnectionTracker(large());
        ConnectionTracker kept = new ConnectionTracker(large(), (row, end) -> {});
        ConnectionTracker refused = new ConnectionTracker(large(), (row, end) -> {});
        long most = version == 4 ? 128 : 152;
        for (int i = 1; i <= 300_000; i++) {
            open(plain, version, i, true);
            open(kept, version, i, true);
            open(refused, version, i, false);
            if (i > 1000 && i % 1000 == 0) {
                assertTrue(kept.bytes() <= most * i, kept.bytes() + " bytes of " + i);
                assertTrue(refused.bytes() <= most * i, refused.bytes() + " bytes of " + i);
                long more = kept.bytes() - plain.bytes();
                assertTrue(more <= 64L * i, more + " bytes more of " + i);
            }
        }
        assertNull(plain.refusal());
    }

    private static TrackerOptions large() {
        return TrackerOptions.LINUX.withConnectionsMax(1_000_000);
    }

    private static void open(ConnectionTracker tracker, int version, int i, boolean passes) {
        PacketTuple packet = new PacketTuple();
        if (version == 4) {
            packet.ipv4(i, 1, PacketTuple.TCP);
        } else {
            packet.ipv6(new int[] {7, 0, 0, i}, new int[] {7, 0, 0, 1}, PacketTuple.TCP);
        }
        tracker.state(packet.ports(7, 80).tcpFlags(2), null, 1);
        tracker.decided(passes, i, i);
    }
}
