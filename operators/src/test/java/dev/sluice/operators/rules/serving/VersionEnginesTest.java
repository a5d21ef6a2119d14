package dev.sluice.operators.rules.serving;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.engine.Engine;
import dev.sluice.engine.EngineOptions;
import dev.sluice.engine.ServedVersion;
import dev.sluice.engine.gpu.GpuPool;
import dev.sluice.engine.lookup.Algorithm;
import dev.sluice.engine.lookup.VerdictBatch;
import dev.sluice.engine.testing.RandomRules.Shape;
import dev.sluice.engine.testing.SameVerdicts;
import dev.sluice.engine.testing.StoryFile;
import dev.sluice.operators.rules.history.RecordedHistory;
import dev.sluice.operators.rules.history.Timeline;
import dev.sluice.schemas.header.HeaderBatch;
import dev.sluice.schemas.testing.TestSeed;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Versions of a history in any order, against rules that are looked through one by one. */
@Timeout(120)
final class VersionEnginesTest {
    /** Serves any rules. */
    private static final EngineOptions ANY =
            EngineOptions.of(Algorithm.of("tuple"))
                    .withBudget(1 << 28)
                    .withGpu(GpuPool.Selection.OFF);

    /** Serves nothing but routes, as far as it compiles them. */
    private static final EngineOptions ROUTES = ANY.withAlgorithm(Algorithm.of("routes"));

    private final Deque<Runnable> builds = new ArrayDeque<>();
    private final List<Integer> refused = new ArrayList<>();
    private final AtomicInteger opened = new AtomicInteger();

    private VersionEngines engines(RecordedHistory history, EngineOptions options, int most) {
        return new VersionEngines(
                () -> {
                    opened.incrementAndGet();
                    return Engine.open(options, 0);
                },
                history,
                most,
                builds::add,
                (index, reason) -> refused.add(index));
    }

    /** A version, with the builder run where it has to be built. */
    private VersionEngines.Found acquire(VersionEngines engines, int index) {
        while (true) {
            AtomicInteger told = new AtomicInteger();
            VersionEngines.Found served = engines.acquire(index, told::incrementAndGet);
            if (served != null) {
                return served;
            }
            assertEquals(0, told.get());
            builds.remove().run();
            assertEquals(1, told.get(), "nobody says that version " + index + " is built");
        }
    }

    @Test
    void whoAsksForWhatIsForgottenIsToldSo() {
        Versions versions = new Versions(TestSeed.of(7)).replace(Shape.FIREWALL, 5);
        versions.change(Shape.FIREWALL, 1, 1).replace(Shape.FIREWALL, 5);
        RecordedHistory history = versions.recorded();
        try (VersionEngines engines = engines(history, ANY, 1)) {
            AtomicInteger told = new AtomicInteger();
            acquire(engines, 2).version().close();
            assertNull(engines.acquire(1, told::incrementAndGet));
            Runnable build = builds.remove();
            engines.forget(2, () -> history.forget(2));
            builds.remove().run();
            build.run(); // of what is forgotten by now
            assertEquals(1, told.get());
            VersionEngines.Found served = engines.acquire(1, told::incrementAndGet);
            assertEquals(Timeline.HISTORY_DELETED, served.index());
            assertNull(served.version());
            VersionEngines.Found kept = acquire(engines, 2);
            judgesAs(versions, 2, kept.version());
            kept.version().close();
        }
    }

    private static void judgesAs(Versions versions, int index, ServedVersion lookup) {
        HeaderBatch headers = new HeaderBatch(lookup.layout(), 40);
        VerdictBatch verdicts = new VerdictBatch(40);
        List<int[]> asked = new ArrayList<>();
        while (!headers.isFull()) {
            int[] header = versions.header(index);
            asked.add(header);
            headers.add(header);
        }
        lookup.submit(headers, verdicts).await();
        for (int i = 0; i < asked.size(); i++) {
            int verdict = verdicts.rules()[i];
            assertEquals(
                    versions.judge(index, asked.get(i)),
                    verdict == VerdictBatch.MISS ? -1 : lookup.ruleId(verdict),
                    "version " + index);
        }
    }

