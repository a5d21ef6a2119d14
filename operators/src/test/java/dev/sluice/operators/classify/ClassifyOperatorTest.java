package dev.sluice.operators.classify;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.engine.EngineOptions;
import dev.sluice.engine.gpu.GpuPool;
import dev.sluice.engine.lookup.Algorithm;
import dev.sluice.engine.rules.Match;
import dev.sluice.engine.rules.Rule;
import dev.sluice.operators.classify.ClassifyOptions.VerdictFormat;
import dev.sluice.operators.rules.serving.GivenTopic;
import dev.sluice.operators.rules.topic.RuleSetMessages;
import dev.sluice.operators.rules.topic.RuleSource;
import dev.sluice.schemas.codec.Column;
import dev.sluice.schemas.codec.DeadLetter;
import dev.sluice.schemas.codec.RuleChange;
import dev.sluice.schemas.codec.RuleChange.Kind;
import dev.sluice.schemas.codec.Verdict;
import dev.sluice.schemas.codec.VerdictBlock;
import dev.sluice.schemas.header.Field;
import dev.sluice.schemas.testing.Verdicts;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.flink.api.common.typeinfo.PrimitiveArrayTypeInfo;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The operator with a real mailbox, which batches come back through. */
@Timeout(60)
class ClassifyOperatorTest {
    private static final org.apache.flink.api.common.typeinfo.TypeInformation<
                    Tuple2<Integer, byte[]>>
            PACKETS = Types.TUPLE(Types.INT, PrimitiveArrayTypeInfo.BYTE_PRIMITIVE_ARRAY_TYPE_INFO);

    static ClassifyOptions options(int batch, long maxDelayMicros, VerdictFormat format) {
        return new ClassifyOptions(
                EngineOptions.of(Algorithm.of("tuple"))
                        .withBudget(1 << 28)
                        .withGpu(GpuPool.Selection.OFF),
                batch,
                maxDelayMicros,
                2,
                8,
                format,
                format.defaults());
    }

    private static Rule rule(long id, int priority, int port) {
        return new Rule(
                id,
                priority,
                new Match.Builder().field(Field.DST_PORT, port).build(),
                "to " + port,
                (int) id);
    }

    private static List<byte[]> snapshot(long version, Rule... rules) {
        RuleChange begin =
                RuleChange.begin("t" + version, version, null, Kind.SNAPSHOT, "set", "drop");
        return RuleSetMessages.snapshot(begin, List.of(rules));
    }

    private static Map<Long, Long> ruleOfPacket(List<VerdictBlock> blocks) {
        Map<Long, Long> verdicts = new TreeMap<>();
        for (VerdictBlock block : blocks) {
            for (int i = 0; i < block.count(); i++) {
                int index = (int) block.ruleIndexes().get(i);
                Long before =
                        verdicts.put(
                                block.packets().get(i), index == 0 ? -1 : block.rules()[index - 1]);
                assertEquals(
                        null, before, "packet " + block.packets().get(i) + " was answered twice");
            }
        }
        return verdicts;
    }

    /** The only task of a job that begins. */
    private static OperatorHarness task(ClassifyOptions options, RuleSource rules)
            throws Exception {
        return OperatorHarness.create(options, rules, null, 1, 0);
    }

    private static void await(OperatorHarness task, int outputs) throws Exception {
        while (task.getOutput().size() < outputs) {
            task.runMails();
            Thread.onSpinWait();
        }
    }

    @Test
    void batchesFillAcrossBlocksAndAreEmittedInOrder() throws Exception {
        List<byte[]> rules = snapshot(1, rule(11, 5, 1), rule(12, 9, 2));
        try (var task = task(options(10, 60_000_000, VerdictFormat.BLOCKS), GivenTopic.of(rules))) {
            for (int b = 0; b < 20; b++) {
                task.processElement1(OperatorHarness.block(b % 8, 1 + 7L * b, 7));
            }
            await(task, 20); // 140 headers are 14 full batches
            List<VerdictBlock> blocks = task.blocks();
            for (int b = 0; b < 20; b++) {
                assertEquals(
                        1 + 7L * b,
                        blocks.get(b).packets().get(0),
                        "block " + b + " is out of order");
                assertEquals(1, blocks.get(b).version());
            }
            Map<Long, Long> verdicts = ruleOfPacket(blocks);
            assertEquals(140, verdicts.size());
            verdicts.forEach(
                    (packet, rule) ->
                            assertEquals(packet % 4 == 1 ? 11 : packet % 4 == 2 ? 12 : -1, rule));
        }
    }

