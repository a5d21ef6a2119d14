package dev.sluice.operators.classify;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.engine.EngineOptions;
import dev.sluice.engine.gpu.GpuPool;
import dev.sluice.engine.lookup.Algorithm;
import dev.sluice.engine.testing.RandomRules.Shape;
import dev.sluice.operators.classify.ClassifyOptions.VerdictFormat;
import dev.sluice.operators.rules.serving.GivenTopic;
import dev.sluice.operators.rules.serving.Versions;
import dev.sluice.operators.rules.topic.RuleSource;
import dev.sluice.operators.statistics.GroupedHits;
import dev.sluice.operators.statistics.PlainCount;
import dev.sluice.operators.statistics.StatisticsOptions;
import dev.sluice.schemas.codec.Column;
import dev.sluice.schemas.codec.PacketBlock;
import dev.sluice.schemas.testing.TestSeed;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the classify operator counts, against a plain count of the same packets. */
@Timeout(60)
class ClassifyStatisticsTest {
    private static ClassifyOptions options() {
        return new ClassifyOptions(
                EngineOptions.of(Algorithm.of("tuple"))
                        .withBudget(1 << 28)
                        .withGpu(GpuPool.Selection.OFF),
                100,
                60_000_000,
                2,
                8,
                VerdictFormat.BLOCKS,
                VerdictFields.NONE);
    }

    /** Rules of which version v stands at the index v - 1. */
    private static Versions versions(int seed) {
        return new Versions(TestSeed.of(seed)).replace(Shape.FIREWALL, 20);
    }

    /** A random block, whose packets are counted as the last version judges them. */
    private static StreamRecord<Tuple2<Integer, byte[]>> block(
            Random random, Versions versions, PlainCount expected) {
        int count = 1 + random.nextInt(300);
        int last = versions.contents.size() - 1;
        List<int[]> headers = new ArrayList<>();
        int[] lengths = new int[count];
        long[] packets = new long[count];
        long[] times = new long[count];
        for (int i = 0; i < count; i++) {
            headers.add(versions.header(last));
            lengths[i] = 60 + random.nextInt(1400);
            packets[i] = i + 1;
            times[i] = random.nextInt(1_000_000);
            long rule = versions.judge(last, headers.get(i));
            expected.packet(
                    "h1", rule < 0 ? null : Long.valueOf(rule), times[i], lengths[i], last + 1, 0);
        }
        PacketBlock block =
                Packets.block(
                        3,
                        8,
                        packets,
                        headers,
                        Column.ofLongs(Column.TIME_NS, times, 0, count),
                        Column.ofWords(Column.FRAME_LENGTH, lengths, 0, count));
        return new StreamRecord<>(Tuple2.of(3, block.encode()));
    }

    private static void takeHits(OperatorHarness task, PlainCount counted) {
        var hits = task.getSideOutput(ClassifyOperator.HITS);
        if (hits != null) {
            for (StreamRecord<GroupedHits> record : hits) {
                counted.add(record.getValue());
            }
            hits.clear();
        }
    }

    private static OperatorHarness start(
            OperatorSubtaskState state, Versions versions, StatisticsOptions statistics)
            throws Exception {
        RuleSource bootstrap = GivenTopic.of(versions.messages.get(0));
        return OperatorHarness.create(options(), bootstrap, statistics, state, 1, 0);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3})
    void everyPacketBeforeABarrierIsCountedOnceUnderItsVersion(int seed) throws Exception {
        Random random = TestSeed.random(seed);
        PlainCount expected = new PlainCount();
        PlainCount counted = new PlainCount();
        OperatorSubtaskState state = null;
        Versions versions = versions(seed);
        for (int attempt = 1; attempt <= 4; attempt++) {
            try (OperatorHarness task = start(state, versions, StatisticsOptions.TOTALS)) {
                for (int checkpoint = 1; checkpoint <= 3; checkpoint++) {
                    for (int step = random.nextInt(12); step > 0; step--) {
                        if (random.nextInt(4) == 0) {
                            versions.change(Shape.FIREWALL, random.nextInt(4), random.nextInt(4));
                            int last = versions.contents.size() - 1;
                            for (byte[] message : versions.messages.get(last)) {
                                task.processElement2(new StreamRecord<>(message));
                            }
                            task.awaitVersion(last + 1);
                        }
                        task.processElement1(block(random, versions, expected));
                    }
                    task.drain(checkpoint);
                    takeHits(task, counted);
                    assertEquals(expected.sums, counted.sums);
                    state = task.snapshot(checkpoint, checkpoint);
                }
                // What comes after the last barrier is lost with the task, and comes again.
                task.processElement1(block(random, versions, new PlainCount()));
            }
        }
        assertTrue(expected.sums.size() > 6, expected.sums.toString());
    }

    @Test
    void theEndOfInputHandsOutWhatWasCounted() throws Exception {
        PlainCount expected = new PlainCount();
        PlainCount counted = new PlainCount();
        Versions versions = versions(9);
        try (OperatorHarness task = start(null, versions, StatisticsOptions.TOTALS)) {
            task.processElement1(block(TestSeed.random(9), versions, expected));
            task.getOperator().finish();
            takeHits(task, counted);
        }
        assertEquals(expected.sums, counted.sums);
    }

    @Test
    void nothingIsCountedWhereStatisticsAreOff() throws Exception {
        PlainCount counted = new PlainCount();
        Versions versions = versions(9);
        try (OperatorHarness task = start(null, versions, StatisticsOptions.OFF)) {
            task.processElement1(block(TestSeed.random(9), versions, new PlainCount()));
            task.drain(1);
            takeHits(task, counted);
        }
        assertTrue(counted.sums.isEmpty(), counted.sums.toString());
    }
}
