package dev.sluice.operators.statistics;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.schemas.codec.Column;
import dev.sluice.schemas.codec.RuleStatistics;
import dev.sluice.schemas.testing.TestSeed;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Collectors;
import org.apache.flink.api.java.tuple.Tuple3;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.runtime.state.KeyGroupRangeAssignment;
import org.apache.flink.streaming.api.operators.SimpleOperatorFactory;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.util.KeyedOneInputStreamOperatorTestHarness;
import org.junit.jupiter.api.Test;

class StatisticsOperatorTest {
    private static final int MAX_PARALLELISM = 16;

    /** All subtasks of the operator, and the topic that a checkpoint commits to. */
    private static final class Job implements AutoCloseable {
        private static final class Task
                extends KeyedOneInputStreamOperatorTestHarness<
                        Tuple3<String, Boolean, Long>,
                        GroupedHits,
                        Tuple3<Boolean, byte[], byte[]>> {
            Task(int parallelism, int subtask) throws Exception {
                super(
                        SimpleOperatorFactory.of(new StatisticsOperator()),
                        StatisticsOperator.KEY,
                        StatisticsOperator.KEY_TYPE,
                        MAX_PARALLELISM,
                        parallelism,
                        subtask);
            }

            static OperatorSubtaskState merge(OperatorSubtaskState[] states) throws Exception {
                return repackageState(states);
            }

            static OperatorSubtaskState part(
                    OperatorSubtaskState state, int before, int parallelism, int subtask) {
                return repartitionOperatorState(
                        state, MAX_PARALLELISM, before, parallelism, subtask);
            }
        }

        private final Task[] tasks;

        /** Groups of those who send hits. */
        private HitGroups counted = new HitGroups(MAX_PARALLELISM);

        Job(int parallelism, OperatorSubtaskState state, int before) throws Exception {
            tasks = new Task[parallelism];
            for (int t = 0; t < parallelism; t++) {
                tasks[t] = new Task(parallelism, t);
                tasks[t].setup(
                        StatisticsOperator.TYPE.createSerializer(
                                tasks[t].getExecutionConfig().getSerializerConfig()));
                if (state != null) {
                    tasks[t].initializeState(Task.part(state, before, parallelism, t));
                }
                tasks[t].open();
            }
        }

        /** Hits of rules or windows that need not differ, as several subtasks would count them. */
        void process(List<RuleStatistics> hits) throws Exception {
            Map<String, List<RuleStatistics>> byHistory =
                    hits.stream().collect(Collectors.groupingBy(RuleStatistics::history));
            List<GroupedHits> groups = new ArrayList<>();
            for (Map.Entry<String, List<RuleStatistics>> history : byHistory.entrySet()) {
                long windowNs = history.getValue().get(0).windowNs();
                RuleHitTable table = new RuleHitTable();
                for (RuleStatistics of : history.getValue()) {
                    assertEquals(windowNs, of.windowNs());
                    PlainCount.add(of, table);
                }
                counted.split(table.take(history.getKey(), windowNs), groups::add);
            }
            for (GroupedHits group : groups) {
                int task =
                        KeyGroupRangeAssignment.assignKeyToParallelOperator(
                                StatisticsOperator.KEY.getKey(group),
                                MAX_PARALLELISM,
                                tasks.length);
                tasks[task].processElement(new StreamRecord<>(group));
            }
        }

        void process(RuleStatistics hits) throws Exception {
            process(List.of(hits));
        }

