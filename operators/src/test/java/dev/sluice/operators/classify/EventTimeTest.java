package dev.sluice.operators.classify;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.engine.EngineOptions;
import dev.sluice.engine.gpu.GpuPool;
import dev.sluice.engine.lookup.Algorithm;
import dev.sluice.engine.testing.RandomRules.Shape;
import dev.sluice.operators.classify.ClassifyOptions.VerdictFormat;
import dev.sluice.operators.classify.OperatorHarness.Attempt;
import dev.sluice.operators.statistics.PlainCount;
import dev.sluice.operators.statistics.RuleHits;
import dev.sluice.operators.statistics.StatisticsOptions;
import dev.sluice.operators.stream.RefusedVersion;
import dev.sluice.operators.timeline.HistorySource;
import dev.sluice.operators.timeline.Versions;
import dev.sluice.schemas.codec.Column;
import dev.sluice.schemas.codec.DeadLetter;
import dev.sluice.schemas.codec.PacketBlock;
import dev.sluice.schemas.codec.VerdictBlock;
import dev.sluice.schemas.codec.VerdictStatus;
import dev.sluice.schemas.testing.TestSeed;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Packets judged at their own times, against a reference that knows the whole history. */
@Timeout(120)
class EventTimeTest {
    private static final int SHARDS = 8;
    private static final long LATENESS = 25;

    /** Serves any rules. */
    private static final EngineOptions ANY =
            EngineOptions.of(Algorithm.of("tuple"))
                    .withBudget(1 << 28)
                    .withGpu(GpuPool.Selection.OFF);

    private static ClassifyOptions options(EngineOptions engine, int batch) {
        return new ClassifyOptions(engine, batch, 60_000_000, 2, SHARDS, VerdictFormat.BLOCKS)
                .with(RulesTime.event(Duration.ofNanos(LATENESS)));
    }

    /** The history of the messages up to an end; those behind it do not count. */
    private static final class Messages implements HistorySource {
        private static final long serialVersionUID = 1L;

        private final transient List<byte[]> all;
        private final boolean truncated;
        private final long end;

        Messages(List<List<byte[]>> versions, boolean truncated) {
            this(versions.stream().flatMap(List::stream).toList(), truncated, -1);
        }

        private Messages(List<byte[]> all, boolean truncated, long end) {
            this.all = all;
            this.truncated = truncated;
            this.end = end < 0 ? all.size() : end;
        }

        Messages endingAt(long other) {
            return new Messages(all, truncated, other);
        }

        @Override
        public long end() {
            return end;
        }

        @Override
        public boolean read(long before, Taker taker) {
            all.subList(0, (int) before).forEach(message -> taker.message(message, 0));
            return truncated;
        }
    }

    /** A packet and what the reference says of it. */
    private record Judged(long rule, long version, VerdictStatus status) {}

    /** Blocks of random packets, in the order in which they come. */
    private static final class Traffic {
        final List<PacketBlock> blocks = new ArrayList<>();
        final Map<Long, Judged> expected = new HashMap<>();
        final PlainCount counted = new PlainCount();
        private final Map<Integer, Long> largest = new HashMap<>();
        private final Versions versions;
        private final boolean truncated;

        Traffic(Versions versions, boolean truncated, Random random, int count) {
            this.versions = versions;
            this.truncated = truncated;
            long span = Versions.STEP_NS * versions.contents.size();
            long number = 0;
            for (int b = 0; b < count; b++) {
                int shard = random.nextInt(SHARDS);
                int packets = 1 + random.nextInt(30);
                long now = -40 + (span + 60) * b / count;
                long[] numbers = new long[packets];
                long[] times = new long[packets];
                List<int[]> headers = new ArrayList<>();
                for (int i = 0; i < packets; i++) {
                    numbers[i] = ++number;
                    times[i] =
                            switch (random.nextInt(12)) {
                                case 0 -> Column.NO_TIME;
                                case 1 -> now - random.nextInt(200);
                                default -> now + random.nextInt(30);
                            };
                    headers.add(versions.header(random.nextInt(versions.contents.size())));
                    judge(numbers[i], shard, times[i], headers.get(i));
                }
                Column at = Column.ofLongs(Column.TIME_NS, times, 0, packets);
                blocks.add(Packets.block(shard, SHARDS, numbers, headers, at));
            }
        }

        private void judge(long number, int shard, long time, int[] header) {
            long before = largest.getOrDefault(shard, Column.NO_TIME);
            long at = time == Column.NO_TIME ? before : time;
            boolean late = before != Column.NO_TIME && at < before - LATENESS;
            if (late) {
                at = before - LATENESS;
            } else if (at > before) {
                largest.put(shard, at);
            }
            int index = -1;
            for (int v = 0; v < versions.contents.size(); v++) {
                if (Versions.STEP_NS * v <= at) {
                    index = v;
                }
            }
            Judged judged =
                    index < 0
                            ? new Judged(
                                    -1,
                                    0,
                                    truncated
                                            ? VerdictStatus.HISTORY_DELETED
                                            : VerdictStatus.NO_RULES)
                            : new Judged(
                                    versions.judge(index, header),
                                    versions.contents.get(index).version(),
                                    late ? VerdictStatus.LATE : VerdictStatus.OK);
            expected.put(number, judged);
            counted.packet(
                    "h1",
                    judged.rule < 0 ? null : Long.valueOf(judged.rule),
                    time,
                    0,
                    judged.version,
                    0);
        }
    }

