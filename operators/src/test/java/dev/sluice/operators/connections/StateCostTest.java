package dev.sluice.operators.connections;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.sluice.engine.Engine;
import dev.sluice.engine.EngineOptions;
import dev.sluice.engine.RuleServer;
import dev.sluice.engine.ServedVersion;
import dev.sluice.engine.gpu.GpuPool;
import dev.sluice.engine.lookup.VerdictBatch;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.schemas.header.Field;
import dev.sluice.schemas.header.HeaderBatch;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** CPU time that the state of connections adds to a packet. */
class StateCostTest {
    private static final int ACK = 16;

    /** Flags of a connection's first packets, the second of who answers. */
    private static final int[] BEGINNING = {2, 2 | ACK, ACK};

    private static final int OPEN = ConnectionTracker.ESTABLISHED | ConnectionTracker.ASSURED;
    private static final int BATCH = 4_096;
    private static final int ROUNDS = 9;
    private static final int WORDS = StatefulJudge.WORDS;
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    private static final int PACKETS = 256 * BATCH;

    private final int[] flows = new int[BATCH * WORDS];
    private final long[] times = new long[BATCH];
    private final int[] states = new int[BATCH];
    private final PacketTuple[] packets = new PacketTuple[32];
    private final int[] header = new int[WORDS];
    private final StatefulJudge judge = new StatefulJudge(BATCH);
    private final VerdictBatch found = new VerdictBatch(BATCH);

    /** Prints medians of rounds that take turns; neighbours are of other connections. */
    @ParameterizedTest
    @Tag("long")
    @ValueSource(ints = {10_000, 1_000_000})
    void ofAPacketOfAnOpenConnection(int open) {
        Arrays.setAll(packets, i -> new PacketTuple());
        Connections connections =
                new Connections(TrackerOptions.LINUX.withConnectionsMax(2 * open));
        for (int i = 0; i < open; i++) {
            for (int turn = 0; turn < 3; turn++) {
                put(packets[0], i, turn == 1).tcpFlags(BEGINNING[turn]);
                connections.tracker.state(packets[0], null, 0);
                connections.tracker.decided(true);
            }
        }
        double[] ofTracker = new double[ROUNDS];
        double[] ofJudge = new double[ROUNDS];
        try (RuleServer server =
                        Engine.open(EngineOptions.DEFAULTS.withGpu(GpuPool.Selection.OFF), 0);
                ServedVersion rules = server.load("", RuleSet.of("none", 1, "drop", List.of()))) {
            HeaderBatch headers = new HeaderBatch(rules.layout(), BATCH);
            headers.size(BATCH);
            for (int round = 0; round < ROUNDS; round++) {
                ofTracker[round] = tracked(connections.tracker, open) - tracked(null, open);
                ofJudge[round] = 0;
                for (int from = 0; from < PACKETS; from += BATCH) {
                    ofJudge[round] += judged(connections, rules, headers, open, from);
                }
            }
        }
        Arrays.sort(ofTracker);
        Arrays.sort(ofJudge);
        System.out.printf(
                "a packet of %,d open connections, ns of CPU: %.1f by the judge, %.1f of them by the tracker%n",
                open, ofJudge[ROUNDS / 2] / PACKETS, ofTracker[ROUNDS / 2] / PACKETS);
    }

    /** Returns the time that the tracker takes, or without one that its packets take. */
    private double tracked(@Nullable ConnectionTracker tracker, int open) {
        long begun = THREADS.getCurrentThreadCpuTime();
        for (int from = 0; from < PACKETS; from += packets.length) {
            for (int i = 0; i < packets.length; i++) {
                put(packets[i], connection(from + i, open), (i & 1) != 0).tcpFlags(ACK);
            }
            if (tracker != null) {
                tracker.load(packets, packets.length);
                for (int i = 0; i < packets.length; i++) {
                    states[i] = tracker.state(packets[i], null, 0);
                    tracker.decided(true);
                }
            }
        }
        return THREADS.getCurrentThreadCpuTime() - begun;
    }

    /** Returns the time that a batch takes without its look-up. */
    private double judged(
            Connections connections, ServedVersion rules, HeaderBatch headers, int open, int from) {
        for (int i = 0; i < BATCH; i++) {
            boolean answers = (i & 1) != 0;
            int connection = connection(from + i, open);
            put(header, connection, answers);
            System.arraycopy(header, 0, flows, i * WORDS, WORDS);
        }
        long begun = THREADS.getCurrentThreadCpuTime();
        judge.begin(rules, headers, flows);
        long suggested = THREADS.getCurrentThreadCpuTime();
        rules.submit(headers, found).await();
        long answered = THREADS.getCurrentThreadCpuTime();
        judge.judge(connections, 0, BATCH, times, states, found);
        long spent = THREADS.getCurrentThreadCpuTime() - answered + suggested - begun;
        for (int state : states) {
            assertEquals(OPEN, state & OPEN);
        }
        return spent;
    }

    private static int connection(int packet, int open) {
        return (int) (packet * 7_919L % open);
    }

    private static PacketTuple put(PacketTuple to, int connection, boolean answers) {
        return answers
                ? to.ipv4(1, connection, PacketTuple.TCP).ports(80, 7)
                : to.ipv4(connection, 1, PacketTuple.TCP).ports(7, 80);
    }

    private static void put(int[] header, int connection, boolean answers) {
        Field.IP_VERSION.put(header, Field.VERSION_4);
        Field.IP_PROTO.put(header, PacketTuple.TCP);
        Field.IPV4_SRC.put(header, answers ? 1 : connection);
        Field.IPV4_DST.put(header, answers ? connection : 1);
        Field.SRC_PORT.put(header, answers ? 80 : 7);
        Field.DST_PORT.put(header, answers ? 7 : 80);
        Field.TCP_FLAGS.put(header, ACK);
    }
}
