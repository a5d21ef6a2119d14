package dev.sluice.operators.classify;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.engine.EngineOptions;
import dev.sluice.engine.gpu.GpuPool;
import dev.sluice.engine.lookup.Algorithm;
import dev.sluice.engine.rules.Rule;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.engine.testing.RandomRules.Shape;
import dev.sluice.operators.classify.ClassifyOptions.VerdictFormat;
import dev.sluice.operators.rules.serving.GivenTopic;
import dev.sluice.operators.rules.serving.Versions;
import dev.sluice.operators.shadow.ShadowOperator;
import dev.sluice.operators.shadow.ShadowOptions;
import dev.sluice.operators.shadow.ShadowWords;
import dev.sluice.schemas.codec.Column;
import dev.sluice.schemas.codec.PacketBlock;
import dev.sluice.schemas.codec.ShadowCount;
import dev.sluice.schemas.codec.ShadowCount.Decision;
import dev.sluice.schemas.codec.ShadowCount.Kind;
import dev.sluice.schemas.codec.VerdictBlock;
import dev.sluice.schemas.testing.TestSeed;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.util.OneInputStreamOperatorTestHarness;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Counts of a shadow by the classify operator, against a plain count of the same packets. */
@Timeout(60)
class ShadowTest {
    private static final ClassifyOptions OPTIONS =
            new ClassifyOptions(
                    EngineOptions.of(Algorithm.of("tuple"))
                            .withBudget(1 << 28)
                            .withGpu(GpuPool.Selection.OFF),
                    100,
                    60_000_000,
                    2,
                    8,
                    VerdictFormat.BLOCKS,
                    VerdictFields.NONE);

    /** Outcomes are actions, and packets their destination port. */
    private static final class Words implements ShadowWords {
        private static final long serialVersionUID = 1L;

        @Override
        public String outcome(String action) {
            return action;
        }

        @Override
        public String packet(int[] header) {
            return "packet " + Arrays.hashCode(header);
        }
    }

    /** The operator behind: the sums, and the topic that is committed to. */
    private static final class Sums implements AutoCloseable {
        private final OneInputStreamOperatorTestHarness<byte[], Tuple2<byte[], byte[]>> task;

        Sums(OperatorSubtaskState state, int mostPairs) throws Exception {
            task = new OneInputStreamOperatorTestHarness<>(new ShadowOperator(mostPairs));
            task.setup(
                    ShadowOperator.TYPE.createSerializer(
                            task.getExecutionConfig().getSerializerConfig()));
            if (state != null) {
                task.initializeState(state);
            }
            task.open();
        }

        /** Takes what the classify operator hands out before a barrier; returns the state. */
        OperatorSubtaskState checkpoint(
                OperatorHarness classify, long number, Map<String, ShadowCount> topic)
                throws Exception {
            var counts = classify.getSideOutput(ClassifyOperator.SHADOW);
            if (counts != null) {
                for (StreamRecord<byte[]> count : counts) {
                    task.processElement(new StreamRecord<>(count.getValue()));
                }
                counts.clear();
            }
            task.prepareSnapshotPreBarrier(number);
            for (StreamRecord<? extends Tuple2<byte[], byte[]>> record :
                    task.extractOutputStreamRecords()) {
                ShadowCount count = ShadowCount.decode(record.getValue().f1);
                assertEquals(count.key(), new String(record.getValue().f0, StandardCharsets.UTF_8));
                topic.put(count.key(), count);
            }
            task.getOutput().clear();
            return task.snapshot(number, number);
        }

        @Override
        public void close() throws Exception {
            task.close();
        }
    }

    /** Packets, bytes, first and last time of each pair of rules, the simple way. */
    private static final class Plain {
        final Map<String, List<Long>> sums = new TreeMap<>();

        void packet(String pair, long timeNs, long length) {
            sums.merge(
                    pair,
                    List.of(1L, length, timeNs, timeNs),
                    (one, other) ->
                            List.of(
                                    one.get(0) + other.get(0),
                                    one.get(1) + other.get(1),
                                    Math.min(one.get(2), other.get(2)),
                                    Math.max(one.get(3), other.get(3))));
        }

