package dev.sluice.operators.classify;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.engine.EngineOptions;
import dev.sluice.engine.gpu.GpuPool;
import dev.sluice.engine.lookup.Algorithm;
import dev.sluice.engine.testing.RandomRules.Shape;
import dev.sluice.operators.classify.ClassifyOptions.VerdictFormat;
import dev.sluice.operators.classify.OperatorHarness.Attempt;
import dev.sluice.operators.rules.serving.RefusedVersion;
import dev.sluice.operators.rules.serving.Versions;
import dev.sluice.operators.rules.topic.RuleSource;
import dev.sluice.operators.statistics.StatisticsOptions;
import dev.sluice.schemas.codec.DeadLetter;
import dev.sluice.schemas.codec.PacketBlock;
import dev.sluice.schemas.testing.TestSeed;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
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

    /** Serves any rules. */
    private static final EngineOptions ANY =
            EngineOptions.of(Algorithm.of("tuple"))
                    .withBudget(1 << 28)
                    .withGpu(GpuPool.Selection.OFF);

    private static ClassifyOptions options(EngineOptions engine, int batch) {
        return new ClassifyOptions(
                        engine,
                        batch,
                        60_000_000,
                        2,
                        EventTraffic.SHARDS,
                        VerdictFormat.BLOCKS,
                        VerdictFields.NONE)
                .with(
                        RulesTime.event(Duration.ofNanos(EventTraffic.LATENESS)),
                        ClassifyOptions.WAITING_BYTES);
    }

    /** The history of the messages up to an end; those behind it do not count. */
    private static final class Messages implements RuleSource {
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
        public Range read(From from, long before, Taker taker) throws InterruptedException {
            for (int i = 0; i < before; i++) {
                taker.message(all.get(i), 0, i + 1);
            }
            return new Range(truncated ? 1 : 0, before);
        }

        @Override
        public void follow(long position, Follower follower) {
            throw new AssertionError("the history has an end");
        }
    }

    private static Versions versions(int seed, Shape shape) {
        Versions versions = new Versions(TestSeed.of(seed)).replace(shape, 30);
        for (int i = 0; i < 40; i++) {
            switch (i == 20 ? -1 : versions.below(10)) {
                case -1 -> versions.anew(shape, 1 + versions.below(40));
                case 0 -> versions.replace(shape, 1 + versions.below(40));
                case 1 -> versions.again();
                default -> versions.change(shape, versions.below(3), versions.below(3));
            }
        }
        return versions;
    }

    /** Feeds an attempt's subtasks; returns their state after a checkpoint. */
    private static OperatorSubtaskState run(
            ClassifyOptions options,
            RuleSource history,
            List<PacketBlock> blocks,
            OperatorSubtaskState state,
            int before,
            int parallelism,
            EventOutcome into)
            throws Exception {
        into.statuses.clear(); // the tasks count on from those of the attempt before
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

    @ParameterizedTest
    @CsvSource({"1, 50, false", "2, 7, true", "3, 400, false"})
    void everyPacketIsJudgedAtItsTimeAtAnyParallelismAndThroughARestart(
            int seed, int batch, boolean truncated) throws Exception {
        Versions versions = versions(seed, Shape.FIREWALL);
        EventTraffic traffic = new EventTraffic(versions, truncated, TestSeed.random(seed), 150);
        RuleSource history = new Messages(versions.messages, truncated);
        ClassifyOptions options = options(ANY, batch);
        EventOutcome whole = new EventOutcome();
        run(options, history, traffic.blocks, null, 1, 1, whole);
        whole.check(traffic);
        long kinds =
                traffic.expected.values().stream()
                        .map(EventTraffic.Judged::status)
                        .distinct()
                        .count();
        assertEquals(3, kinds, "no packet was late, or none older than the rules");
        int restart = traffic.blocks.size() / 2;
        int[][] parallelisms = {{1, 1}, {2, 2}, {3, 8}, {8, 3}};
        for (int[] pair : parallelisms) {
            EventOutcome outcome = new EventOutcome();
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
            assertEquals(whole.statuses, outcome.statuses);
        }
    }

    /** Firewall rules among routes, with an algorithm that serves routes alone. */
    @Test
    void whatCannotBeServedLeavesTheVersionBeforeAndIsReportedOnce() throws Exception {
        Versions versions = new Versions(TestSeed.of(9)).replace(Shape.IPV6_ROUTES, 20);
        for (int i = 0; i < 30; i++) {
            switch (i % 6) {
                case 2 -> versions.replace(Shape.FIREWALL, 10);
                case 3 -> versions.change(Shape.FIREWALL, 1, 1);
                case 4 -> versions.replace(Shape.IPV6_ROUTES, 20);
                default -> versions.change(Shape.IPV6_ROUTES, 1, 2);
            }
        }
        EventTraffic traffic = new EventTraffic(versions, false, TestSeed.random(9), 150);
        RuleSource history = new Messages(versions.messages, false);
        ClassifyOptions options = options(ANY.withAlgorithm(Algorithm.of("routes")), 50);
        EventOutcome whole = new EventOutcome();
        run(options, history, traffic.blocks, null, 1, 1, whole);
        assertTrue(!whole.letters.isEmpty());
        whole.letters.forEach(
                letter -> assertTrue(RefusedVersion.of(letter).isPresent(), letter.toString()));
        EventOutcome restarted = new EventOutcome();
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
        EventTraffic traffic = new EventTraffic(versions, false, TestSeed.random(5), 60);
        ClassifyOptions options = options(ANY, 50);
        EventOutcome before = new EventOutcome();
        run(options, shorter, traffic.blocks, null, 1, 1, before);
        EventOutcome after = new EventOutcome();
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
        EventOutcome outcome = new EventOutcome();
        OperatorSubtaskState state =
                run(options(ANY, 50), new Messages(gap, false), List.of(), null, 1, 2, outcome);
        run(options(ANY, 50), new Messages(gap, false), List.of(), state, 2, 1, outcome);
        assertEquals(
                List.of("rules: delta without its base"),
                outcome.letters.stream().map(DeadLetter::reason).toList());
    }
}