    private static Versions versions(int seed, Shape shape) {
        Versions versions = new Versions(TestSeed.of(seed)).replace(shape, 30);
        for (int i = 0; i < 40; i++) {
            switch (versions.below(10)) {
                case 0 -> versions.replace(shape, 1 + versions.below(40));
                case 1 -> versions.again();
                default -> versions.change(shape, versions.below(3), versions.below(3));
            }
        }
        return versions;
    }

    /** What came out of a run: verdict blocks by shard, dead letters, hits. */
    private static final class Outcome {
        final Map<Integer, List<byte[]>> byShard = new HashMap<>();
        final List<DeadLetter> letters = new ArrayList<>();
        final PlainCount counted = new PlainCount();

        void take(OperatorHarness task) throws Exception {
            for (Object element : task.getOutput()) {
                Tuple2<?, ?> pair = (Tuple2<?, ?>) ((StreamRecord<?>) element).getValue();
                byShard.computeIfAbsent((Integer) pair.f0, s -> new ArrayList<>())
                        .add((byte[]) pair.f1);
            }
            task.getOutput().clear();
            Queue<StreamRecord<byte[]>> dead = task.getSideOutput(ClassifyOperator.DEAD_LETTERS);
            if (dead != null) {
                for (StreamRecord<byte[]> letter : dead) {
                    letters.add(DeadLetter.decode(letter.getValue()));
                }
                dead.clear();
            }
            Queue<StreamRecord<RuleHits>> hits = task.getSideOutput(ClassifyOperator.HITS);
            if (hits != null) {
                hits.forEach(record -> counted.add(record.getValue()));
                hits.clear();
            }
        }

        void same(Outcome other) {
            assertEquals(byShard.keySet(), other.byShard.keySet());
            byShard.forEach(
                    (shard, messages) -> {
                        List<byte[]> others = other.byShard.get(shard);
                        assertEquals(messages.size(), others.size());
                        for (int i = 0; i < messages.size(); i++) {
                            assertArrayEquals(messages.get(i), others.get(i), "shard " + shard);
                        }
                    });
        }
    }

    /** Feeds an attempt's subtasks; returns their state after a checkpoint. */
    private static OperatorSubtaskState run(
            ClassifyOptions options,
            HistorySource history,
            List<PacketBlock> blocks,
            OperatorSubtaskState state,
            int before,
            int parallelism,
            Outcome into)
            throws Exception {
        Attempt attempt = Attempt.first();
        List<OperatorHarness> tasks = new ArrayList<>();
        try {
            for (int i = 0; i < parallelism; i++) {
                OperatorSubtaskState part =
                        state == null
                                ? null
                                : OperatorHarness.repartition(state, before, parallelism, i);
                tasks.add(
                        OperatorHarness.create(
                                options,
                                history,
                                StatisticsOptions.TOTALS,
                                part,
                                attempt,
                                parallelism,
                                i));
            }
            for (PacketBlock block : blocks) {
                tasks.get(OperatorHarness.subtaskOf(block.shard(), parallelism))
                        .processElement1(
                                new StreamRecord<>(Tuple2.of(block.shard(), block.encode())));
            }
            OperatorSubtaskState[] states = new OperatorSubtaskState[parallelism];
            for (int i = 0; i < parallelism; i++) {
                tasks.get(i).drain(1);
                into.take(tasks.get(i));
                states[i] = tasks.get(i).snapshot(1, 1);
            }
            // What comes behind the barrier is lost with the tasks, and comes again.
            for (PacketBlock block : blocks.subList(0, Math.min(3, blocks.size()))) {
                tasks.get(OperatorHarness.subtaskOf(block.shard(), parallelism))
                        .processElement1(
                                new StreamRecord<>(Tuple2.of(block.shard(), block.encode())));
            }
            return OperatorHarness.merge(states);
        } finally {
            for (OperatorHarness task : tasks) {
                task.close();
            }
        }
    }

    private static void check(Traffic traffic, Outcome outcome) throws Exception {
        Map<Long, Judged> seen = new HashMap<>();
        for (List<byte[]> messages : outcome.byShard.values()) {
            for (byte[] message : messages) {
                VerdictBlock block = VerdictBlock.decode(message);
                for (int i = 0; i < block.count(); i++) {
                    Long rule = block.ruleId(i);
                    seen.put(
                            block.packets().get(i),
                            new Judged(
                                    rule == null ? -1 : rule, block.versionOf(i), block.status(i)));
                }
            }
        }
        assertEquals(traffic.expected.size(), seen.size());
        traffic.expected.forEach(
                (packet, judged) -> assertEquals(judged, seen.get(packet), "packet " + packet));
        assertEquals(traffic.counted.sums, outcome.counted.sums);
    }

