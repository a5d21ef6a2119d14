package dev.sluice.operators.classify;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.engine.testing.RandomRules.Shape;
import dev.sluice.operators.classify.ClassifyOptions.VerdictFormat;
import dev.sluice.operators.classify.OperatorHarness.Attempt;
import dev.sluice.operators.rules.serving.GivenTopic;
import dev.sluice.operators.rules.serving.Versions;
import dev.sluice.operators.rules.topic.RuleSource;
import dev.sluice.operators.statistics.StatisticsOptions;
import dev.sluice.schemas.codec.Column;
import dev.sluice.schemas.codec.PacketBlock;
import dev.sluice.schemas.codec.RuleChange;
import dev.sluice.schemas.codec.VerdictBlock;
import dev.sluice.schemas.testing.TestSeed;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A live job in event time: packets wait while the rules of their time are not known. */
@Timeout(120)
class LiveEventTimeTest {
    /** Versions 1 to 4, in force from 0, 10, 20, 30 on. */
    private final Versions versions =
            new Versions(TestSeed.of(1))
                    .replace(Shape.FIREWALL, 10)
                    .change(Shape.FIREWALL, 1, 1)
                    .change(Shape.FIREWALL, 1, 1)
                    .change(Shape.FIREWALL, 1, 1);

    private final LiveTopic topic = new LiveTopic();
    private final EventOutcome outcome = new EventOutcome();
    private long packets;

    static ClassifyOptions options(Duration idle) {
        return ClassifyOperatorTest.options(50, 60_000_000, VerdictFormat.BLOCKS)
                .with(
                        RulesTime.live(Duration.ofNanos(EventTraffic.LATENESS), idle),
                        ClassifyOptions.WAITING_BYTES);
    }

    private OperatorHarness task(ClassifyOptions options, OperatorSubtaskState state)
            throws Exception {
        return OperatorHarness.create(
                options, topic, StatisticsOptions.OFF, state, Attempt.first(), 1, 0);
    }

    private void publish(int version) {
        topic.publish(versions.messages.get(version - 1));
    }

    private void heartbeat(long untilNs) {
        topic.publish(List.of(RuleChange.heartbeat("h1", 1, untilNs).encode()));
    }

    /** A block of packets of these times. */
    private StreamRecord<Tuple2<Integer, byte[]>> block(int shard, long... times) {
        long[] numbers = new long[times.length];
        List<int[]> headers = new ArrayList<>();
        for (int i = 0; i < times.length; i++) {
            numbers[i] = ++packets;
            headers.add(versions.header(0));
        }
        Column at = Column.ofLongs(Column.TIME_NS, times, 0, times.length);
        PacketBlock block = Packets.block(shard, EventTraffic.SHARDS, numbers, headers, at);
        return new StreamRecord<>(Tuple2.of(shard, block.encode()));
    }

    /** The task has heard all that was published. */
    private void settle(OperatorHarness task) throws Exception {
        topic.awaitFollowers();
        task.runMails();
    }

    /** Packets that were judged so far, with their versions, as {@code packet:version}. */
    private List<String> judged(OperatorHarness task) throws Exception {
        task.drain(1);
        task.snapshot(1, 1);
        outcome.byShard.clear();
        outcome.take(task);
        List<String> all = new ArrayList<>();
        for (List<byte[]> messages : outcome.byShard.values()) {
            for (byte[] message : messages) {
                VerdictBlock block = VerdictBlock.decode(message);
                for (int i = 0; i < block.count(); i++) {
                    all.add(block.packets().get(i) + ":" + block.versionOf(i));
                }
            }
        }
        return all.stream().sorted().toList();
    }