    private static Versions random(int seed, Shape shape) {
        Versions versions = new Versions(TestSeed.of(seed)).replace(shape, 40);
        for (int i = 0; i < 50; i++) {
            switch (versions.below(12)) {
                case 0 -> versions.replace(shape, 1 + versions.below(60));
                case 1 -> versions.again();
                case 2 -> versions.anew(shape, 1 + versions.below(30));
                default -> versions.change(shape, versions.below(4), versions.below(4));
            }
        }
        return versions;
    }

    @ParameterizedTest
    @CsvSource({"1, 1", "2, 1", "3, 2", "4, 3", "5, 3"})
    void anyVersionIsThereInAnyOrder(int seed, int most) {
        Versions versions = random(seed, Shape.FIREWALL);
        try (VersionEngines engines = engines(versions.recorded(), ANY, most)) {
            List<VersionEngines.Found> held = new ArrayList<>();
            int near = 0;
            for (int i = 0; i < 120; i++) {
                near = versions.below(4) == 0 ? versions.below(51) : Math.min(50, near + 1);
                VersionEngines.Found served = acquire(engines, near);
                assertEquals(near, served.index());
                ServedVersion lookup = served.version();
                assertNotNull(lookup);
                assertEquals(versions.contents.get(near).version(), lookup.version());
                judgesAs(versions, near, lookup);
                held.add(served);
                if (held.size() > 20) { // a version that is held stays what it is
                    VersionEngines.Found one = held.remove(versions.below(held.size()));
                    judgesAs(versions, one.index(), one.version());
                    one.version().close();
                }
            }
            held.forEach(one -> one.version().close());
            assertTrue(opened.get() <= most, opened.get() + " engines");
        }
        assertEquals(List.of(), refused);
    }

    @Tag("story")
    @ParameterizedTest
    @MethodSource("dev.sluice.engine.testing.StoryFile#kept")
    void keptStoriesAreJudgedByTheirVersions(Path file) throws Exception {
        SameVerdicts.assertServed(StoryFile.read(file), VersionsSubject.INSTANCE);
    }

    /** What serves in the place of each version, if they are asked for in an order. */
    private List<Integer> servedInOrder(RecordedHistory history, List<Integer> order, int most) {
        refused.clear();
        Integer[] served = new Integer[history.size()];
        try (VersionEngines engines = engines(history, ROUTES, most)) {
            for (int index : order) {
                VersionEngines.Found version = acquire(engines, index);
                served[index] = version.index();
                if (version.version() != null) {
                    version.version().close();
                }
            }
        }
        Set<Integer> once = new HashSet<>(refused);
        assertEquals(refused.size(), once.size(), "a version was refused twice");
        return List.of(served);
    }

    /**
     * Routes, in between firewall rules that cannot be served, and routes to another kind of
     * address that come by small changes.
     */
    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void whatIsRefusedDependsOnTheHistoryAlone(int seed) {
        Versions versions = new Versions(TestSeed.of(seed)).replace(Shape.FIREWALL, 10);
        versions.change(Shape.FIREWALL, 1, 0).change(Shape.IPV6_ROUTES, 2, 2);
        versions.replace(Shape.IPV6_ROUTES, 40);
        for (int i = 0; i < 40; i++) {
            switch (versions.below(8)) {
                case 0 -> versions.replace(Shape.FIREWALL, 10);
                case 1 -> versions.replace(Shape.IPV6_ROUTES, 30);
                case 2 -> versions.change(Shape.FIREWALL, 0, 1);
                default -> versions.change(Shape.IPV6_ROUTES, versions.below(3), versions.below(3));
            }
        }
        RecordedHistory history = versions.recorded();
        List<Integer> order = new ArrayList<>();
        for (int i = 0; i < history.size(); i++) {
            order.add(i);
        }
        List<Integer> forward = servedInOrder(history, order, 1);
        assertEquals(Timeline.NO_RULES, forward.get(0));
        assertNotEquals(Timeline.NO_RULES, forward.get(history.size() - 1));
        assertTrue(new HashSet<>(forward).size() > 5, forward.toString());
        assertTrue(new HashSet<>(forward).size() < history.size() - 3, forward.toString());
        Collections.reverse(order);
        assertEquals(forward, servedInOrder(history, order, 2));
        Random random = TestSeed.random(seed);
        for (int i = 1; i < 3; i++) {
            Collections.shuffle(order, random);
            assertEquals(forward, servedInOrder(history, order, 1 + i));
        }
    }