    @ParameterizedTest
    @CsvSource({"1, 50, false", "2, 7, true", "3, 400, false"})
    void everyPacketIsJudgedAtItsTimeAtAnyParallelismAndThroughARestart(
            int seed, int batch, boolean truncated) throws Exception {
        Versions versions = versions(seed, Shape.FIREWALL);
        Traffic traffic = new Traffic(versions, truncated, TestSeed.random(seed), 150);
        HistorySource history = new Messages(versions.messages, truncated);
        ClassifyOptions options = options(ANY, batch);
        Outcome whole = new Outcome();
        run(options, history, traffic.blocks, null, 1, 1, whole);
        check(traffic, whole);
        long kinds = traffic.expected.values().stream().map(Judged::status).distinct().count();
        assertEquals(3, kinds, "no packet was late, or none older than the rules");
        int restart = traffic.blocks.size() / 2;
        int[][] parallelisms = {{1, 1}, {2, 2}, {3, 8}, {8, 3}};
        for (int[] pair : parallelisms) {
            Outcome outcome = new Outcome();
            OperatorSubtaskState state =
                    run(
                            options,
                            history,
                            traffic.blocks.subList(0, restart),
                            null,
                            1,
                            pair[0],
                            outcome);
            run(
                    options,
                    history,
                    traffic.blocks.subList(restart, traffic.blocks.size()),
                    state,
                    pair[0],
                    pair[1],
                    outcome);
            whole.same(outcome);
            assertEquals(whole.counted.sums, outcome.counted.sums);
        }
    }

    /** Firewall rules among routes, with an algorithm that serves routes alone. */
    @Test
    void whatCannotBeServedLeavesTheVersionBeforeAndIsReportedOnce() throws Exception {
        Versions versions = new Versions(TestSeed.of(9)).replace(Shape.IPV4_ROUTES, 20);
        for (int i = 0; i < 30; i++) {
            switch (i % 6) {
                case 2 -> versions.replace(Shape.FIREWALL, 10);
                case 3 -> versions.change(Shape.FIREWALL, 1, 1);
                case 4 -> versions.replace(Shape.IPV4_ROUTES, 20);
                default -> versions.change(Shape.IPV4_ROUTES, 1, 2);
            }
        }
        Traffic traffic = new Traffic(versions, false, TestSeed.random(9), 150);
        HistorySource history = new Messages(versions.messages, false);
        ClassifyOptions options = options(ANY.withAlgorithm(Algorithm.of("routes")), 50);
        Outcome whole = new Outcome();
        run(options, history, traffic.blocks, null, 1, 1, whole);
        assertTrue(!whole.letters.isEmpty());
        whole.letters.forEach(
                letter -> assertTrue(RefusedVersion.of(letter).isPresent(), letter.toString()));
        Outcome restarted = new Outcome();
        int half = traffic.blocks.size() / 2;
        OperatorSubtaskState state =
                run(options, history, traffic.blocks.subList(0, half), null, 1, 3, restarted);
        run(
                options,
                history,
                traffic.blocks.subList(half, traffic.blocks.size()),
                state,
                3,
                2,
                restarted);
        whole.same(restarted);
        assertEquals(
                whole.letters.stream().map(DeadLetter::detail).sorted().toList(),
                restarted.letters.stream().map(DeadLetter::detail).sorted().toList());
    }

    @Test
    void aRestoredJobKeepsTheEndOfItsHistory() throws Exception {
        Versions versions = versions(5, Shape.FIREWALL);
        int behind = versions.messages.get(40).size() + versions.messages.get(39).size();
        Messages whole = new Messages(versions.messages, false);
        Messages shorter = whole.endingAt(whole.end() - behind);
        Traffic traffic = new Traffic(versions, false, TestSeed.random(5), 60);
        ClassifyOptions options = options(ANY, 50);
        Outcome before = new Outcome();
        run(options, shorter, traffic.blocks, null, 1, 1, before);
        Outcome after = new Outcome();
        OperatorSubtaskState state =
                run(options, shorter, traffic.blocks.subList(0, 20), null, 1, 1, after);
        run(options, whole, traffic.blocks.subList(20, 60), state, 1, 1, after);
        before.same(after);
    }

    @Test
    void whatIsMalformedIsReportedOnce() throws Exception {
        Versions versions = new Versions(TestSeed.of(6)).replace(Shape.FIREWALL, 3);
        versions.change(Shape.FIREWALL, 0, 1).change(Shape.FIREWALL, 0, 1);
        List<List<byte[]>> gap = List.of(versions.messages.get(0), versions.messages.get(2));
        Outcome outcome = new Outcome();
        OperatorSubtaskState state =
                run(options(ANY, 50), new Messages(gap, false), List.of(), null, 1, 2, outcome);
        run(options(ANY, 50), new Messages(gap, false), List.of(), state, 2, 1, outcome);
        assertEquals(
                List.of("rules: delta without its base"),
                outcome.letters.stream().map(DeadLetter::reason).toList());
    }
}