    @Test
    void aVersionLetsGoWhatIsOlderAndAHeartbeatUpToItsTime() throws Exception {
        publish(1);
        try (OperatorHarness task = task(options(Duration.ZERO), null)) {
            task.offer(block(0, -1, -1));
            assertEquals(0, task.waiting(), "it is known what is in force before the version");
            task.offer(block(0, 0, 9));
            task.offer(block(0, 9, 10));
            task.offer(block(0, 12));
            assertEquals(List.of("1:0", "2:0"), judged(task));
            heartbeat(8);
            settle(task);
            assertEquals(3, task.waiting(), "a packet of time 9 was judged at 8");
            heartbeat(9);
            settle(task);
            assertEquals(List.of("3:1", "4:1"), judged(task));
            publish(2); // from 10 on
            settle(task);
            assertEquals(2, task.waiting(), "another version might be in force from 10 on, too");
            publish(3);
            settle(task);
            assertEquals(0, task.waiting());
            assertEquals(List.of("5:1", "6:2", "7:2"), judged(task));
        }
    }

    @Test
    void packetsWaitBehindThoseOfTheirShardAlone() throws Exception {
        publish(1);
        publish(2);
        try (OperatorHarness task = task(options(Duration.ZERO), null)) {
            task.offer(block(3, 1, 25));
            task.offer(block(3, 2));
            task.offer(block(5, 3));
            assertEquals(2, task.waiting());
            assertEquals(List.of("4:1"), judged(task));
            publish(3);
            publish(4);
            settle(task);
            assertEquals(List.of("1:1", "2:3", "3:1"), judged(task));
        }
    }

    @Test
    void packetsWithoutATimeWaitForNobody() throws Exception {
        publish(1);
        try (OperatorHarness task = task(options(Duration.ZERO), null)) {
            task.offer(block(0, Long.MIN_VALUE));
            assertEquals(0, task.waiting());
            assertEquals(List.of("1:0"), judged(task));
        }
    }

    @Test
    void packetsWaitForTheFirstVersionHoweverSilentTheTopicIs() throws Exception {
        try (OperatorHarness task = task(options(Duration.ofSeconds(1)), null)) {
            task.offer(block(0, Long.MIN_VALUE, -5));
            topic.fallSilent();
            settle(task);
            assertEquals(1, task.waiting());
            publish(1);
            settle(task);
            assertEquals(List.of("1:0", "2:0"), judged(task));
        }
    }

    @Test
    void aSilentTopicHoldsNobodyBackUntilItSpeaksAgain() throws Exception {
        publish(1);
        try (OperatorHarness task = task(options(Duration.ofSeconds(1)), null)) {
            task.offer(block(0, 15));
            assertEquals(1, task.waiting());
            topic.fallSilent();
            settle(task);
            assertEquals(List.of("1:1"), judged(task));
            task.offer(block(0, 16));
            assertEquals(0, task.waiting());
            publish(2);
            settle(task);
            task.offer(block(0, 17));
            assertEquals(1, task.waiting(), "the topic speaks again");
            heartbeat(17);
            settle(task);
            assertEquals(List.of("2:1", "3:2"), judged(task));
        }
    }

    @Test
    void silenceIsNotLongEnoughWhereNoneIs() throws Exception {
        publish(1);
        try (OperatorHarness task = task(options(Duration.ZERO), null)) {
            task.offer(block(0, 15));
            topic.fallSilent();
            settle(task);
            assertEquals(1, task.waiting());
        }
    }

    @Test
    void theEndWaitsUntilAllHaveGoneOn() throws Exception {
        publish(1);
        try (OperatorHarness task = task(options(Duration.ZERO), null)) {
            task.offer(block(0, 15));
            task.offer(block(1, 16));
            task.mail(() -> heartbeat(15));
            task.mail(() -> heartbeat(16));
            task.getOperator().finish();
            assertEquals(0, task.waiting());
        }
    }

