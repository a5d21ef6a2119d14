package dev.sluice.operators.classify;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.engine.EngineOptions;
import dev.sluice.engine.gpu.GpuPool;
import dev.sluice.engine.lookup.Algorithm;
import dev.sluice.operators.connections.ConnectionEnd;
import dev.sluice.operators.connections.DrawnTraffic;
import dev.sluice.operators.connections.StatefulJudge;
import dev.sluice.operators.connections.TrackerOptions;
import dev.sluice.operators.connections.UnbrokenRows;
import dev.sluice.operators.rules.serving.GivenTopic;
import dev.sluice.schemas.codec.Column;
import dev.sluice.schemas.codec.Connection;
import dev.sluice.schemas.codec.Connection.Opening;
import dev.sluice.schemas.codec.VerdictBlock;
import dev.sluice.schemas.codec.VerdictOutcome;
import dev.sluice.schemas.header.Field;
import dev.sluice.schemas.header.FlowShard;
import dev.sluice.schemas.header.HeaderWord;
import dev.sluice.schemas.testing.TestSeed;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.Set;
import java.util.function.BooleanSupplier;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.util.IOUtils;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Random histories of a job that fails, restores and changes its parallelism: each verdict that a
 * checkpoint has made visible is that of the reference, which has one map and never fails. So is
 * each row of a connection, by one tracker that never fails.
 */
@Timeout(120)
class ConnectionHistoryTest {
    private static final int SHARDS = 8;
    private static final int PACKETS = 6000;

    /** An error that embeds nothing: the tracker takes its time, and no connection has it. */
    private static final int[] UNKNOWN = new int[HeaderWord.COUNT];

    static {
        Field.IP_VERSION.put(UNKNOWN, Field.VERSION_4);
        Field.IP_PROTO.put(UNKNOWN, 1);
        Field.PORTS_PRESENT.put(UNKNOWN, 1);
        UNKNOWN[HeaderWord.PORTS] = 3 << 16;
    }

    private static final ConnectionOutput.Form ROW = Connection::encode;

    /** Answer of the reference on a packet, whose number is its place. */
    private record Expected(int rule, int state) {}

    private record Block(int shard, byte[] message) {}

    private final List<Expected> expected = new ArrayList<>();
    private final List<Block> blocks = new ArrayList<>();
    private final Map<Long, Expected> visible = new HashMap<>();
    private final UnbrokenRows unbroken = new UnbrokenRows();

    /** Visible rows of connections that have ended, and of those that go on. */
    private final List<String> ended = new ArrayList<>();

    private final List<Connection> goingOn = new ArrayList<>();
    private OperatorHarness.Attempt attempt = OperatorHarness.Attempt.first();
    private OperatorHarness[] tasks = {};
    private OperatorSubtaskState state;
    private int stateTasks;
    private int stateBlock;
    private long checkpoint;
    private boolean rulesChange;
    private int judgedAnew;
    private int endedAnew;

    /** Draws the packets; their connections are judged anew if the rules change. */
    private void draw(Random random, boolean changes) {
        DrawnTraffic traffic =
                changes
                        ? new DrawnTraffic(random, HistoryPolicy::version)
                        : new DrawnTraffic(random);
        List<List<int[]>> headers = new ArrayList<>();
        List<List<Long>> numbers = new ArrayList<>();
        List<List<Long>> times = new ArrayList<>();
        for (int shard = 0; shard < SHARDS; shard++) {
            headers.add(new ArrayList<>());
            numbers.add(new ArrayList<>());
            times.add(new ArrayList<>());
        }
        for (int i = 0; i < PACKETS; i++) {
            int[] header = traffic.next();
            boolean anew = traffic.isAnew();
            int flags = anew ? 2 : header[HeaderWord.TCP_FLAGS];
            long version = changes ? HistoryPolicy.version(traffic.time()) : 1;
            int rule = HistoryPolicy.decides(header, flags, traffic.state(), version);
            judgedAnew += anew ? 1 : 0;
            endedAnew += anew && !HistoryPolicy.permits(rule) ? 1 : 0;
            traffic.decided(HistoryPolicy.permits(rule));
            unbroken.packet(header, traffic.time(), i, length(i), opening(rule));
            expected.add(new Expected(rule, traffic.state()));
            int shard = FlowShard.FLOW.of(header, SHARDS);
            headers.get(shard).add(header);
            numbers.get(shard).add((long) i);
            times.get(shard).add(traffic.time());
            if (random.nextInt(12) == 0) {
                block(shard, numbers.get(shard), times.get(shard), headers.get(shard));
            }
        }
        for (int shard = 0; shard < SHARDS; shard++) { // each shard has the time of all at the end
            headers.get(shard).add(UNKNOWN);
            numbers.get(shard).add((long) PACKETS + shard);
            times.get(shard).add(traffic.time());
            block(shard, numbers.get(shard), times.get(shard), headers.get(shard));
        }
    }