    @Test
    void aBatchThatDoesNotFillGoesAfterItsDelay() throws Exception {
        try (var task =
                task(
                        options(1000, 500, VerdictFormat.BLOCKS),
                        GivenTopic.of(snapshot(1, rule(1, 1, 1))))) {
            task.processElement1(OperatorHarness.block(0, 1, 3));
            await(task, 1);
            assertEquals(3, ruleOfPacket(task.blocks()).size());
        }
    }

    /** A batch of an hour keeps its block for less, and one of no time to speak of for longer. */
    @Test
    void blocksThatTookLongerThanTheirBatchMayWaitAreCountedAsOverdue() throws Exception {
        for (long maxDelayMicros : new long[] {3_600_000_000L, 100}) {
            try (var task =
                    task(
                            options(10, maxDelayMicros, VerdictFormat.BLOCKS),
                            GivenTopic.of(snapshot(1, rule(1, 1, 1))))) {
                task.processElement1(OperatorHarness.block(0, 1, 9));
                await(task, maxDelayMicros == 100 ? 1 : 0); // its verdicts leave after their delay
                task.processElement1(OperatorHarness.block(0, 10, 11));
                task.prepareSnapshotPreBarrier(1);
                assertEquals(2, task.counter("blocks"));
                assertEquals(20, task.counter("verdicts"));
                long overdue = task.counter("blocksOverdue");
                assertTrue(maxDelayMicros == 100 ? overdue >= 1 : overdue == 0, overdue + "");
            }
        }
    }

    @Test
    void headersBeforeARuleChangeStayUnderTheRulesBefore() throws Exception {
        try (var task =
                task(
                        options(1000, 60_000_000, VerdictFormat.BLOCKS),
                        GivenTopic.of(snapshot(1, rule(1, 1, 1))))) {
            task.processElement1(OperatorHarness.block(0, 1, 8));
            for (byte[] message : snapshot(2, rule(2, 1, 1))) {
                task.processElement2(new StreamRecord<>(message));
            }
            task.awaitVersion(2);
            task.processElement1(OperatorHarness.block(0, 9, 8));
            task.drain(1);
            List<VerdictBlock> blocks = task.blocks();
            assertEquals(List.of(1L, 2L), blocks.stream().map(VerdictBlock::version).toList());
            assertEquals(1L, ruleOfPacket(blocks).get(1L));
            assertEquals(2L, ruleOfPacket(blocks).get(9L));
        }
    }

    @Test
    void recordsAreSelfContained() throws Exception {
        try (var task =
                task(
                        options(4, 60_000_000, VerdictFormat.RECORDS),
                        GivenTopic.of(snapshot(3, rule(9, 7, 1))))) {
            task.processElement1(OperatorHarness.block(0, 1, 4));
            await(task, 4);
            List<Verdict> verdicts = new ArrayList<>();
            for (Object element : task.getOutput()) {
                Object message = ((Tuple2<?, ?>) ((StreamRecord<?>) element).getValue()).f1;
                verdicts.add(Verdict.decode((byte[]) message));
            }
            assertEquals(
                    List.of(
                            Verdicts.of("cap", 0, 1, Column.NO_TIME, 9L, 9, 7, "to 1", 3),
                            Verdicts.of("cap", 0, 2, Column.NO_TIME, null, null, null, "drop", 3)),
                    verdicts.subList(0, 2));
        }
    }