        /** A checkpoint whose transaction is committed to a topic. */
        OperatorSubtaskState checkpoint(long id, Map<String, RuleStatistics> topic)
                throws Exception {
            OperatorSubtaskState[] states = new OperatorSubtaskState[tasks.length];
            for (int t = 0; t < tasks.length; t++) {
                tasks[t].getOperator().prepareSnapshotPreBarrier(id);
                states[t] = tasks[t].snapshot(id, id);
                for (Tuple3<Boolean, byte[], byte[]> message : tasks[t].extractOutputValues()) {
                    RuleStatistics statistics = RuleStatistics.decode(message.f2);
                    String key = new String(message.f1, StandardCharsets.UTF_8);
                    assertEquals(key, new String(statistics.key(), StandardCharsets.UTF_8));
                    assertEquals(statistics.windowNs() != 0, message.f0);
                    topic.put(key, statistics);
                }
                tasks[t].getOutput().clear();
            }
            return Task.merge(states);
        }

        int emitted() {
            int messages = 0;
            for (Task task : tasks) {
                messages += task.extractOutputValues().size();
            }
            return messages;
        }

        @Override
        public void close() throws Exception {
            for (Task task : tasks) {
                task.close();
            }
        }
    }

    private static RuleStatistics hits(Random random, long windowNs) {
        boolean timed = random.nextInt(9) > 0;
        long first = timed ? random.nextLong(500_000) - 100_000 : Column.NO_TIME;
        long start = windowNs == 0 ? Column.NO_TIME : PlainCount.start(first, windowNs);
        long last = timed ? first + (windowNs == 0 ? 5 : 0) : Column.NO_TIME;
        boolean matched = random.nextInt(8) > 0;
        long version = random.nextInt(40);
        return new RuleStatistics(
                random.nextInt(6) == 0 ? "other" : "h",
                matched ? random.nextInt(12) - 6L : null,
                windowNs,
                start,
                0,
                1 + random.nextInt(9),
                random.nextInt(9000),
                first,
                last,
                version,
                version + random.nextInt(3));
    }

    /** The topic as a reader sums it up: parts of a window together. */
    private static Map<PlainCount.Subject, PlainCount.Sums> summed(
            Map<String, RuleStatistics> topic) {
        Map<PlainCount.Subject, PlainCount.Sums> sums = new HashMap<>();
        for (RuleStatistics s : topic.values()) {
            Long start = s.windowNs() == 0 ? null : Long.valueOf(s.windowStartNs());
            sums.merge(
                    new PlainCount.Subject(s.history(), s.ruleId(), start),
                    new PlainCount.Sums(
                            s.packets(),
                            s.bytes(),
                            s.firstNs(),
                            s.lastNs(),
                            s.fromVersion(),
                            s.toVersion()),
                    PlainCount.Sums::plus);
        }
        return sums;
    }

    @Test
    void nothingIsLostOrDoubledThroughFailuresAndRescaling() throws Exception {
        for (long windowNs : new long[] {0, 1000}) {
            Random random = TestSeed.random(windowNs);
            Map<String, RuleStatistics> topic = new HashMap<>();
            PlainCount expected = new PlainCount();
            OperatorSubtaskState state = null;
            int parallelism = 1;
            int before = 1;
            for (int attempt = 0; attempt < 12; attempt++) {
                try (Job job = new Job(parallelism, state, before)) {
                    before = parallelism;
                    for (int id = 1; id <= 3; id++) {
                        for (int i = random.nextInt(40); i > 0; i--) {
                            List<RuleStatistics> hits = new ArrayList<>();
                            for (int k = 0; k < 10; k++) {
                                hits.add(hits(random, windowNs));
                                expected.add(hits.get(k));
                            }
                            job.process(hits);
                        }
                        state = job.checkpoint(10L * attempt + id, topic);
                        assertEquals(expected.sums, summed(topic));
                    }
                    // What came after the last checkpoint fails with the attempt.
                    for (int i = 0; i < 50; i++) {
                        job.process(hits(random, windowNs));
                    }
                }
                parallelism = 1 + random.nextInt(4);
            }
        }
    }