    private static int length(long packet) {
        return (int) (40 + packet * 7 % 1460);
    }

    private static Opening opening(int rule) {
        VerdictOutcome outcome =
                HistoryPolicy.permits(rule) ? VerdictOutcome.PERMIT : VerdictOutcome.DENY;
        return new Opening("c", "", outcome, (long) rule, rule, "act", "", 1, "");
    }

    /** Returns a row as text, without the history of its version, which is by chance. */
    private static String text(Connection row) {
        Opening of = row.opening();
        Opening plain =
                new Opening(
                        of.capture(),
                        of.interfaceName(),
                        of.outcome(),
                        of.ruleId(),
                        of.line(),
                        of.action(),
                        of.text(),
                        of.version(),
                        "");
        return new Connection(
                        plain,
                        row.ends(),
                        row.firstNs(),
                        row.lastNs(),
                        row.sent(),
                        row.answered(),
                        row.state(),
                        row.end(),
                        row.refusedPacket())
                .toRecord()
                .toString();
    }

    private void block(int shard, List<Long> numbers, List<Long> times, List<int[]> headers) {
        if (numbers.isEmpty()) {
            return;
        }
        long[] each = numbers.stream().mapToLong(Long::longValue).toArray();
        long[] at = times.stream().mapToLong(Long::longValue).toArray();
        int[] lengths = Arrays.stream(each).mapToInt(ConnectionHistoryTest::length).toArray();
        Column time = Column.ofLongs(Column.TIME_NS, at, 0, at.length);
        Column length = Column.ofWords(Column.FRAME_LENGTH, lengths, 0, at.length);
        blocks.add(
                new Block(
                        shard, Packets.block(shard, SHARDS, each, headers, time, length).encode()));
        numbers.clear();
        times.clear();
        headers.clear();
    }

    private ClassifyOptions options(Random random, boolean rows) {
        ConnectionOutput told =
                new ConnectionOutput(1_000_000_000L * (1 + random.nextInt(60)), ROW, List.of());
        TrackerOptions tracker = TrackerOptions.LINUX.withSeed(random.nextLong());
        ClassifyOptions options =
                new ClassifyOptions(
                                EngineOptions.of(Algorithm.of("tuple"))
                                        .withBudget(64 << 20)
                                        .withGpu(GpuPool.Selection.OFF),
                                1 + random.nextInt(40),
                                60_000_000,
                                2,
                                SHARDS,
                                ClassifyOptions.VerdictFormat.BLOCKS,
                                VerdictFields.NONE)
                        .tracking(tracker.withReevaluates(rulesChange))
                        .telling(rows ? told : null);
        return rulesChange
                ? options.with(RulesTime.event(Duration.ZERO), ClassifyOptions.WAITING_BYTES)
                : options;
    }

    private GivenTopic rules() {
        if (!rulesChange) {
            return GivenTopic.of(HistoryPolicy.policy(1, null));
        }
        List<byte[]> messages = HistoryPolicy.history();
        return new GivenTopic("", messages.size(), () -> {}).give(messages).start();
    }

    private void start(Random random, boolean rows) throws Exception {
        stop();
        attempt = attempt.next();
        int parallelism = 1 + random.nextInt(3);
        tasks = new OperatorHarness[parallelism];
        for (int subtask = 0; subtask < parallelism; subtask++) {
            OperatorSubtaskState part =
                    state == null
                            ? null
                            : OperatorHarness.repartition(state, stateTasks, parallelism, subtask);
            tasks[subtask] =
                    OperatorHarness.create(
                            options(random, rows), rules(), part, attempt, parallelism, subtask);
        }
        for (OperatorHarness task : tasks) {
            if (!rulesChange) {
                task.awaitVersion(1);
            }
        }
    }

    private void stop() {
        for (OperatorHarness task : tasks) {
            IOUtils.closeQuietly(task);
        }
        tasks = new OperatorHarness[0];
    }

    private void checkpoint(int nextBlock) throws Exception {
        checkpoint++;
        OperatorSubtaskState[] parts = new OperatorSubtaskState[tasks.length];
        for (int subtask = 0; subtask < tasks.length; subtask++) {
            tasks[subtask].drain(checkpoint);
            parts[subtask] = tasks[subtask].snapshot(checkpoint, checkpoint);
            show(tasks[subtask]);
        }
        state = OperatorHarness.merge(parts);
        stateTasks = tasks.length;
        stateBlock = nextBlock;
    }

    private void show(OperatorHarness task) throws Exception {
        for (VerdictBlock block : task.blocks()) {
            show(block);
        }
        task.getOutput().clear();
        showRows(task);
    }

    private void showRows(OperatorHarness task) throws Exception {
        Queue<StreamRecord<Tuple2<byte[], byte[]>>> rows =
                task.getSideOutput(ClassifyOperator.CONNECTIONS);
        for (; rows != null && !rows.isEmpty(); rows.remove()) {
            Connection row = Connection.decode(rows.element().getValue().f1);
            assertArrayEquals(row.key(), rows.element().getValue().f0);
            if (row.end().equals(ConnectionEnd.LIVE.label())) {
                goingOn.add(row);
            } else {
                ended.add(text(row));
            }
        }
    }