    @Test
    void tooManyBytesThatWaitHoldTheInputBack() throws Exception {
        publish(1);
        StreamRecord<Tuple2<Integer, byte[]>> first = block(0, 15);
        StreamRecord<Tuple2<Integer, byte[]>> second = block(0, 16);
        long bytes = first.getValue().f1.length;
        long both = bytes + second.getValue().f1.length;
        ClassifyOptions live = options(Duration.ZERO);
        ClassifyOptions options = live.with(live.rulesTime(), both - 1);
        try (OperatorHarness task = task(options, null)) {
            task.offer(first);
            assertEquals(1, task.waiting());
            assertEquals(bytes, task.waitingBytes());
            boolean[] held = new boolean[1];
            task.mail( // runs when the input is held back, and not before
                    () -> {
                        held[0] = true;
                        heartbeat(16);
                    });
            task.offer(second);
            assertTrue(held[0]);
            assertEquals(0, task.waiting());
            assertEquals(List.of("1:1", "2:1"), judged(task));
        }
    }

    @Test
    void whatWaitsSurvivesACheckpointAndOtherParallelism() throws Exception {
        publish(1);
        OperatorSubtaskState state;
        try (OperatorHarness task = task(options(Duration.ZERO), null)) {
            for (int shard = 0; shard < EventTraffic.SHARDS; shard++) {
                task.offer(block(shard, 5, 15));
                task.offer(block(shard, Long.MIN_VALUE)); // has the time 15
            }
            task.drain(1);
            state = task.snapshot(1, 1);
            outcome.take(task);
            assertTrue(outcome.byShard.isEmpty());
        }
        Attempt attempt = Attempt.first();
        List<OperatorHarness> tasks = new ArrayList<>();
        int waiting = 0;
        for (int subtask = 0; subtask < 3; subtask++) {
            OperatorSubtaskState part = OperatorHarness.repartition(state, 1, 3, subtask);
            tasks.add(
                    OperatorHarness.create(
                            options(Duration.ZERO),
                            topic,
                            StatisticsOptions.OFF,
                            part,
                            attempt,
                            3,
                            subtask));
            waiting += tasks.get(subtask).waiting();
        }
        assertEquals(2 * EventTraffic.SHARDS, waiting);
        publish(2);
        publish(3);
        List<String> all = new ArrayList<>();
        for (OperatorHarness task : tasks) {
            settle(task);
            all.addAll(judged(task));
            task.close();
        }
        assertEquals(3 * EventTraffic.SHARDS, all.size());
        for (String one : all) {
            int packet = Integer.parseInt(one.substring(0, one.indexOf(':')));
            assertTrue(one.endsWith(packet % 3 == 1 ? ":1" : ":2"), one);
        }
    }

    @Test
    void whatIsMalformedBehindACheckpointIsReportedOnce() throws Exception {
        publish(1);
        OperatorSubtaskState state;
        try (OperatorHarness task = task(options(Duration.ZERO), null)) {
            publish(3); // without version 2
            settle(task);
            task.drain(1);
            outcome.take(task);
            assertEquals(1, outcome.letters.size());
            state = task.snapshot(1, 1);
        }
        try (OperatorHarness task = task(options(Duration.ZERO), state)) {
            publish(4);
            settle(task);
            task.drain(2);
            outcome.take(task);
            task.drain(3);
            outcome.take(task);
        }
        assertEquals(
                List.of("rules: delta without its base", "rules: delta without its base"),
                outcome.letters.stream().map(letter -> letter.reason()).toList());
    }

    @Test
    void whatIsMalformedInATopicThatIsMadeAnewMeanwhileIsReportedOnce() throws Exception {
        publish(1);
        heartbeat(1);
        OperatorSubtaskState state;
        try (OperatorHarness task = task(options(Duration.ZERO), null)) {
            settle(task);
            task.drain(1);
            task.snapshot(1, 1);
            topic.makeAnew();
            topic.publish(List.of(new byte[] {1}));
            publish(1);
            publish(2);
            settle(task);
            task.drain(2);
            state = task.snapshot(2, 2);
            outcome.take(task);
        }
        assertEquals(1, outcome.letters.size());
        try (OperatorHarness task = task(options(Duration.ZERO), state)) {
            settle(task);
            task.drain(3);
            task.snapshot(3, 3);
            outcome.take(task);
        }
        assertEquals(1, outcome.letters.size(), () -> "letters " + outcome.letters);
    }