    /** As where classify has another parallelism, and Flink other key groups for it. */
    @Test
    void hitsMayComeInAMultipleOfTheKeyGroupsAndInNoOtherNumber() throws Exception {
        for (long windowNs : new long[] {0, 1000}) {
            Random random = TestSeed.random(5 + windowNs);
            Map<String, RuleStatistics> topic = new HashMap<>();
            PlainCount expected = new PlainCount();
            try (Job job = new Job(3, null, 3)) {
                for (int groups : new int[] {MAX_PARALLELISM, 4 * MAX_PARALLELISM}) {
                    job.counted = new HitGroups(groups);
                    for (int i = 0; i < 20; i++) {
                        List<RuleStatistics> hits = new ArrayList<>();
                        for (int k = 0; k < 10; k++) {
                            hits.add(hits(random, windowNs));
                            expected.add(hits.get(k));
                        }
                        job.process(hits);
                    }
                }
                job.checkpoint(1, topic);
                assertEquals(expected.sums, summed(topic));
                job.counted = new HitGroups(MAX_PARALLELISM / 2);
                String why =
                        assertThrows(
                                        IllegalStateException.class,
                                        () -> job.process(hits(random, windowNs)))
                                .getMessage();
                assertTrue(why.contains("in 8 key groups and are added up in 16"), why);
            }
        }
    }

    @Test
    void onlyRulesThatWereHitSinceAreEmittedAndTheirSumsAtTheEnd() throws Exception {
        Map<String, RuleStatistics> topic = new HashMap<>();
        try (Job job = new Job(2, null, 2)) {
            Random random = TestSeed.random(3);
            for (int i = 0; i < 100; i++) {
                job.process(hits(random, 0));
            }
            assertEquals(0, job.emitted(), "sums are emitted before barriers only");
            job.checkpoint(1, topic);
            int rules = topic.size();
            assertTrue(rules > 5, topic.toString());
            RuleStatistics one =
                    new RuleStatistics("h", 77L, 0, Column.NO_TIME, 0, 1, 2, 3, 4, 5, 6);
            job.process(one);
            job.process(one);
            for (Job.Task task : job.tasks) {
                task.getOperator().finish();
            }
            assertEquals(1, job.emitted());
            job.checkpoint(2, topic);
            assertEquals(rules + 1, topic.size());
            assertEquals(
                    new RuleStatistics("h", 77L, 0, Column.NO_TIME, 0, 2, 4, 3, 4, 5, 6),
                    topic.get("h/77"));
        }
    }

    @Test
    void aWindowOlderThanTheStateHoldsIsCountedUnderAPartOfItsOwn() throws Exception {
        Map<String, RuleStatistics> topic = new HashMap<>();
        List<OperatorSubtaskState> states = new ArrayList<>();
        try (Job job = new Job(1, null, 1)) {
            for (int w = 0; w <= WindowBook.MOST_WINDOWS + 1; w++) {
                job.process(window(w));
            }
            states.add(job.checkpoint(1, topic));
            job.process(window(0)); // let go
            job.process(window(2)); // still held
            states.add(job.checkpoint(2, topic));
        }
        try (Job job = new Job(1, states.get(1), 1)) {
            job.process(window(0));
            job.process(window(1));
            job.process(window(1));
            job.checkpoint(3, topic);
        }
        assertEquals(1, topic.get("h/5/10/0/0").packets());
        assertEquals(1, topic.get("h/5/10/0/1").packets());
        assertEquals(2, topic.get("h/5/10/20/0").packets());
        PlainCount.Subject first = new PlainCount.Subject("h", 5L, 0L);
        PlainCount.Subject second = new PlainCount.Subject("h", 5L, 10L);
        assertEquals(3, summed(topic).get(first).packets());
        assertEquals(3, summed(topic).get(second).packets());
        assertEquals(WindowBook.MOST_WINDOWS + 7, topic.get("h/5").packets());
    }

    private static RuleStatistics window(long number) {
        long start = 10 * number;
        return new RuleStatistics("h", 5L, 10, start, 0, 1, 60, start + 3, start + 3, 1, 1);
    }
}