    @Test
    void everythingIsEmittedBeforeABarrierAndRulesSurviveIt() throws Exception {
        List<byte[]> first = snapshot(1, rule(1, 1, 1));
        List<byte[]> second = snapshot(2, rule(2, 1, 1));
        OperatorSubtaskState state;
        try (var harness =
                task(options(1000, 60_000_000, VerdictFormat.BLOCKS), GivenTopic.of(first))) {
            harness.processElement1(OperatorHarness.block(0, 1, 5));
            // The second transaction is only half there when the barrier comes.
            harness.processElement2(new StreamRecord<>(second.get(0)));
            harness.processElement2(new StreamRecord<>(second.get(1)));
            harness.drain(1);
            assertEquals(5, ruleOfPacket(harness.blocks()).size(), "the batch was not drained");
            state = harness.snapshot(1, 1);
            harness.runMails();
            assertEquals(1, harness.pauses());
        }
        try (var harness =
                OperatorHarness.create(
                        options(1000, 60_000_000, VerdictFormat.BLOCKS),
                        GivenTopic.unread(),
                        state,
                        1,
                        0)) {
            harness.processElement1(OperatorHarness.block(0, 6, 2));
            harness.processElement2(new StreamRecord<>(second.get(2))); // the COMMIT
            harness.awaitVersion(2);
            harness.processElement1(OperatorHarness.block(0, 8, 2));
            harness.drain(2);
            assertEquals(
                    List.of(1L, 2L), harness.blocks().stream().map(VerdictBlock::version).toList());
        }
        // Rescaled from one to three: every instance has the rules.
        for (int subtask = 0; subtask < 3; subtask++) {
            OperatorSubtaskState part = OperatorHarness.repartition(state, 1, 3, subtask);
            try (var harness =
                    OperatorHarness.create(
                            options(1000, 60_000_000, VerdictFormat.BLOCKS),
                            GivenTopic.unread(),
                            part,
                            3,
                            subtask)) {
                int shard = OperatorHarness.shardOf(3, subtask);
                harness.processElement1(OperatorHarness.block(shard, 1, 4));
                harness.drain(2);
                assertEquals(1L, ruleOfPacket(harness.blocks()).get(1L));
            }
        }
    }

    /** What the operator emits on one block of each of a subtask's shards, as text. */
    private static List<String> outputOn(OperatorHarness harness, int parallelism, int subtask)
            throws Exception {
        harness.getOutput().clear();
        List<String> output = new ArrayList<>();
        for (int shard = 0; shard < 8; shard++) {
            if (OperatorHarness.subtaskOf(shard, parallelism) == subtask) {
                harness.processElement1(OperatorHarness.block(shard, 1 + 100L * shard, 9));
            }
        }
        harness.drain(7);
        for (Object element : harness.getOutput()) {
            Tuple2<?, ?> pair = (Tuple2<?, ?>) ((StreamRecord<?>) element).getValue();
            output.add(pair.f0 + " " + HexFormat.of().formatHex((byte[]) pair.f1));
        }
        harness.getOutput().clear();
        return output;
    }

    private static void processElements2(OperatorHarness harness, List<byte[]> messages)
            throws Exception {
        for (byte[] message : messages) {
            harness.processElement2(new StreamRecord<>(message));
        }
    }

    /** Process, snapshot, restore into new instances, process the same: the output is the same. */
    @ParameterizedTest
    @CsvSource({"1, 1", "1, 3", "2, 3", "3, 2", "3, 1"})
    void restoredInstancesAnswerAsThoseBefore(int before, int after) throws Exception {
        ClassifyOptions options = options(4, 60_000_000, VerdictFormat.BLOCKS);
        List<byte[]> second = snapshot(2, rule(21, 5, 1), rule(22, 9, 2));
        List<byte[]> third = snapshot(3, rule(31, 5, 3));
        Set<String> expected = new TreeSet<>();
        OperatorSubtaskState[] states = new OperatorSubtaskState[before];
        for (int subtask = 0; subtask < before; subtask++) {
            try (var harness =
                    OperatorHarness.create(
                            options,
                            GivenTopic.of(snapshot(1, rule(11, 5, 1))),
                            null,
                            before,
                            subtask)) {
                processElements2(harness, second);
                processElements2(harness, third.subList(0, 2)); // all but its COMMIT
                harness.awaitVersion(2);
                expected.addAll(outputOn(harness, before, subtask));
                states[subtask] = harness.snapshot(1, 1);
            }
        }
        assertEquals(8, expected.size());
        OperatorSubtaskState state = OperatorHarness.merge(states);
        Set<String> restored = new TreeSet<>();
        List<VerdictBlock> underThird = new ArrayList<>();
        for (int subtask = 0; subtask < after; subtask++) {
            OperatorSubtaskState part = OperatorHarness.repartition(state, before, after, subtask);
            try (var harness =
                    OperatorHarness.create(options, GivenTopic.unread(), part, after, subtask)) {
                restored.addAll(outputOn(harness, after, subtask));
                processElements2(harness, third.subList(2, 3));
                harness.awaitVersion(3);
                harness.processElement1(
                        OperatorHarness.block(OperatorHarness.shardOf(after, subtask), 3, 1));
                harness.drain(8);
                underThird.addAll(harness.blocks());
            }
        }
        assertEquals(expected, restored);
        assertEquals(after, underThird.size());
        for (VerdictBlock block : underThird) {
            assertEquals(3, block.version(), "the open transaction was lost");
            assertEquals(31, block.rules()[0]);
        }
    }