        static Map<String, List<Long>> of(Map<String, ShadowCount> topic) {
            Map<String, List<Long>> sums = new TreeMap<>();
            topic.values()
                    .forEach(
                            count ->
                                    sums.put(
                                            name(count),
                                            List.of(
                                                    count.packets(),
                                                    count.bytes(),
                                                    count.firstNs(),
                                                    count.lastNs())));
            return sums;
        }

        private static String name(ShadowCount count) {
            if (count.kind() != Kind.PAIR) {
                return count.kind().name();
            }
            assertTrue(count.example().startsWith("packet "), count.example());
            return side(Objects.requireNonNull(count.old()))
                    + " > "
                    + side(Objects.requireNonNull(count.fresh()));
        }

        private static String side(Decision decision) {
            Long rule = decision.ruleId();
            return side(rule == null ? -1 : rule, decision.action());
        }

        static String side(long rule, String action) {
            return (rule < 0 ? "none" : "rule " + rule) + " " + action;
        }
    }

    private static String action(RuleSet rules, long rule) {
        for (Rule one : rules.rules()) {
            if (one.id() == rule) {
                return one.action();
            }
        }
        return rules.defaultAction();
    }

    private static Versions versions(long seed) {
        return new Versions(TestSeed.of(seed)).replace(Shape.FIREWALL, 20);
    }

