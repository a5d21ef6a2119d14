package dev.sluice.engine.gpu;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.engine.gpu.ChangingVersions.Version;
import dev.sluice.engine.gpu.driver.FaultInjector;
import dev.sluice.engine.gpu.driver.GpuException;
import dev.sluice.engine.gpu.memory.DeviceChanges;
import dev.sluice.engine.lookup.Algorithm;
import dev.sluice.engine.lookup.PendingVerdicts;
import dev.sluice.engine.lookup.StagedHeaders;
import dev.sluice.engine.lookup.VerdictBatch;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.engine.testing.ChangingRules;
import dev.sluice.engine.testing.DrawnStories;
import dev.sluice.engine.testing.RandomRules.Shape;
import dev.sluice.engine.testing.RuleStory;
import dev.sluice.engine.testing.SameVerdicts;
import dev.sluice.engine.testing.Served;
import dev.sluice.engine.testing.StoryFile;
import dev.sluice.engine.testing.Subject;
import dev.sluice.schemas.header.HeaderBatch;
import dev.sluice.schemas.header.HeaderLayout;
import dev.sluice.schemas.header.HeaderWord;
import dev.sluice.schemas.testing.TestSeed;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Rules that change while batches look into them on a device, with a driver on the heap. */
@Timeout(120)
class GpuVersionsTest extends GpuFixture {
    private static final int BATCH = 100;
    private static final int UNTOUCHED = 12_345;

    private static final HeaderLayout LAYOUT =
            HeaderLayout.of(
                    HeaderWord.IP, HeaderWord.IPV4_SRC, HeaderWord.IPV4_DST, HeaderWord.PORTS);

    private final Random random = TestSeed.random(23);

    /** What the test that runs draws; the story of it is kept if it fails. */
    private ChangingRules drawn = new ChangingRules(0, Shape.ACCESS_LIST, 0);

    private ChangingVersions versions(String algorithm, int rules) {
        boolean any = Served.must(Algorithm.parse(algorithm), Shape.IPV4_5_TUPLE);
        Shape shape = any ? Shape.IPV4_5_TUPLE : Shape.ACCESS_LIST;
        drawn = new ChangingRules(TestSeed.of(23), shape, rules);
        DrawnStories.tell(() -> drawn.story("versions"), onDevice(algorithm, "copy"));
        return new ChangingVersions(drawn.ruleSet(), LAYOUT, Algorithm.of(algorithm));
    }

    private HeaderBatch headers(int count) {
        HeaderBatch batch = new HeaderBatch(LAYOUT, count);
        while (!batch.isFull()) {
            batch.add(drawn.header());
        }
        return batch;
    }

    /** The versions of a story on a device, with a driver on the heap that never fails. */
    private static final class OnDevice extends ChangingVersionsSession {
        final GpuDevice device = new GpuDevice(new FakeDriver(1), 0, 4, 2048, HeaderWord.COUNT);
        final GpuClassifier gpu;

        OnDevice(RuleSet rules, HeaderLayout layout, String algorithm, String mode) {
            super(rules, layout, algorithm);
            gpu = new GpuClassifier(device, versions.cpu());
            gpu.follow(versions);
            gpu.offloadMode(mode(mode));
        }

        @Override
        protected LookUp submit(Version version, List<int[]> headers) {
            VerdictBatch verdicts = new VerdictBatch(headers.size());
            PendingVerdicts pending = gpu.submit(version, batch(headers), verdicts);
            return () -> {
                pending.await();
                return versions.ids(verdicts.rules());
            };
        }

        @Override
        public void close() throws Exception {
            super.close();
            gpu.close();
            device.close();
        }
    }

    private static Subject onDevice(String algorithm, String mode) {
        return Subject.ofSessions(
                algorithm + "-versions-" + mode,
                (rules, layout) -> new OnDevice(rules, layout, algorithm, mode));
    }

    @Tag("story")
    @ParameterizedTest
    @MethodSource("dev.sluice.engine.testing.StoryFile#kept")
    void keptStoriesAreAnsweredByTheVersionsOnADevice(Path file) throws Exception {
        RuleStory story = StoryFile.read(file);
        SameVerdicts.assertServed(story, onDevice("merged-tuple", "copy"));
        SameVerdicts.assertServed(story, onDevice("hash-tree", "mapped"));
        SameVerdicts.assertServed(story, onDevice("tuple", "persistent,mapped"));
    }

    /** A batch that was submitted, and the answers that it has to get. */
    private record Flight(
            PendingVerdicts pending, VerdictBatch verdicts, int[] expected, Version version) {
        void land(String when) {
            pending.await();
            int[] got = Arrays.copyOf(verdicts.rules(), expected.length);
            assertArrayEquals(expected, got, when + ", tick " + version.tick());
            version.close();
        }
    }

    /** Rules that change, on the device of a test. */
    private final class Followed implements AutoCloseable {
        final ChangingVersions versions;
        final GpuDevice device;
        final GpuClassifier gpu;