    @Test
    void aSmallChangeNeedsNoBuild() {
        Versions versions = new Versions(TestSeed.of(1)).replace(Shape.FIREWALL, 40);
        for (int i = 0; i < 20; i++) {
            versions.change(Shape.FIREWALL, 0, 2);
        }
        try (VersionEngines engines = engines(versions.recorded(), ANY, 2)) {
            acquire(engines, 0).version().close();
            for (int i = 1; i <= 20; i++) {
                VersionEngines.Found served = engines.acquire(i, () -> {});
                assertNotNull(served, "version " + i + " had to be built");
                judgesAs(versions, i, served.version());
                served.version().close();
            }
        }
    }

    @Test
    void aFailureThatIsNotOfTheRulesIsTold() {
        Versions versions = new Versions(TestSeed.of(1)).replace(Shape.FIREWALL, 4);
        VersionEngines engines =
                new VersionEngines(
                        () -> {
                            throw new IllegalStateException("no device");
                        },
                        versions.recorded(),
                        1,
                        builds::add,
                        (index, reason) -> refused.add(index));
        AtomicInteger told = new AtomicInteger();
        assertEquals(null, engines.acquire(0, told::incrementAndGet));
        builds.remove().run();
        assertEquals(1, told.get());
        assertThrows(IllegalStateException.class, () -> engines.acquire(0, () -> {}));
        assertEquals(List.of(), refused);
        engines.close();
        assertThrows(IllegalStateException.class, () -> engines.acquire(0, () -> {}));
    }

    /** Several tasks at their own places of the history, with one builder thread. */
    @Test
    void tasksDoNotDisturbEachOther() throws Exception {
        Versions versions = random(7, Shape.FIREWALL);
        RecordedHistory history = versions.recorded();
        ExecutorService builder = Executors.newSingleThreadExecutor();
        ExecutorService tasks = Executors.newFixedThreadPool(4);
        try (VersionEngines engines =
                new VersionEngines(
                        () -> Engine.open(ANY, 0),
                        history,
                        2,
                        builder,
                        (index, reason) -> refused.add(index))) {
            List<Future<?>> running = new ArrayList<>();
            for (int t = 0; t < 4; t++) {
                int task = t;
                running.add(
                        tasks.submit(
                                () -> {
                                    Semaphore built = new Semaphore(0);
                                    Versions own = random(7, Shape.FIREWALL);
                                    for (int i = 0; i < 100; i++) {
                                        int index = (task * 13 + i / 2) % history.size();
                                        VersionEngines.Found served =
                                                engines.acquire(index, built::release);
                                        while (served == null) {
                                            built.acquire();
                                            served = engines.acquire(index, built::release);
                                        }
                                        judgesAs(own, index, served.version());
                                        served.version().close();
                                    }
                                    return null;
                                }));
            }
            for (Future<?> task : running) {
                task.get();
            }
            builder.shutdown();
            assertTrue(builder.awaitTermination(60, java.util.concurrent.TimeUnit.SECONDS));
        } finally {
            builder.shutdownNow();
            tasks.shutdownNow();
        }
        assertEquals(List.of(), refused);
    }
}