    /**
     * A random block, counted as the last versions judge it.
     *
     * @param shadow whose last version judges; null: the shadow has none
     * @param rules takes the rule of each packet
     */
    private static StreamRecord<Tuple2<Integer, byte[]>> block(
            Random random, Versions versions, Versions shadow, Plain expected, List<Long> rules) {
        int count = 1 + random.nextInt(300);
        int last = versions.contents.size() - 1;
        List<int[]> headers = new ArrayList<>();
        int[] lengths = new int[count];
        long[] packets = new long[count];
        long[] times = new long[count];
        for (int i = 0; i < count; i++) {
            int[] header = versions.header(last);
            headers.add(header);
            lengths[i] = 60 + random.nextInt(1400);
            packets[i] = i + 1;
            times[i] = random.nextInt(1_000_000);
            long was = versions.judge(last, header);
            rules.add(was);
            String name = Kind.NOT_COMPARED.name();
            if (shadow != null) {
                int newest = shadow.contents.size() - 1;
                long is = shadow.judge(newest, header);
                String before = action(versions.contents.get(last), was);
                String after = action(shadow.contents.get(newest), is);
                name =
                        before.equals(after)
                                ? Kind.SAME.name()
                                : Plain.side(was, before) + " > " + Plain.side(is, after);
            }
            expected.packet(name, times[i], lengths[i]);
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

    private static List<Long> verdicts(OperatorHarness task) throws Exception {
        List<Long> rules = new ArrayList<>();
        for (VerdictBlock block : task.blocks()) {
            for (int i = 0; i < block.count(); i++) {
                int index = (int) block.ruleIndexes().get(i);
                rules.add(index == 0 ? -1 : block.rules()[index - 1]);
            }
        }
        return rules;
    }

    private static OperatorHarness start(
            Versions versions, GivenTopic shadow, OperatorSubtaskState state) throws Exception {
        return OperatorHarness.create(
                OPTIONS,
                GivenTopic.of(versions.messages.get(0)),
                new ShadowOptions(shadow, new Words()),
                state);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3})
    void everyPacketBeforeABarrierIsInOneCount(int seed) throws Exception {
        Random random = TestSeed.random(seed);
        Plain expected = new Plain();
        Map<String, ShadowCount> topic = new HashMap<>();
        OperatorSubtaskState state = null;
        OperatorSubtaskState sums = null;
        Versions versions = versions(seed);
        Versions shadow = versions(seed);
        shadow.change(Shape.FIREWALL, 8, 8);
        List<byte[]> written = new ArrayList<>();
        shadow.messages.forEach(written::addAll);
        for (int attempt = 1; attempt <= 4; attempt++) {
            GivenTopic rules = GivenTopic.of(written);
            try (OperatorHarness task = start(versions, rules, state);
                    Sums behind = new Sums(sums, 10_000)) {
                List<Long> judged = new ArrayList<>();
                for (int checkpoint = 1; checkpoint <= 3; checkpoint++) {
                    for (int step = random.nextInt(12); step > 0; step--) {
                        if (random.nextInt(4) == 0) {
                            if (random.nextInt(3) == 0) {
                                versions.replace(Shape.FIREWALL, 20); // verdicts are renumbered
                            } else {
                                versions.change(
                                        Shape.FIREWALL, random.nextInt(4), random.nextInt(4));
                            }
                            int last = versions.contents.size() - 1;
                            for (byte[] message : versions.messages.get(last)) {
                                task.processElement2(new StreamRecord<>(message));
                            }
                            task.awaitVersion(last + 1);
                        }
                        if (random.nextInt(4) == 0) {
                            // A batch that is filling stays with the version that it began with.
                            task.drain(0);
                            shadow.change(Shape.FIREWALL, random.nextInt(4), random.nextInt(4));
                            int last = shadow.contents.size() - 1;
                            written.addAll(shadow.messages.get(last));
                            rules.give(shadow.messages.get(last));
                            task.awaitShadow(last + 1);
                        }
                        task.processElement1(block(random, versions, shadow, expected, judged));
                    }
                    task.drain(checkpoint);
                    sums = behind.checkpoint(task, checkpoint, topic);
                    assertEquals(expected.sums, Plain.of(topic));
                    state = task.snapshot(checkpoint, checkpoint);
                }
                assertEquals(judged, verdicts(task));
                // What comes after the last barrier is lost with the task, and comes again.
                task.processElement1(
                        block(random, versions, shadow, new Plain(), new ArrayList<>()));
            }
        }
        assertTrue(expected.sums.size() > 6, expected.sums.toString());
    }

    @Test
    void packetsWaitUntilTheShadowHasItsFirstVersion() throws Exception {
        Plain expected = new Plain();
        Map<String, ShadowCount> topic = new HashMap<>();
        Versions versions = versions(5);
        Versions shadow = versions(6);
        GivenTopic late = new GivenTopic();
        try (OperatorHarness task = start(versions, late, null);
                Sums behind = new Sums(null, 10_000)) {
            task.awaitVersion(1);
            task.offer(block(TestSeed.random(5), versions, shadow, expected, new ArrayList<>()));
            task.runMails();
            assertEquals(1, task.waiting());
            late.give(shadow.messages.get(0)).start();
            task.awaitRules();
            task.drain(1);
            behind.checkpoint(task, 1, topic);
        }
        assertEquals(expected.sums, Plain.of(topic));
    }

    @Test
    void withoutRulesOfTheShadowPacketsAreJudgedAndNotCompared() throws Exception {
        Plain expected = new Plain();
        Map<String, ShadowCount> topic = new HashMap<>();
        List<Long> judged = new ArrayList<>();
        Versions versions = versions(7);
        try (OperatorHarness task = start(versions, GivenTopic.of(List.of()), null);
                Sums behind = new Sums(null, 10_000)) {
            task.processElement1(block(TestSeed.random(7), versions, null, expected, judged));
            task.getOperator().finish();
            behind.checkpoint(task, 1, topic);
            assertEquals(judged, verdicts(task));
        }
        assertEquals(expected.sums, Plain.of(topic));
    }

    @Test
    void pairsBeyondTheirNumberAreOneSumAndTheOthersStayExact() throws Exception {
        Random random = TestSeed.random(11);
        Plain expected = new Plain();
        Map<String, ShadowCount> topic = new HashMap<>();
        Versions versions = versions(11);
        Versions shadow = versions(12);
        OperatorSubtaskState sums = null;
        GivenTopic rules = GivenTopic.of(shadow.messages.get(0));
        try (OperatorHarness task = start(versions, rules, null)) {
            for (int checkpoint = 1; checkpoint <= 5; checkpoint++) {
                try (Sums behind = new Sums(sums, 3)) {
                    task.processElement1(
                            block(random, versions, shadow, expected, new ArrayList<>()));
                    task.drain(checkpoint);
                    sums = behind.checkpoint(task, checkpoint, topic);
                }
            }
        }
        Map<String, List<Long>> told = Plain.of(topic);
        List<Long> others = told.remove(Kind.OTHERS.name());
        assertEquals(3, told.keySet().stream().filter(name -> name.contains(">")).count());
        told.forEach((name, sum) -> assertEquals(expected.sums.remove(name), sum, name));
        assertEquals(
                expected.sums.values().stream().mapToLong(sum -> sum.get(0)).sum(), others.get(0));
        assertEquals(
                expected.sums.values().stream().mapToLong(sum -> sum.get(1)).sum(), others.get(1));
    }
}