        Followed(String algorithm, int rules, int buffers) {
            versions = versions(algorithm, rules);
            device = device(buffers, 128);
            gpu = new GpuClassifier(device, versions.cpu(), clock::get);
        }

        Version change(int removes, int inserts) {
            return versions.change(drawn.replace(removes, inserts).last());
        }

        Flight submit(Version version) {
            HeaderBatch batch = headers(1 + random.nextInt(BATCH));
            VerdictBatch verdicts = new VerdictBatch(batch.size());
            Arrays.fill(verdicts.rules(), UNTOUCHED);
            int[] expected = version.expected(batch);
            return new Flight(gpu.submit(version, batch, verdicts), verdicts, expected, version);
        }

        DeviceChanges copy() {
            return Objects.requireNonNull(gpu.copyOf(versions.version()));
        }

        @Override
        public void close() {
            gpu.close();
            device.close();
            assertEquals(0, fake.held(), "something is left");
        }
    }

    private Followed follow(String algorithm, int rules, int buffers) {
        Followed on = new Followed(algorithm, rules, buffers);
        on.gpu.follow(on.versions);
        return on;
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "merged-tuple copy",
                "tuple mapped",
                "linear copy,streams=1",
                "rfc mapped,streams=2",
                "hash-tree on-demand,copy",
                "forest mapped,gather=4",
                "pairs persistent,mapped"
            })
    void everyVersionInFlightIsAnsweredByItsOwnRules(String how) {
        String[] parts = how.split(" ");
        try (Followed on = follow(parts[0], 60, 4)) {
            on.gpu.offloadMode(mode(parts[1]));
            List<Flight> flights = new ArrayList<>();
            flights.add(on.submit(on.versions.version()));
            for (int step = 0; step < 150; step++) {
                Version now = on.change(random.nextInt(4), random.nextInt(4));
                if (random.nextInt(3) > 0) {
                    flights.add(on.submit(now));
                } else {
                    now.close();
                }
                while (flights.size() > random.nextInt(4)) {
                    flights.remove(random.nextInt(flights.size())).land("step " + step);
                }
            }
            Collections.shuffle(flights, random);
            flights.forEach(f -> f.land("at the end"));
            assertEquals(0, on.gpu.figures().fallBacks.sum());
            assertEquals(0, on.gpu.figures().cpuBatches.sum());
            assertTrue(fake.overlays.get() > 50, () -> fake.overlays + " look-ups of changes");
            assertEquals(
                    on.gpu.bytes() - 2 * on.versions.cpu().image().bytes(), on.gpu.changeBytes());
            assertTrue(on.gpu.changeBytes() > 0);
            on.gpu.unfollow(on.versions);
            assertEquals(on.versions.cpu().image().bytes(), on.device.memory().imageBytes());
        }
    }

    @Test
    void aBatchOfAnOlderVersionIsNotWaitedFor() {
        try (Followed on = follow("merged-tuple", 60, 2)) {
            Flight old = on.submit(on.change(3, 3));
            for (int step = 0; step < 100; step++) {
                on.submit(on.change(2, 2)).land("step " + step);
                assertEquals(UNTOUCHED, old.verdicts.rule(0), "it is still under way");
            }
            old.land("after all");
        }
    }

    @Test
    void wordsThatOutgrowTheirPlaceMoveAndBatchesOfBeforeEnd() {
        try (Followed on = follow("merged-tuple", 20, 4)) {
            long before = on.gpu.changeBytes();
            for (int step = 0; step < 6; step++) {
                Flight first = on.submit(on.change(10, 30));
                Flight second = on.submit(on.change(0, 400));
                Flight third = on.submit(on.change(10, 10));
                third.land("the last first");
                first.land("first");
                second.land("second");
            }
            assertTrue(on.gpu.changeBytes() > 2 * before);
            assertEquals(
                    on.device.memory().imageBytes(),
                    on.gpu.changeBytes() + on.versions.cpu().image().bytes());
            assertEquals(0, on.gpu.figures().fallBacks.sum());
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = FaultInjector.Point.class,
            names = {"COPY", "LAUNCH", "AWAIT"})
    void aFailureCostsNoAnswer(FaultInjector.Point point) {
        try (Followed on = follow("tuple", 60, 2)) {
            for (int step = 0; step < 200; step++) {
                Flight before = on.submit(on.change(2, 2));
                if (step % 50 == 10) {
                    driver.fail(point, 1 + step / 50, 719);
                }
                on.submit(on.change(1, 2)).land("step " + step);
                before.land("step " + step);
                clock.addAndGet(SECOND / 2);
            }
            assertTrue(
                    on.gpu.figures().fallBacks.sum() >= 4,
                    () -> on.gpu.figures().fallBacks.sum() + " batches failed");
            assertTrue(
                    on.gpu.figures().batches.sum() > 250,
                    () -> on.gpu.figures().batches.sum() + " batches on the device");
            assertFalse(on.gpu.resting());
            assertFalse(on.copy().full());
        }
    }

    @Test
    void aDeviceWithoutRoomForMoreLeavesVersionsWithChangesToTheCpu() {
        try (Followed on = follow("tuple", 60, 2)) {
            Version first = on.versions.version();
            on.submit(on.change(2, 2)).land("with room");
            driver.fail(FaultInjector.Point.ALLOCATE, 1, 2);
            on.submit(on.change(0, 2000)).land("without room");
            on.submit(on.change(2, 2)).land("without room");
            assertTrue(on.copy().full());
            assertEquals(2, on.gpu.figures().cpuBatches.sum());
            assertEquals(0, on.gpu.figures().fallBacks.sum(), "the device did not fail");
            assertFalse(on.gpu.resting());
            assertNull(on.gpu.stage(on.versions.version(), 100));
            on.submit(first).land("the base alone");
            assertEquals(2, on.gpu.figures().batches.sum());
        }
    }

    @Test
    void aDeviceWithoutRoomAtTheStartHoldsTheBaseAlone() {
        try (Followed on = new Followed("tuple", 60, 2)) {
            driver.fail(FaultInjector.Point.ALLOCATE, 1, 2);
            assertThrows(GpuException.class, () -> on.gpu.follow(on.versions));
            on.submit(on.versions.version()).land("the base alone");
            on.submit(on.change(2, 2)).land("changed");
            assertEquals(1, on.gpu.figures().batches.sum());
            assertEquals(1, on.gpu.figures().cpuBatches.sum());
        }
    }

    @Test
    void aKernelThatStaysTakesVersionsWithoutChangesOnly() {
        try (Followed on = follow("tuple", 60, 2)) {
            on.gpu.offloadMode(mode("persistent,mapped"));
            Version first = on.versions.version();
            Version again = on.versions.version();
            on.submit(first).land("by the kernel that stays");
            assertEquals(0, fake.launches);
            on.submit(on.change(2, 2)).land("by a launch");
            assertEquals(1, fake.launches);
            on.submit(again).land("by the kernel that stays");
            assertEquals(1, fake.launches);
            assertEquals("persistent,mapped,streams=16,gather=1", on.gpu.offloadMode().describe());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"copy", "mapped"})
    void headersWrittenToPinnedMemoryAreAnsweredByTheirVersion(String mode) {
        try (Followed on = follow("tuple", 60, 4)) {
            on.gpu.offloadMode(mode(mode));
            HeaderBatch spare = new HeaderBatch(on.versions.cpu().layout(), BATCH);
            for (int step = 0; step < 60; step++) {
                if (step % 20 == 10) {
                    driver.fail(FaultInjector.Point.LAUNCH, 1, 719);
                }
                Version version = on.change(2, 3);
                StagedHeaders staging = on.gpu.stage(version, BATCH);
                Flight other = on.submit(on.change(2, 3));
                if (staging == null) {
                    assertTrue(on.gpu.resting());
                    version.close();
                } else {
                    HeaderBatch batch = headers(1 + random.nextInt(BATCH));
                    write(staging, batch);
                    VerdictBatch verdicts = new VerdictBatch(BATCH);
                    PendingVerdicts pending = staging.submit(batch.size(), spare, verdicts);
                    new Flight(pending, verdicts, version.expected(batch), version)
                            .land("step " + step);
                }
                other.land("step " + step);
                clock.addAndGet(SECOND / 2);
            }
            assertTrue(
                    on.gpu.figures().batches.sum() > 80,
                    () -> on.gpu.figures().batches.sum() + " batches on the device");
        }
    }

    @Test
    void aWriterAndReadersDoNotWaitForEachOther() throws Exception {
        try (Followed on = follow("tuple", 60, 4)) {
            Version first = on.versions.version(); // stays in use
            AtomicReference<Version> current = new AtomicReference<>(first);
            HeaderBatch batch = headers(BATCH);
            ExecutorService readers = Executors.newFixedThreadPool(3);
            List<Future<Integer>> rounds = new ArrayList<>();
            for (int reader = 0; reader < 3; reader++) {
                rounds.add(
                        readers.submit(
                                () -> {
                                    int seen = 0;
                                    for (int last = -1; last < 400; seen++) {
                                        Version version = current.get();
                                        VerdictBatch verdicts = new VerdictBatch(BATCH);
                                        on.gpu.submit(version, batch, verdicts).await();
                                        assertArrayEquals(
                                                version.expected(batch),
                                                verdicts.rules(),
                                                "tick " + version.tick());
                                        last = version.tick();
                                    }
                                    return seen;
                                }));
            }
            for (int step = 0; step < 400; step++) {
                current.set(on.change(random.nextInt(5), random.nextInt(8)));
            }
            for (Future<Integer> round : rounds) {
                assertTrue(round.get() > 0);
            }
            readers.shutdown();
            assertEquals(0, on.gpu.figures().fallBacks.sum());
        }
    }
}
