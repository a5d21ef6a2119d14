package dev.sluice.job.connections;

import static dev.sluice.operators.connections.ConnectionTimeout.SCTP_TIMEOUT_CLOSED;
import static dev.sluice.operators.connections.ConnectionTimeout.SCTP_TIMEOUT_COOKIE_ECHOED;
import static dev.sluice.operators.connections.ConnectionTimeout.SCTP_TIMEOUT_COOKIE_WAIT;
import static dev.sluice.operators.connections.ConnectionTimeout.SCTP_TIMEOUT_ESTABLISHED;
import static dev.sluice.operators.connections.ConnectionTimeout.SCTP_TIMEOUT_HEARTBEAT_SENT;
import static dev.sluice.operators.connections.ConnectionTimeout.SCTP_TIMEOUT_SHUTDOWN_ACK_SENT;
import static dev.sluice.operators.connections.ConnectionTimeout.SCTP_TIMEOUT_SHUTDOWN_RECD;
import static dev.sluice.operators.connections.ConnectionTimeout.SCTP_TIMEOUT_SHUTDOWN_SENT;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.operators.connections.ConnectionTimeout;
import dev.sluice.operators.connections.TrackerOptions;
import dev.sluice.policy.kernel.ConnectionKernel;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The kernel and the tracker agree on SCTP packets and on calls of GRE. */
class SctpKernelTest {
    private static final List<String> SETTINGS = List.of("nf_conntrack_checksum=0");
    private static final List<ConnectionTimeout> TIMEOUTS =
            List.of(
                    SCTP_TIMEOUT_CLOSED,
                    SCTP_TIMEOUT_COOKIE_WAIT,
                    SCTP_TIMEOUT_COOKIE_ECHOED,
                    SCTP_TIMEOUT_ESTABLISHED,
                    SCTP_TIMEOUT_SHUTDOWN_SENT,
                    SCTP_TIMEOUT_SHUTDOWN_RECD,
                    SCTP_TIMEOUT_SHUTDOWN_ACK_SENT,
                    SCTP_TIMEOUT_HEARTBEAT_SENT);

    @TempDir Path folder;

    @Test
    void packetsAndTimeouts() throws Exception {
        compare(400, 1);
    }

    @Test
    void callsOfGre() throws Exception {
        TrackerOptions options =
                TrackerOptions.LINUX
                        .withSeconds(ConnectionTimeout.GRE_TIMEOUT, 1)
                        .withSeconds(ConnectionTimeout.GRE_TIMEOUT_STREAM, 2);
        Map<String, Integer> seen =
                new KernelRounds(SETTINGS, options, GreFlow::new).compare(300, 2);
        assertEquals(4, seen.size(), seen.toString());
    }

    @Test
    void verdictsOfARulesetOfNftables() throws Exception {
        try (ConnectionKernel kernel =
                ConnectionKernel.ofRuleset(SETTINGS, StatefulKernelTest.RULESET)) {
            compareVerdicts(kernel, "forward", 3);
        }
    }

    @Test
    void verdictsOfAPolicyOfIptables() throws Exception {
        try (ConnectionKernel kernel = ConnectionKernel.ofSave(SETTINGS, StatefulKernelTest.SAVE)) {
            compareVerdicts(kernel, "FORWARD", 4);
        }
    }

    /** Compares the lines that decide, of errors too, which embed packets that were sent. */
    private void compareVerdicts(ConnectionKernel kernel, String hook, long seed) throws Exception {
        Random random = new Random(seed);
        List<Sent> sent = new ArrayList<>();
        GreFlow[] calls = new GreFlow[20];
        Arrays.setAll(calls, i -> new GreFlow(random, i));
        for (Sent packet : SctpFlow.history(random, 250)) {
            SentPayload call = calls[random.nextInt(calls.length)].get();
            sent.add(packet);
            sent.add(call);
            if (random.nextInt(4) == 0) {
                sent.add(packet instanceof SentPayload any ? any.error() : call.error());
                sent.add(call.error());
            }
        }
        List<byte[]> frames = sent.stream().map(Sent::frame).toList();
        List<Integer> lines = kernel.lines(frames);
        List<String> rows = StatefulKernelTest.classify(folder, kernel, hook, frames);
        int outcome = List.of(rows.get(0).split("\t")).indexOf("outcome");
        Map<String, Integer> seen = new TreeMap<>();
        for (int i = 0; i < sent.size(); i++) {
            String[] cells = rows.get(i + 1).split("\t", -1);
            String state = cells[cells.length - 1];
            if (cells[outcome].equals("not-judged")) {
                assertEquals(0, lines.get(i), rows.get(i + 1));
                continue;
            }
            seen.merge(state, 1, Integer::sum);
            if (state.equals("unknown")) {
                assertTrue(sent.get(i).toString().contains("error"), sent.get(i).toString());
            } else {
                assertEquals(
                        lines.get(i).toString(), cells[3], sent.get(i) + "\n" + rows.get(i + 1));
            }
        }
        assertTrue(seen.getOrDefault("unknown", 0) < sent.size() / 50, seen.toString());
        for (String state : List.of("new", "established", "invalid", "related")) {
            assertTrue(seen.getOrDefault(state, 0) > sent.size() / 20, state + ": " + seen);
        }
    }

    @Test
    @Tag("long")
    void manyHistories() throws Exception {
        for (int seed = 10; seed < 30; seed++) {
            compare(600, seed);
        }
    }

    /** Each state has one of the timeouts 1 to 3 s, another one in the next history. */
    private static void compare(int flows, long seed) throws Exception {
        TrackerOptions options = TrackerOptions.LINUX.withSeed(seed);
        for (ConnectionTimeout timeout : TIMEOUTS) {
            options = options.withSeconds(timeout, 1 + (timeout.ordinal() + seed) % 3);
        }
        Map<String, Integer> seen =
                new KernelRounds(SETTINGS, options, SctpFlow::new).compare(flows, seed);
        for (String state :
                List.of("new", "established", "established_reply", "invalid", "related")) {
            assertTrue(seen.getOrDefault(state, 0) > flows / 8, state + ": " + seen);
        }
    }
}
