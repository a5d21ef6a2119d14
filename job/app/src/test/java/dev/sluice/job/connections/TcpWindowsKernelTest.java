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

import dev.sluice.operators.connections.ConnectionTimeout;
import dev.sluice.operators.connections.TrackerOptions;
import dev.sluice.policy.kernel.ConnectionKernel;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.BiFunction;
import java.util.function.Supplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The kernel and the tracker agree on TCP segments in and out of their windows. */
class TcpWindowsKernelTest {
    private static final int FIN = 1;
    private static final int SYN = 2;
    private static final int RST = 4;
    private static final int ACK = 16;

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

    /** A window of scale 14 and more is twice that of 13; one behind both is out of both. */
    @Test
    void theLargestScale() throws Exception {
        Map<String, Integer> seen =
                rounds(true, 1, 1000, (random, number) -> endsOf(scaled(number))).compare(100, 1);
        assertTrue(seen.get("established_reply") > 200, seen.toString());
        assertTrue(seen.get("invalid") > 100, seen.toString());
    }

    private static List<SentSegment> scaled(int number) {
        int scale = 12 + Math.floorMod(number, 5);
        List<SentSegment> steps = new ArrayList<>(handshake(number, scale));
        int edge = 5001 + (65_535 << Math.min(scale, 14));
        steps.add(segment(number, -ACK, edge + 65_535 * 2, 1001, -1));
        steps.add(segment(number, -ACK, edge, 1001, -1));
        steps.add(segment(number, -ACK, edge + (65_535 << 12) * 3, 1001, -1));
        return steps;
    }

    /**
     * A FIN or RST out of its window shortens the time of a connection whose other end sent one
     * before, and no other.
     */
    @Test
    void twoEndsOutOfTheirWindows() throws Exception {
        Map<String, Integer> seen =
                rounds(true, 1, 1000, (random, number) -> endsOf(ended(number))).compare(100, 1);
        assertTrue(seen.get("invalid") > 300, seen.toString());
        assertTrue(seen.get("new") > 120, seen.toString());
    }

    private static List<SentSegment> ended(int number) {
        int bits = Math.floorMod(number, 16);
        int one = (bits & 1) == 0 ? FIN | ACK : RST;
        int other = (bits & 2) == 0 ? FIN | ACK : RST;
        boolean same = (bits & 12) == 12;
        boolean answers = (bits & 4) != 0;
        List<SentSegment> steps = new ArrayList<>(handshake(number, -1));
        steps.add(far(number, answers ? -one : one));
        steps.add(far(number, answers ^ same ? other : -other));
        steps.add(far(number, ACK));
        return steps;
    }

    private static SentSegment far(int number, int flags) {
        int seq = flags < 0 ? 5001 : 1001;
        return segment(number, flags, seq + 5_000_000, flags < 0 ? 1001 : 5001, -1);
    }

    private static List<SentSegment> handshake(int number, int scale) {
        return List.of(
                segment(number, SYN, 1000, 0, scale),
                segment(number, -(SYN | ACK), 5000, 1001, scale),
                segment(number, ACK, 1001, 5001, -1));
    }

    /**
     * A segment with the widest window.
     *
     * @param flags from who answers where negative
     * @param scale in its options; negative: none
     */
    private static SentSegment segment(int number, int flags, int seq, int ack, int scale) {
        boolean answers = flags < 0;
        int port = 2048 + number;
        byte[] options = scale < 0 ? new byte[0] : new byte[] {3, 3, (byte) scale, 1};
        return new SentSegment(
                false,
                answers ? 101 : 1,
                answers ? 1 : 101,
                answers ? 80 : port,
                answers ? port : 80,
                Math.abs(flags),
                seq,
                ack,
                65_535,
                5 + options.length / 4,
                options,
                0,
                true);
    }

    /** Sends segments, then the last one again and again. */
    private static Supplier<SentSegment> endsOf(List<SentSegment> steps) {
        Deque<SentSegment> left = new ArrayDeque<>(steps);
        return () -> left.size() > 1 ? left.remove() : left.element();
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
            List<String> rows =
                    StatefulKernelTest.classify(folder, kernel, "forward", frames, "--tcp-windows");
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
        Map<String, Integer> seen =
                rounds(loose, seed, established, WindowFlow::new).compare(flows, seed);
        for (String state : List.of("new", "established", "established_reply", "invalid")) {
            assertTrue(seen.getOrDefault(state, 0) > flows / 4, state + ": " + seen);
        }
    }

    private static KernelRounds rounds(
            boolean loose,
            long seed,
            long established,
            BiFunction<Random, Integer, Supplier<? extends Sent>> flow) {
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
        return new KernelRounds(settings, options, flow);
    }
}
