package dev.sluice.operators.classify;

import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import dev.sluice.engine.testing.RandomRules.Shape;
import dev.sluice.operators.classify.OperatorHarness.Attempt;
import dev.sluice.operators.rules.serving.Versions;
import dev.sluice.operators.statistics.StatisticsOptions;
import dev.sluice.schemas.codec.PacketBlock;
import dev.sluice.schemas.codec.RuleChange;
import dev.sluice.schemas.testing.TestSeed;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A live job in event time lives through a random story: versions and heartbeats, packets before
 * and after the rules of their time, checkpoints, failures, rescalings. What the checkpoints have
 * made visible is compared with a reference that knows the whole history.
 */
@Timeout(300)
class RandomLiveHistoryTest {
    private static final int BLOCKS = 150;

    private final LiveTopic topic = new LiveTopic();
    private final EventOutcome visible = new EventOutcome();
    private final List<OperatorHarness> tasks = new ArrayList<>();
    private final List<String> story = new ArrayList<>();
    private Attempt attempt = Attempt.first();
    private Random random;
    private Versions versions = new Versions(0);

    /** Versions that are published. */
    private int published;

    /** Blocks that the tasks have got. */
    private int next;

    /** The last checkpoint; null before the first. */
    private OperatorSubtaskState state;

    private int stateTasks;
    private int stateNext;
    private long checkpoint;

    /** Messages that waited at checkpoints and at restarts, in all stories of this run. */
    private static int checkpointedWaiting;

    private static int restoredWaiting;

    @AfterAll
    static void theStoriesHeldWhatTheyAreAbout() {
        assertTrue(checkpointedWaiting > 100, "few packets waited at checkpoints");
        assertTrue(restoredWaiting > 10, "few packets waited at restarts");
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5, 6})
    void everyPacketIsJudgedAtItsTimeWhateverHappens(int number) throws Exception {
        random = TestSeed.random(number);
        versions = new Versions(TestSeed.of(number)).replace(Shape.FIREWALL, 20);
        for (int i = 0; i < 40; i++) {
            switch (versions.below(10)) {
                case 0 -> versions.replace(Shape.FIREWALL, 1 + versions.below(30));
                case 1 -> versions.again();
                default -> versions.change(Shape.FIREWALL, versions.below(3), versions.below(3));
            }
        }
        EventTraffic traffic = new EventTraffic(versions, false, random, BLOCKS);
        try {
            live(traffic);
            visible.check(traffic);
        } catch (Exception | AssertionError e) {
            fail(
                    "seed %d of test %d; the story:%n%s"
                            .formatted(TestSeed.of(number), number, String.join("\n", story)),
                    e);
        } finally {
            for (OperatorHarness task : tasks) {
                task.close();
            }
        }
    }

    private void live(EventTraffic traffic) throws Exception {
        start(1 + random.nextInt(3));
        while (next < BLOCKS || published < versions.messages.size()) {
            int dice = random.nextInt(100);
            if (dice < 55) {
                offer(traffic);
            } else if (dice < 72) {
                publish();
            } else if (dice < 80) {
                heartbeat(random.nextInt((int) Versions.STEP_NS));
            } else if (dice < 92) {
                checkpoint();
            } else if (dice < 95) {
                stop();
                start(1 + random.nextInt(4));
            } else {
                topic.awaitFollowers();
            }
            for (OperatorHarness task : tasks) {
                task.runMails();
            }
        }
        heartbeat(1_000_000);
        topic.awaitFollowers();
        for (OperatorHarness task : tasks) {
            task.awaitRules();
        }
        checkpoint();
    }

    private void start(int parallelism) throws Exception {
        attempt = attempt.next();
        next = stateNext;
        for (int i = 0; i < parallelism; i++) {
            OperatorSubtaskState part =
                    state == null
                            ? null
                            : OperatorHarness.repartition(state, stateTasks, parallelism, i);
            tasks.add(
                    OperatorHarness.create(
                            LiveEventTimeTest.options(Duration.ZERO),
                            topic,
                            StatisticsOptions.TOTALS,
                            part,
                            random.nextBoolean() ? attempt : attempt.elsewhere(),
                            parallelism,
                            i));
            restoredWaiting += tasks.get(i).waiting();
        }
        story.add("start of %d tasks at block %d".formatted(parallelism, next));
    }

    private void stop() throws Exception {
        story.add("failure");
        for (OperatorHarness task : tasks) {
            task.close();
        }
        tasks.clear();
    }

    private void offer(EventTraffic traffic) throws Exception {
        if (next == BLOCKS) {
            return;
        }
        PacketBlock block = traffic.blocks.get(next++);
        tasks.get(OperatorHarness.subtaskOf(block.shard(), tasks.size()))
                .offer(new StreamRecord<>(Tuple2.of(block.shard(), block.encode())));
    }

    private void publish() {
        if (published < versions.messages.size()) {
            topic.publish(versions.messages.get(published++));
            story.add("version " + published);
        }
    }

    /** Up to some time before the next version's. */
    private void heartbeat(long behindNewest) {
        if (published > 0) {
            long until = Versions.STEP_NS * (published - 1) + behindNewest;
            topic.publish(List.of(RuleChange.heartbeat("h1", published, until).encode()));
            story.add("heartbeat up to " + until);
        }
    }

    private void checkpoint() throws Exception {
        checkpoint++;
        int waiting = 0;
        visible.statuses.clear(); // the tasks have counted those before, too
        OperatorSubtaskState[] parts = new OperatorSubtaskState[tasks.size()];
        for (int i = 0; i < parts.length; i++) {
            tasks.get(i).drain(checkpoint);
            parts[i] = tasks.get(i).snapshot(checkpoint, checkpoint);
            visible.take(tasks.get(i));
            waiting += tasks.get(i).waiting();
        }
        state = OperatorHarness.merge(parts);
        stateTasks = parts.length;
        stateNext = next;
        checkpointedWaiting += waiting;
        story.add("checkpoint %d: block %d, %d wait".formatted(checkpoint, next, waiting));
    }
}
