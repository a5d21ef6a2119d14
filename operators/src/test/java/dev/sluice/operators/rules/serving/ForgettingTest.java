package dev.sluice.operators.rules.serving;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.sluice.engine.Engine;
import dev.sluice.engine.EngineOptions;
import dev.sluice.engine.gpu.GpuPool;
import dev.sluice.engine.lookup.Algorithm;
import dev.sluice.engine.testing.RandomRules.Shape;
import dev.sluice.operators.rules.history.HistoryFollower;
import dev.sluice.operators.rules.history.RecordedHistory;
import dev.sluice.operators.rules.history.Timeline;
import dev.sluice.schemas.testing.TestSeed;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Which versions of a long history are forgotten. */
final class ForgettingTest {
    private static final long REACH = Forgetting.LEAST_REACH_NS;
    private static final EngineOptions ENGINE =
            EngineOptions.of(Algorithm.of("tuple"))
                    .withBudget(1 << 28)
                    .withGpu(GpuPool.Selection.OFF);

    private final Deque<Runnable> builds = new ArrayDeque<>();
    private final RecordedHistory history = new RecordedHistory();
    private final HistoryFollower follower =
            new HistoryFollower(
                    "test",
                    history,
                    0,
                    new HistoryFollower.Listener() {
                        @Override
                        public void timelineChanged() {
                            // no task is told
                        }

                        @Override
                        public void passedOver(int from, int end) {
                            engines.passOver(from, end);
                        }
                    });
    private final VersionEngines engines =
            new VersionEngines(
                    () -> Engine.open(ENGINE, 0),
                    history,
                    1,
                    builds::add,
                    (index, reason) -> {
                        throw new AssertionError("version " + index + " is refused", reason);
                    });

    /** Four snapshots, in force from 0, 10, 20, 30 on; the third was in use. */
    @BeforeEach
    void versions() {
        Versions versions = new Versions(TestSeed.of(1));
        for (int i = 0; i < 4; i++) {
            versions.replace(Shape.FIREWALL, 3);
        }
        take(versions);
        use(2);
    }

    @AfterEach
    void close() {
        engines.close();
    }

    private void take(Versions versions) {
        versions.messages.forEach(
                version -> version.forEach(message -> follower.message(message, 0, 1)));
    }

    private void use(int index) {
        VersionEngines.Found served = engines.acquire(index, () -> {});
        while (served == null) {
            builds.remove().run();
            served = engines.acquire(index, () -> {});
        }
        served.version().close();
    }

    /** Versions that are kept with subtasks at these times. */
    private int kept(long latenessNs, long longBytes, long... oldest) {
        new Forgetting(history, follower, engines, latenessNs, longBytes)
                .forget(() -> LongStream.of(oldest).min().orElse(Long.MAX_VALUE));
        builds.forEach(Runnable::run);
        builds.clear();
        return history.kept();
    }

    @Test
    void whatIsBehindTheReachOfEverySubtaskIsForgotten() {
        assertEquals(4, kept(0, history.bytes(), REACH + 25), "the history is short");
        assertEquals(4, kept(0, 0, REACH + 19, REACH + 25), "the second is needed, and not served");
        assertEquals(2, kept(0, 0, REACH + 25, Long.MAX_VALUE));
        assertEquals(Timeline.HISTORY_DELETED, follower.timeline().placeAt(19));
        assertEquals(2, kept(0, 0, REACH + 35), "the last was never in use");
    }

    @Test
    void nothingIsForgottenBeforeEverySubtaskKnowsItsOldest() {
        assertEquals(4, kept(0, 0, REACH + 25, Long.MIN_VALUE));
        assertEquals(4, kept(0, 0));
    }

    @Test
    void aLongerLatenessReachesFurther() {
        assertEquals(4, kept(2 * REACH, 0, REACH + 25));
        assertEquals(2, kept(2 * REACH, 0, 2 * REACH + 25));
    }

    @Test
    void aSnapshotThatAnotherHistoryTookTheTimesOfIsNotFallenBackTo() {
        Versions anew = new Versions(TestSeed.of(2)).anew(Shape.FIREWALL, 2); // from 0 on
        anew.messages.get(0).forEach(message -> follower.message(message, 0, 1));
        assertEquals(5, kept(0, 0, REACH + 25));
    }
}
