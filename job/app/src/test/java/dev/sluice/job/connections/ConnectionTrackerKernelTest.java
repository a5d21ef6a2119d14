package dev.sluice.job.connections;

import static dev.sluice.operators.connections.ConnectionTimeout.GENERIC_TIMEOUT;
import static dev.sluice.operators.connections.ConnectionTimeout.GRE_TIMEOUT;
import static dev.sluice.operators.connections.ConnectionTimeout.GRE_TIMEOUT_STREAM;
import static dev.sluice.operators.connections.ConnectionTimeout.ICMPV6_TIMEOUT;
import static dev.sluice.operators.connections.ConnectionTimeout.ICMP_TIMEOUT;
import static dev.sluice.operators.connections.ConnectionTimeout.TCP_TIMEOUT_CLOSE;
import static dev.sluice.operators.connections.ConnectionTimeout.TCP_TIMEOUT_CLOSE_WAIT;
import static dev.sluice.operators.connections.ConnectionTimeout.TCP_TIMEOUT_ESTABLISHED;
import static dev.sluice.operators.connections.ConnectionTimeout.TCP_TIMEOUT_FIN_WAIT;
import static dev.sluice.operators.connections.ConnectionTimeout.TCP_TIMEOUT_LAST_ACK;
import static dev.sluice.operators.connections.ConnectionTimeout.TCP_TIMEOUT_SYN_RECV;
import static dev.sluice.operators.connections.ConnectionTimeout.TCP_TIMEOUT_SYN_SENT;
import static dev.sluice.operators.connections.ConnectionTimeout.TCP_TIMEOUT_TIME_WAIT;
import static dev.sluice.operators.connections.ConnectionTimeout.TCP_TIMEOUT_UNACKNOWLEDGED;
import static dev.sluice.operators.connections.ConnectionTimeout.UDP_TIMEOUT;
import static dev.sluice.operators.connections.ConnectionTimeout.UDP_TIMEOUT_STREAM;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.operators.connections.ConnectionTimeout;
import dev.sluice.operators.connections.ConnectionTracker;
import dev.sluice.operators.connections.PacketTuple;
import dev.sluice.operators.connections.TrackerOptions;
import dev.sluice.policy.kernel.ConnectionKernel;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The kernel gives each packet of random histories the state that the tracker gives it. */
class ConnectionTrackerKernelTest {
    /** Timeouts of the kernel here, in seconds. */
    private static final Map<ConnectionTimeout, Long> SECONDS =
            new EnumMap<>(
                    Map.ofEntries(
                            Map.entry(TCP_TIMEOUT_SYN_SENT, 1L),
                            Map.entry(TCP_TIMEOUT_SYN_RECV, 2L),
                            Map.entry(TCP_TIMEOUT_ESTABLISHED, 3L),
                            Map.entry(TCP_TIMEOUT_FIN_WAIT, 2L),
                            Map.entry(TCP_TIMEOUT_CLOSE_WAIT, 1L),
                            Map.entry(TCP_TIMEOUT_LAST_ACK, 2L),
                            Map.entry(TCP_TIMEOUT_TIME_WAIT, 1L),
                            Map.entry(TCP_TIMEOUT_CLOSE, 1L),
                            Map.entry(TCP_TIMEOUT_UNACKNOWLEDGED, 2L),
                            Map.entry(UDP_TIMEOUT, 1L),
                            Map.entry(UDP_TIMEOUT_STREAM, 2L),
                            Map.entry(ICMP_TIMEOUT, 1L),
                            Map.entry(ICMPV6_TIMEOUT, 2L),
                            Map.entry(GRE_TIMEOUT, 1L),
                            Map.entry(GRE_TIMEOUT_STREAM, 2L),
                            Map.entry(GENERIC_TIMEOUT, 3L)));

    /** Time between two rounds: no sum of a few is closer than 140 ms to a whole second. */
    private static final long ROUND_NANOS = TimeUnit.MILLISECONDS.toNanos(570);

    private static final int ROUNDS = 7;

    /** How far the kernel's clock may tick apart from this one. */
    private static final long TICK_NANOS = TimeUnit.MILLISECONDS.toNanos(12);

    private static final int ATTEMPTS = 5;
    private static final int AT_ONCE = 25;

    /** States that a history shows: both directions of established and related, and the rest. */
    private static final int KINDS = 7;

    @Test
    void theKernelGivesEachPacketItsState() throws Exception {
        compare(true, 500, 1);
    }

    @Test
    void theKernelGivesEachPacketItsStateWithoutPickUp() throws Exception {
        compare(false, 300, 2);
    }

    @Test
    @Tag("long")
    void theKernelGivesEachPacketOfManyHistoriesItsState() throws Exception {
        for (int seed = 10; seed < 30; seed++) {
            compare(seed % 4 != 0, 500, seed);
        }
    }