    @Test
    void whatIsMalformedInALongerTopicThatWasMadeAnewSinceTheCheckpointIsReported()
            throws Exception {
        publish(1);
        heartbeat(1);
        heartbeat(2);
        OperatorSubtaskState state;
        try (OperatorHarness task = task(options(Duration.ZERO), null)) {
            settle(task);
            task.drain(1);
            state = task.snapshot(1, 1);
        }
        topic.makeAnew();
        publish(2); // without version 1
        publish(1);
        publish(2);
        try (OperatorHarness task = task(options(Duration.ZERO), state)) {
            settle(task);
            task.drain(2);
            outcome.take(task);
            state = task.snapshot(2, 2);
        }
        try (OperatorHarness task = task(options(Duration.ZERO), state)) {
            settle(task);
            task.drain(3);
            outcome.take(task);
        }
        assertEquals(
                List.of("rules: delta without its base"),
                outcome.letters.stream().map(letter -> letter.reason()).toList());
    }

    /** Entries of a list in the operator's state, of all subtasks. */
    private static int entries(OperatorSubtaskState state, String list) {
        return state.getManagedOperatorState().stream()
                .map(handle -> handle.getStateNameToPartitionOffsets().get(list))
                .filter(Objects::nonNull)
                .mapToInt(kept -> kept.getOffsets().length)
                .sum();
    }

    /** Two subtasks in processing time go on from a state and have rules; their next state. */
    private OperatorSubtaskState inProcessingTime(OperatorSubtaskState state, int subtasksBefore)
            throws Exception {
        RuleSource newest =
                GivenTopic.of(versions.messages.stream().flatMap(List::stream).toList());
        Attempt attempt = Attempt.first();
        OperatorSubtaskState[] written = new OperatorSubtaskState[2];
        List<OperatorHarness> tasks = new ArrayList<>();
        for (int subtask = 0; subtask < written.length; subtask++) {
            OperatorSubtaskState part =
                    OperatorHarness.repartition(state, subtasksBefore, written.length, subtask);
            tasks.add(
                    OperatorHarness.create(
                            options(Duration.ZERO)
                                    .with(RulesTime.PROCESSING, ClassifyOptions.WAITING_BYTES),
                            newest,
                            part,
                            attempt,
                            written.length,
                            subtask));
        }
        for (int subtask = 0; subtask < written.length; subtask++) {
            OperatorHarness task = tasks.get(subtask);
            task.awaitVersion(4);
            task.awaitRules();
            task.drain(1);
            written[subtask] = task.snapshot(1, 1);
            outcome.take(task);
        }
        for (OperatorHarness task : tasks) {
            task.close();
        }
        return OperatorHarness.merge(written);
    }

    @Test
    void aJobGoesOnInProcessingTimeAndBackWithWhatWaitsAndWithoutTheOldHistory() throws Exception {
        publish(1);
        OperatorSubtaskState state;
        try (OperatorHarness task = task(options(Duration.ZERO), null)) {
            task.offer(block(0, 15));
            settle(task);
            task.drain(1);
            state = task.snapshot(1, 1);
            assertEquals(1, entries(state, "rule-history"));
        }
        state = inProcessingTime(state, 1);
        VerdictBlock judged = VerdictBlock.decode(outcome.byShard.get(0).get(0));
        assertEquals(4, judged.versionOf(0), "the newest judges what waited");
        state = inProcessingTime(state, 2);
        assertEquals(0, entries(state, "rule-history"), "each restart would double it");
        assertTrue(entries(state, "rule-log") > 0);
        publish(2);
        publish(3);
        try (OperatorHarness task =
                task(options(Duration.ZERO), OperatorHarness.repartition(state, 2, 1, 0))) {
            task.offer(block(0, 17));
            settle(task);
            assertEquals(List.of("2:2"), judged(task));
            task.drain(2);
            assertEquals(0, entries(task.snapshot(2, 2), "rule-log"));
        }
        assertEquals(List.of(), outcome.letters);
    }
}
