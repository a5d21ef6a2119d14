package dev.sluice.operators.connections;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.schemas.testing.TestSeed;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** The tracker and the reference agree, and mutants of the tracker are told. */
class ConnectionTrackerTest {
    private static final TrackerOptions LINUX = TrackerOptions.LINUX;

    static Stream<Long> seeds() {
        return Stream.of(1L, 2L, 3L, 4L).map(TestSeed::of);
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void fewConnectionsAreThoseOfTheReference(long seed) throws IOException {
        TrackerHistory history =
                new TrackerHistory(seed, DrawnPacket.PROTOCOLS, 2, 4, LINUX, LINUX);
        assertEquals(Optional.empty(), history.difference(50_000));
        assertTrue(history.restored() > 10);
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void connectionsOfManyPagesAreThoseOfTheReference(long seed) throws IOException {
        TrackerOptions strict = LINUX.withLoose(false).withSeed(seed);
        TrackerHistory history =
                new TrackerHistory(seed, DrawnPacket.PROTOCOLS, 40, 100, strict, strict);
        assertEquals(Optional.empty(), history.difference(60_000));
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void earlyDropTakesUnassuredConnectionsAlone(long seed) throws IOException {
        TrackerOptions small = LINUX.withConnectionsMax(30);
        TrackerHistory history =
                new TrackerHistory(seed, DrawnPacket.PROTOCOLS, 5, 20, small, small);
        assertEquals(Optional.empty(), history.difference(20_000));
        assertTrue(history.evicted() > 100, history.evicted() + " evicted");
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void aRestoredTrackerDropsTheSameConnections(long seed) {
        TrackerOptions small = LINUX.withConnectionsMax(200);
        ConnectionTracker one = new ConnectionTracker(small);
        ConnectionTracker other = new ConnectionTracker(small);
        Random random = new Random(seed);
        PacketTuple packet = new PacketTuple();
        PacketTuple same = new PacketTuple();
        for (int i = 0; i < 30_000; i++) {
            DrawnPacket drawn = DrawnPacket.random(random, DrawnPacket.PROTOCOLS, 12, 0);
            boolean passes = random.nextInt(4) > 0;
            long time = i * 20_000_000L;
            one.load(new PacketTuple[] {drawn.fill(packet)}, 1);
            assertEquals(
                    one.state(packet, null, time),
                    other.state(drawn.fill(same), null, time),
                    drawn.toString());
            one.decided(passes);
            other.decided(passes);
            assertEquals(one.counts().live(), other.counts().live());
            if (random.nextInt(300) == 0) {
                other = new ConnectionTracker(small, other.image(true), null);
            }
        }
        assertTrue(one.counts().evicted() > 1000, one.counts().toString());
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void noStateDependsOnTheSeedOfTheHash(long seed) {
        ConnectionTracker one = new ConnectionTracker(LINUX);
        ConnectionTracker other = new ConnectionTracker(LINUX.withSeedByChance());
        Random random = new Random(seed);
        PacketTuple packet = new PacketTuple();
        PacketTuple same = new PacketTuple();
        for (int i = 0; i < 30_000; i++) {
            DrawnPacket drawn = DrawnPacket.random(random, DrawnPacket.PROTOCOLS, 12, 0);
            boolean passes = random.nextInt(4) > 0;
            long time = i * 20_000_000L;
            assertEquals(
                    one.state(drawn.fill(packet), null, time),
                    other.state(drawn.fill(same), null, time));
            one.decided(passes);
            other.decided(passes);
        }
        assertTrue(one.counts().created() > 1000, one.counts().toString());
        assertTrue(packet.hash() != same.hash(), "the seeds are two");
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "TCP_TIMEOUT_MAX_RETRANS") // of windows
    void aWrongTimeoutIsTold(ConnectionTimeout timeout) throws IOException {
        TrackerOptions wrong = LINUX.withSeconds(timeout, timeout.defaultSeconds() - 1L);
        boolean sctp = timeout.label().startsWith("sctp");
        int[] protocols = sctp ? DrawnPacket.SCTP : DrawnPacket.PROTOCOLS;
        TrackerHistory history = new TrackerHistory(1, protocols, 2, 4, wrong, LINUX);
        assertTrue(history.difference(200_000).isPresent());
    }

    @Test
    void aWrongTransitionIsTold() throws IOException {
        List<String> untold = new ArrayList<>();
        for (int direction = 0; direction < 2; direction++) {
            for (int kind = TcpTransitions.SYN; kind <= TcpTransitions.RST; kind++) {
                for (int state = direction; state <= TcpTransitions.SYN_SENT2; state++) {
                    int right = TcpTransitions.next(direction, kind, state);
                    int wrong =
                            right == TcpTransitions.INVALID
                                    ? TcpTransitions.ESTABLISHED
                                    : TcpTransitions.INVALID;
                    TcpTransitions.replace(direction, kind, state, wrong);
                    try {
                        TrackerHistory history =
                                new TrackerHistory(1, DrawnPacket.TCP, 1, 40, LINUX, LINUX);
                        if (history.difference(50_000).isEmpty()) {
                            untold.add(direction + "/" + kind + "/" + state);
                        }
                    } finally {
                        TcpTransitions.replace(direction, kind, state, right);
                    }
                }
            }
        }
        assertEquals(List.of(), untold);
    }

    @Test
    void aWrongTransitionOfSctpIsTold() throws IOException {
        List<String> untold = new ArrayList<>();
        for (int direction = 0; direction < 2; direction++) {
            for (int kind = 1; kind <= SctpTransitions.KINDS; kind++) {
                for (int state = direction; state <= SctpTransitions.HEARTBEAT_SENT; state++) {
                    int right = SctpTransitions.next(direction, kind, state);
                    int wrong =
                            right == SctpTransitions.INVALID
                                    ? SctpTransitions.ESTABLISHED
                                    : SctpTransitions.INVALID;
                    SctpTransitions.replace(direction, kind, state, wrong);
                    try {
                        TrackerHistory history =
                                new TrackerHistory(1, DrawnPacket.SCTP, 1, 40, LINUX, LINUX);
                        if (history.difference(300_000).isEmpty()) {
                            untold.add(direction + "/" + kind + "/" + state);
                        }
                    } finally {
                        SctpTransitions.replace(direction, kind, state, right);
                    }
                }
            }
        }
        // ABORT, COOKIE ACK and SHUTDOWN COMPLETE begin no connection, so that no state is asked.
        assertEquals(List.of("0/3/0", "0/8/0", "0/9/0"), untold);
    }

    @Test
    void anImageStaysAsItWas() {
        ConnectionTracker tracker = new ConnectionTracker(LINUX);
        PacketTuple packet = new PacketTuple();
        open(tracker, packet, 1, 300);
        TrackerImage image = tracker.image(true);
        List<int[]> words = image.pages().stream().map(page -> page.words().clone()).toList();
        open(tracker, packet, 301, 5000);
        for (int i = 0; i < words.size(); i++) {
            assertArrayEquals(words.get(i), image.pages().get(i).words());
        }
        ConnectionTracker before = new ConnectionTracker(LINUX, image, null);
        assertEquals(300, before.counts().live());
        assertEquals(0, before.image(false).pages().size(), "nothing changed since");
    }

    @Test
    void pagesThatAreMissingOrOfAnotherSeedAreRefused() {
        ConnectionTracker tracker = new ConnectionTracker(LINUX);
        open(tracker, new PacketTuple(), 1, 5000);
        TrackerImage image = tracker.image(true);
        assertTrue(image.pages().size() > 10);
        List<PageImage> some = image.pages().subList(1, image.pages().size());
        TrackerImage less = new TrackerImage(image.time(), 0, 0, some);
        assertThrows(
                IllegalArgumentException.class, () -> new ConnectionTracker(LINUX, less, null));
        assertThrows(
                IllegalArgumentException.class,
                () -> new ConnectionTracker(LINUX.withSeed(1), image, null));
    }

    @Test
    void memoryStaysWhileConnectionsComeAndGo() {
        ConnectionTracker tracker = new ConnectionTracker(LINUX.withConnectionsMax(1_000_000));
        PacketTuple packet = new PacketTuple();
        long most = 0;
        for (int i = 0; i < 400_000; i++) {
            tracker.state(packet.ipv4(i, 1, PacketTuple.UDP).ports(7, 53), null, i * 10_000_000L);
            tracker.decided(true);
            if (i == 100_000) {
                most = tracker.bytes();
            }
        }
        // 30 s of 100 a second are live
        assertTrue(tracker.counts().live() < 4_000, tracker.counts().toString());
        assertTrue(tracker.bytes() <= most * 11 / 10, most + " bytes, then " + tracker.bytes());
    }

    @Test
    void aConnectionTakesAtMost64Bytes() {
        ConnectionTracker tracker = new ConnectionTracker(LINUX.withConnectionsMax(1_000_000));
        PacketTuple packet = new PacketTuple();
        for (int i = 1; i <= 300_000; i++) {
            open(tracker, packet, i, i);
            if (i > 1000 && i % 1000 == 0) {
                assertTrue(tracker.bytes() <= 64L * i, tracker.bytes() + " bytes of " + i);
            }
        }
    }

    private static void open(ConnectionTracker tracker, PacketTuple packet, int from, int to) {
        for (int i = from; i <= to; i++) {
            packet.ipv4(i, 1, PacketTuple.TCP).ports(7, 80).tcpFlags(2);
            assertEquals(
                    ConnectionTracker.TRACKED | ConnectionTracker.NEW,
                    tracker.state(packet, null, 1));
            tracker.decided(true);
        }
    }
}
