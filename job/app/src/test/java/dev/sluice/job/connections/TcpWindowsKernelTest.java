package dev.sluice.job.connections;

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
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.job.Sluice;
import dev.sluice.operators.connections.ConnectionTimeout;
import dev.sluice.operators.connections.TrackerOptions;
import dev.sluice.policy.kernel.ConnectionKernel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The kernel and the tracker agree on TCP segments in and out of their windows. */
class TcpWindowsKernelTest {
    @TempDir Path folder;

    private static final Map<ConnectionTimeout, Long> SECONDS =
            new EnumMap<>(
                    Map.of(
                            TCP_TIMEOUT_SYN_SENT, 2L,
                            TCP_TIMEOUT_SYN_RECV, 3L,
                            TCP_TIMEOUT_ESTABLISHED, 3L,
                            TCP_TIMEOUT_FIN_WAIT, 2L,
                            TCP_TIMEOUT_CLOSE_WAIT, 3L,
                            TCP_TIMEOUT_LAST_ACK, 2L,
                            TCP_TIMEOUT_TIME_WAIT, 1L,
                            TCP_TIMEOUT_CLOSE, 1L,
                            TCP_TIMEOUT_UNACKNOWLEDGED, 2L,
                            TCP_TIMEOUT_MAX_RETRANS, 1L));

    @Test
    void segmentsAndTimeouts() throws Exception {
        compare(true, 400, 1, 3);
    }

    /** A FIN or RST out of its window shortens the time of an established connection. */
    @Test
    void connectionsThatStayLong() throws Exception {
        compare(true, 400, 2, 1000);
    }

    @Test
    void withoutPickUp() throws Exception {
        compare(false, 300, 3, 3);
    }

    @Test
    @Tag("long")
    void manyHistories() throws Exception {
        for (int seed = 10; seed < 30; seed++) {
            compare(seed % 4 != 0, 600, seed, seed % 3 == 0 ? 1000 : 3);
        }
    }

    /** Verdicts of a policy on the packets of a capture. */
    @Test
    void verdictsOfAPolicy() throws Exception {
        List<String> settings = List.of("nf_conntrack_tcp_be_liberal=0", "nf_conntrack_checksum=0");
        List<byte[]> frames =
                WindowFlow.history(new Random(4), 300).stream().map(SentSegment::frame).toList();
        try (ConnectionKernel kernel =
                ConnectionKernel.ofRuleset(settings, StatefulKernelTest.RULESET)) {
            List<Integer> lines = kernel.lines(frames);
            Path rules = Files.writeString(folder.resolve("rules"), kernel.policy());
            Path capture = Files.write(folder.resolve("sent.pcap"), RandomFlow.pcap(frames));
            List<String> rows =
                    Sluice.ok(
                                    Sluice.run(
                                            "classify",
                                            capture,
                                            "--rules",
                                            rules + "#forward",
                                            "--conntrack",
                                            "linux",
                                            "--tcp-windows"))
                            .out()
                            .lines()
                            .toList();
            assertEquals(frames.size() + 1, rows.size());
            int invalid = 0;
            for (int i = 0; i < frames.size(); i++) {
                String[] cells = rows.get(i + 1).split("\t", -1);
                assertEquals(lines.get(i).toString(), cells[3], rows.get(i + 1));
                invalid += cells[cells.length - 1].equals("invalid") ? 1 : 0;
            }
            assertTrue(invalid > frames.size() / 10, invalid + " of " + frames.size());
        }
    }

    private static void compare(boolean loose, int flows, long seed, long established)
            throws Exception {
        List<String> settings =
                List.of(
                        "nf_conntrack_tcp_be_liberal=0",
                        "nf_conntrack_tcp_loose=" + (loose ? 1 : 0));
        Map<ConnectionTimeout, Long> seconds = new EnumMap<>(SECONDS);
        seconds.put(TCP_TIMEOUT_ESTABLISHED, established);
        TrackerOptions options =
                TrackerOptions.LINUX
                        .withLoose(loose)
                        .withWindows(true)
                        .withSeed(seed)
                        .withSeconds(seconds);
        Map<String, Integer> seen =
                new KernelRounds(settings, options, WindowFlow::new).compare(flows, seed);
        for (String state : List.of("new", "established", "established_reply", "invalid")) {
            assertTrue(seen.getOrDefault(state, 0) > flows / 4, state + ": " + seen);
        }
    }
}