    @Test
    void aDroppedTransactionIsADeadLetterAndTheRulesStay() throws Exception {
        try (var harness =
                task(
                        options(2, 60_000_000, VerdictFormat.BLOCKS),
                        GivenTopic.of(snapshot(1, rule(1, 1, 1))))) {
            List<byte[]> cut = snapshot(2, rule(2, 1, 1));
            harness.processElement2(new StreamRecord<>(cut.get(0)));
            harness.processElement2(new StreamRecord<>(cut.get(2))); // COMMIT without its chunk
            harness.processElement1(OperatorHarness.block(0, 1, 2));
            harness.drain(1);
            assertEquals(1, harness.blocks().get(0).version());
            while (harness.getSideOutput(ClassifyOperator.DEAD_LETTERS) == null) {
                harness.runMails();
                Thread.onSpinWait();
            }
            DeadLetter letter =
                    DeadLetter.decode(
                            harness.getSideOutput(ClassifyOperator.DEAD_LETTERS)
                                    .remove()
                                    .getValue());
            assertEquals("rules: chunk missing", letter.reason());
        }
    }

    @Test
    void aPacketWaitsForTheFirstRules() throws Exception {
        CountDownLatch packetWaits = new CountDownLatch(1);
        RuleSource late =
                new GivenTopic("", 0, packetWaits::await).give(snapshot(1, rule(1, 1, 1))).start();
        try (var harness =
                OperatorHarness.create(
                        options(2, 60_000_000, VerdictFormat.BLOCKS), late, null, 1, 0)) {
            harness.mail(packetWaits::countDown); // runs when the packet waits, and not before
            harness.processElement1(OperatorHarness.block(0, 1, 2));
            harness.drain(1);
            assertEquals(1, harness.blocks().get(0).version());
        }
    }

    @Test
    void theBootstrapIsAskedOnceAndItsVersionsAreNotAppliedAgain() throws Exception {
        List<byte[]> first = snapshot(5, rule(1, 1, 1));
        AtomicInteger asked = new AtomicInteger();
        RuleSource counting = new GivenTopic("", 0, asked::incrementAndGet).give(first).start();
        try (var harness =
                OperatorHarness.create(
                        options(2, 60_000_000, VerdictFormat.BLOCKS), counting, null, 1, 0)) {
            for (byte[] message : first) {
                harness.processElement2(new StreamRecord<>(message));
            }
            harness.processElement1(OperatorHarness.block(0, 1, 2));
            harness.drain(1);
            assertEquals(5, harness.blocks().get(0).version());
            assertEquals(1, asked.get());
        }
    }

    @Test
    void optionsOutsideTheirRangeAreRefused() {
        assertThrows(IllegalArgumentException.class, () -> options(0, 1000, VerdictFormat.BLOCKS));
        assertThrows(IllegalArgumentException.class, () -> options(10, 99, VerdictFormat.BLOCKS));
    }

    @Test
    void checkpointsHoldTheRulesOnceAtAnyParallelism() throws Exception {
        List<Rule> rules = new ArrayList<>();
        for (int n = 1; n <= 2_000; n++) {
            rules.add(rule(n, n, n));
        }
        List<byte[]> messages = snapshot(1, rules.toArray(new Rule[0]));
        List<Integer> sizes = new ArrayList<>();
        for (int parallelism = 1; parallelism <= 3; parallelism++) {
            OperatorHarness.Attempt attempt = OperatorHarness.Attempt.first();
            OperatorHarness[] tasks = new OperatorHarness[parallelism];
            for (int subtask = 0; subtask < parallelism; subtask++) {
                tasks[subtask] =
                        OperatorHarness.create(
                                options(4, 60_000_000, VerdictFormat.BLOCKS),
                                GivenTopic.of(messages),
                                null,
                                attempt,
                                parallelism,
                                subtask);
            }
            int size = 0;
            for (OperatorHarness task : tasks) {
                task.awaitVersion(1);
                task.drain(1);
                size += (int) task.snapshot(1, 1).getStateSize();
            }
            sizes.add(size);
            for (OperatorHarness task : tasks) {
                task.close();
            }
        }
        assertTrue(sizes.get(0) > 2_000 * 20, sizes.toString());
        assertTrue(sizes.get(2) < sizes.get(0) * 1.1, sizes.toString());
    }
}