    private void show(VerdictBlock block) {
        Column states = block.field(HeaderWord.CONNECTION);
        for (int i = 0; i < block.count(); i++) {
            int rule = (int) block.rules()[(int) block.ruleIndexes().get(i) - 1];
            int state = StatefulJudge.state((int) states.get(i));
            long packet = block.packets().get(i);
            assertNull(visible.put(packet, new Expected(rule, state)), "told twice: " + packet);
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6})
    void failuresChangeNoVerdict(long seed) throws Exception {
        compare(seed, false);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6})
    void failuresChangeNoVerdictOfConnectionsThatAreJudgedAnew(long seed) throws Exception {
        compare(seed, true);
        assertTrue(endedAnew > 20, endedAnew + " ended");
        assertTrue(judgedAnew - endedAnew > 15, judgedAnew - endedAnew + " went on");
    }

    private void compare(long seed, boolean changes) throws Exception {
        Random random = TestSeed.random(seed);
        run(random, changes, changes ? random::nextBoolean : () -> false);
        assertEquals(changes, !ended.isEmpty());
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4})
    void rowsThatBeginAndEndWithTheOptionChangeNoVerdict(long seed) throws Exception {
        Random random = TestSeed.random(seed);
        run(random, false, random::nextBoolean);
        Set<String> all = new HashSet<>();
        unbroken.all().forEach(row -> all.add(text(row)));
        assertTrue(ended.size() > 20, ended.size() + " rows");
        Set<String> once = new HashSet<>(ended);
        assertEquals(once.size(), ended.size(), "told twice");
        ended.removeIf(row -> all.contains(row) || row.contains("refused"));
        assertEquals(List.of(), ended);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6})
    void failuresChangeNoRow(long seed) throws Exception {
        Random random = TestSeed.random(seed);
        run(random, false, () -> true);
        List<Connection> last = new ArrayList<>();
        Map<String, Connection> byKey = new HashMap<>();
        List<String> wanted = new ArrayList<>();
        for (Connection row : unbroken.all()) {
            byKey.merge(key(row), row, (one, other) -> one.lastNs() > other.lastNs() ? one : other);
            if (row.end().equals(ConnectionEnd.LIVE.label())) {
                last.add(row);
            } else {
                wanted.add(text(row));
            }
        }
        wanted.sort(null);
        ended.sort(null);
        assertEquals(String.join("\n", wanted), String.join("\n", ended));
        Set<String> live = new HashSet<>();
        goingOn.forEach(row -> live.add(text(row)));
        last.forEach(row -> assertTrue(live.contains(text(row)), "never told: " + text(row)));
        int between = 0;
        for (Connection row : goingOn) {
            Connection whole = byKey.get(key(row));
            assertTrue(whole != null && row.lastNs() <= whole.lastNs(), text(row));
            between += row.lastNs() < whole.lastNs() ? 1 : 0;
        }
        assertTrue(between > 50, between + " rows of connections that went on");
        for (String end : List.of("timeout", "reset", "let-through")) {
            assertTrue(wanted.stream().anyMatch(row -> row.contains('"' + end + '"')), end);
        }
    }

    private static String key(Connection row) {
        return new String(row.key(), UTF_8);
    }

    private void run(Random random, boolean changes, BooleanSupplier rows) throws Exception {
        rulesChange = changes;
        draw(random, changes);
        int failures = 0;
        try {
            start(random, rows.getAsBoolean());
            for (int next = 0; next < blocks.size(); next++) {
                Block block = blocks.get(next);
                tasks[OperatorHarness.subtaskOf(block.shard, tasks.length)].processElement1(
                        new StreamRecord<>(Tuple2.of(block.shard, block.message)));
                int chance = random.nextInt(30);
                if (chance == 0) {
                    checkpoint(next + 1);
                } else if (chance == 1) {
                    failures++;
                    start(random, rows.getAsBoolean());
                    next = stateBlock - 1;
                }
            }
            checkpoint(blocks.size());
            for (OperatorHarness task : tasks) {
                task.getOperator().finish();
                showRows(task);
            }
        } finally {
            stop();
        }
        assertTrue(failures > 5, failures + " failures");
        for (int i = 0; i < PACKETS; i++) {
            assertEquals(expected.get(i), visible.get((long) i), "packet " + i);
        }
        for (int rule :
                List.of(
                        HistoryPolicy.DROPS_INVALID,
                        HistoryPolicy.PASSES_KNOWN,
                        HistoryPolicy.PASSES_SOURCE,
                        HistoryPolicy.DROPS_REST)) {
            assertTrue(expected.stream().filter(e -> e.rule == rule).count() > 30, "" + rule);
        }
    }
}
