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
import static dev.sluice.operators.connections.ConnectionTimeout.TCP_TIMEOUT_MAX_RETRANS;
import static dev.sluice.operators.connections.ConnectionTimeout.TCP_TIMEOUT_SYN_RECV;
import static dev.sluice.operators.connections.ConnectionTimeout.TCP_TIMEOUT_SYN_SENT;
import static dev.sluice.operators.connections.ConnectionTimeout.TCP_TIMEOUT_TIME_WAIT;
import static dev.sluice.operators.connections.ConnectionTimeout.TCP_TIMEOUT_UNACKNOWLEDGED;
import static dev.sluice.operators.connections.ConnectionTimeout.UDP_TIMEOUT;
import static dev.sluice.operators.connections.ConnectionTimeout.UDP_TIMEOUT_STREAM;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.sluice.operators.connections.ConnectionTimeout;
import dev.sluice.operators.connections.TrackerOptions;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
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
                List.of(
                        "nf_conntrack_tcp_be_liberal=1",
                        "nf_conntrack_tcp_loose=" + (loose ? 1 : 0));
        Map<ConnectionTimeout, Long> seconds = new EnumMap<>(SECONDS);
        seconds.put(TCP_TIMEOUT_MAX_RETRANS, 100L);
        TrackerOptions options =
                TrackerOptions.LINUX.withLoose(loose).withSeed(seed).withSeconds(seconds);
        Set<String> seen =
                new KernelRounds(settings, options, RandomFlow::new).compare(flows, seed).keySet();
        assertEquals(KINDS, seen.size(), seen.toString());
    }
}
