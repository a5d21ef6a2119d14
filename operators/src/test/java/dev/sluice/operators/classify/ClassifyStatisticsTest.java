package dev.sluice.operators.classify;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.engine.EngineOptions;
import dev.sluice.engine.gpu.GpuPool;
import dev.sluice.engine.lookup.Algorithm;
import dev.sluice.engine.rules.Match;
import dev.sluice.engine.rules.Rule;
import dev.sluice.operators.classify.ClassifyOptions.VerdictFormat;
import dev.sluice.operators.rules.RuleSetMessages;
import dev.sluice.operators.rules.RuleTransaction;
import dev.sluice.operators.statistics.PlainCount;
import dev.sluice.operators.statistics.RuleHits;
import dev.sluice.operators.statistics.StatisticsOptions;
import dev.sluice.operators.stream.RuleBootstrap;
import dev.sluice.schemas.codec.Column;
import dev.sluice.schemas.codec.PacketBlock;
import dev.sluice.schemas.codec.RuleChange;
import dev.sluice.schemas.codec.RuleChange.Kind;
import dev.sluice.schemas.header.Field;
import dev.sluice.schemas.header.HeaderWord;
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
    private static final int PORTS = 6;

    private static ClassifyOptions options() {
        return new ClassifyOptions(
                EngineOptions.of(Algorithm.of("tuple"))
                        .withBudget(1 << 28)
                        .withGpu(GpuPool.Selection.OFF),
                100,
                60_000_000,
                2,
                8,
                VerdictFormat.BLOCKS);
    }

    /** Version v: the rule on port p has id 10 p + v / 2, and port v mod PORTS has no rule. */
    private static List<byte[]> version(long version) {
        List<Rule> rules = new ArrayList<>();
        for (int port = 0; port < PORTS; port++) {
            if (port != version % PORTS) {
                Match match = new Match.Builder().field(Field.DST_PORT, port).build();
                rules.add(new Rule(ruleId(version, port), port, match, "to " + port, port + 1));
            }
        }
        RuleChange begin =
                RuleChange.begin("t" + version, version, null, Kind.SNAPSHOT, "set", "drop");
        return RuleSetMessages.snapshot(begin, rules);
    }

    private static long ruleId(long version, int port) {
        return 10L * port + version / 2;
    }

    /** A random block, whose packets are counted as version {@code version} judges them. */
    private static StreamRecord<Tuple2<Integer, byte[]>> block(
            Random random, long version, PlainCount expected) {
        int count = 1 + random.nextInt(300);
        int[] ports = new int[count];
        int[] lengths = new int[count];
        long[] packets = new long[count];
        long[] times = new long[count];
        for (int i = 0; i < count; i++) {
            ports[i] = random.nextInt(PORTS);
            lengths[i] = 60 + random.nextInt(1400);
            packets[i] = i + 1;
            times[i] = random.nextInt(1_000_000);
            expected.packet(
                    "",
                    ports[i] == version % PORTS ? null : Long.valueOf(ruleId(version, ports[i])),
                    times[i],
                    lengths[i],
                    version,
                    0);
        }
        PacketBlock block =
                new PacketBlock(
                        "c",
                        0,
                        3,
                        8,
                        count,
                        List.of(
                                Column.ofWords(HeaderWord.PORTS, ports, 0, count),
                                Column.ofLongs(Column.PACKET, packets, 0, count),
                                Column.ofLongs(Column.TIME_NS, times, 0, count),
                                Column.ofWords(Column.FRAME_LENGTH, lengths, 0, count)));
        return new StreamRecord<>(Tuple2.of(3, block.encode()));
    }

    private static void takeHits(OperatorHarness task, PlainCount counted) {
        var hits = task.getSideOutput(ClassifyOperator.HITS);
        if (hits != null) {
            for (StreamRecord<RuleHits> record : hits) {
                counted.add(record.getValue());
            }
            hits.clear();
        }
    }

    private static OperatorHarness start(OperatorSubtaskState state, StatisticsOptions statistics)
            throws Exception {
        RuleBootstrap bootstrap =
                target -> {
                    for (byte[] message : version(1)) {
                        target.message(message, RuleTransaction.NO_TIME);
                    }
                    target.startReached();
                };
        return OperatorHarness.create(options(), bootstrap, statistics, state, 1, 0);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3})
    void everyPacketBeforeABarrierIsCountedOnceUnderItsVersion(int seed) throws Exception {
        Random random = TestSeed.random(seed);
        PlainCount expected = new PlainCount();
        PlainCount counted = new PlainCount();
        OperatorSubtaskState state = null;
        long version = 1;
        for (int attempt = 1; attempt <= 4; attempt++) {
            try (OperatorHarness task = start(state, StatisticsOptions.TOTALS)) {
                for (int checkpoint = 1; checkpoint <= 3; checkpoint++) {
                    for (int step = random.nextInt(12); step > 0; step--) {
                        if (random.nextInt(4) == 0) {
                            version++;
                            for (byte[] message : version(version)) {
                                task.processElement2(new StreamRecord<>(message));
                            }
                            task.awaitVersion(version);
                        }
                        task.processElement1(block(random, version, expected));
                    }
                    task.drain(checkpoint);
                    takeHits(task, counted);
                    assertEquals(expected.sums, counted.sums);
                    state = task.snapshot(checkpoint, checkpoint);
                }
                // What comes after the last barrier is lost with the task, and comes again.
                task.processElement1(block(random, version, new PlainCount()));
            }
        }
        assertTrue(expected.sums.size() > PORTS, expected.sums.toString());
    }

    @Test
    void theEndOfInputHandsOutWhatWasCounted() throws Exception {
        PlainCount expected = new PlainCount();
        PlainCount counted = new PlainCount();
        try (OperatorHarness task = start(null, StatisticsOptions.TOTALS)) {
            task.processElement1(block(TestSeed.random(9), 1, expected));
            task.getOperator().finish();
            takeHits(task, counted);
        }
        assertEquals(expected.sums, counted.sums);
    }

    @Test
    void nothingIsCountedWhereStatisticsAreOff() throws Exception {
        PlainCount counted = new PlainCount();
        try (OperatorHarness task = start(null, StatisticsOptions.OFF)) {
            task.processElement1(block(TestSeed.random(9), 1, new PlainCount()));
            task.drain(1);
            takeHits(task, counted);
        }
        assertTrue(counted.sums.isEmpty(), counted.sums.toString());
    }
}