    private static void compare(boolean loose, int flows, long seed) throws Exception {
        List<String> settings =
                new ArrayList<>(
                        List.of(
                                "nf_conntrack_tcp_be_liberal=1",
                                "nf_conntrack_tcp_timeout_max_retrans=100",
                                "nf_conntrack_tcp_loose=" + (loose ? 1 : 0)));
        SECONDS.forEach(
                (name, value) -> settings.add("nf_conntrack_" + name.label() + "=" + value));
        for (int attempt = 1; attempt <= ATTEMPTS; attempt++) {
            try (ConnectionKernel kernel = ConnectionKernel.open(settings)) {
                if (halfCompared(kernel, loose, flows, seed)) {
                    return;
                }
            }
        }
        assertTrue(false, "in " + ATTEMPTS + " attempts most packets came too late to compare");
    }

    /**
     * Compares the packets of all flows but those of which some were sent so late that a timeout
     * may have been over or not, and returns whether these were less than half.
     */
    private static boolean halfCompared(
            ConnectionKernel kernel, boolean loose, int flows, long seed) throws Exception {
        Random random = new Random(seed);
        List<RandomFlow> all = new ArrayList<>();
        for (int i = 0; i < flows; i++) {
            all.add(new RandomFlow(random, i));
        }
        ConnectionTracker tracker =
                new ConnectionTracker(
                        new TrackerOptions(
                                TrackerOptions.Model.LINUX,
                                loose,
                                false,
                                TrackerOptions.DEFAULT_CONNECTIONS_MAX,
                                seed,
                                SECONDS,
                                false));
        warmUp(kernel, random);
        Map<String, Integer> seen = new HashMap<>();
        PacketTuple tuple = new PacketTuple();
        PacketTuple inner = new PacketTuple();
        Map<RandomFlow, List<String>> stories = new HashMap<>();
        Map<RandomFlow, List<long[]>> sent = new HashMap<>();
        Set<RandomFlow> late = new HashSet<>();
        long begin = System.nanoTime();
        for (int round = 0; round < ROUNDS; round++) {
            List<SentPacket> packets = new ArrayList<>();
            List<RandomFlow> senders = new ArrayList<>();
            for (RandomFlow flow : all) {
                for (int i = random.nextInt(6); i > 0; i--) {
                    packets.add(flow.next());
                    senders.add(flow);
                }
            }
            long due = begin + round * ROUND_NANOS;
            while (System.nanoTime() < due) {
                LockSupport.parkNanos(due - System.nanoTime());
            }
            if (round == 0) {
                begin = System.nanoTime();
            }
            List<String> states = new ArrayList<>();
            List<Long> times = new ArrayList<>();
            for (int from = 0; from < packets.size(); from += AT_ONCE) {
                int to = Math.min(packets.size(), from + AT_ONCE);
                long now = System.nanoTime() - begin;
                states.addAll(
                        kernel.states(
                                packets.subList(from, to).stream()
                                        .map(SentPacket::frame)
                                        .toList()));
                long end = System.nanoTime() - begin;
                for (int i = from; i < to; i++) {
                    times.add(now);
                    List<long[]> before =
                            sent.computeIfAbsent(senders.get(i), flow -> new ArrayList<>());
                    if (before.stream().anyMatch(span -> isAtEdge(now - span[1], end - span[0]))) {
                        late.add(senders.get(i));
                    }
                    before.add(new long[] {now, end});
                }
            }
            for (int i = 0; i < packets.size(); i++) {
                SentPacket packet = packets.get(i);
                SentPacket about = packet.embedded();
                int state =
                        tracker.state(
                                packet.fill(tuple),
                                about == null ? null : about.fill(inner),
                                times.get(i));
                tracker.decided(packet.passes());
                List<String> story =
                        stories.computeIfAbsent(senders.get(i), flow -> new ArrayList<>());
                story.add("round " + round + " " + packet + " -> " + states.get(i));
                if (late.contains(senders.get(i))) {
                    continue;
                }
                assertEquals(states.get(i), word(state), () -> String.join("\n", story));
                seen.merge(states.get(i), 1, Integer::sum);
            }
        }
        assertEquals(KINDS, seen.size(), seen.toString());
        return late.size() <= flows / 2;
    }

    /** Tells whether a pause of such a length may or may not be over a timeout. */
    private static boolean isAtEdge(long least, long most) {
        long second = TimeUnit.SECONDS.toNanos(1);
        long whole = (most + TICK_NANOS) / second;
        return whole > 0 && (least - TICK_NANOS) <= whole * second;
    }

    private static void warmUp(ConnectionKernel kernel, Random random) throws Exception {
        for (int i = 0; i < 20; i++) {
            RandomFlow flow = new RandomFlow(random, i - 1024);
            kernel.states(Stream.generate(flow::next).limit(50).map(SentPacket::frame).toList());
        }
    }

    private static String word(int state) {
        String word =
                (state & ConnectionTracker.NEW) != 0
                        ? "new"
                        : (state & ConnectionTracker.ESTABLISHED) != 0
                                ? "established"
                                : (state & ConnectionTracker.RELATED) != 0
                                        ? "related"
                                        : (state & ConnectionTracker.INVALID) != 0
                                                ? "invalid"
                                                : "untracked";
        return state > 0 && (state & ConnectionTracker.REPLY) != 0 ? word + "_reply" : word;
    }
}
