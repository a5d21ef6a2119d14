package dev.sluice.engine.gpu;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.engine.gpu.driver.FaultInjector;
import dev.sluice.engine.gpu.driver.GpuException;
import dev.sluice.engine.gpu.memory.DeviceChanges;
import dev.sluice.engine.lookup.Algorithm;
import dev.sluice.engine.lookup.PendingVerdicts;
import dev.sluice.engine.lookup.StagedHeaders;
import dev.sluice.engine.lookup.VerdictBatch;
import dev.sluice.engine.rules.Match;
import dev.sluice.schemas.header.Field;
import dev.sluice.schemas.header.HeaderBatch;
import dev.sluice.schemas.testing.TestSeed;
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
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Rules that change while batches look into them on a device, with a driver on the heap. */
@Timeout(120)
class GpuVersionsTest extends GpuFixture {
    private static final int BATCH = 100;
    private static final int UNTOUCHED = 12_345;

    private final Random random = TestSeed.random(23);

    private Match match() {
        Match.Builder match = new Match.Builder();
        match.field(
                Field.IPV4_DST, random.nextInt(64) << 26, -1 << 32 - 2 * (1 + random.nextInt(4)));
        if (random.nextBoolean()) {
            int low = random.nextInt(8);
            match.ports(Field.DST_PORT, low, low + random.nextInt(3));
        }
        return match.build();
    }

    private ChangingVersions versions(String algorithm, int rules) {
        return new ChangingVersions(random, this::match, Algorithm.of(algorithm), rules);
    }

    private HeaderBatch headers(ChangingVersions versions, int count) {
        HeaderBatch batch = new HeaderBatch(versions.cpu().layout(), count);
        for (int i = 0; i < count; i++) {
            for (int p = 0; p < batch.layout().size(); p++) {
                batch.words()[p * count + i] =
                        p == 0 ? random.nextInt(64) << 26 : random.nextInt(10);
            }
        }
        batch.size(count);
        return batch;
    }

    /** A batch that was submitted, and the answers that it has to get. */
    private record Flight(
            PendingVerdicts pending,
            VerdictBatch verdicts,
            int[] expected,
            ChangingVersions.Version version) {
        void land(String when) {
            pending.await();
            int[] got = Arrays.copyOf(verdicts.rules(), expected.length);
            assertArrayEquals(expected, got, when + ", tick " + version.tick());
            version.close();
        }
    }

    private Flight submit(
            GpuClassifier gpu, ChangingVersions versions, ChangingVersions.Version version) {
        HeaderBatch batch = headers(versions, 1 + random.nextInt(BATCH));
        VerdictBatch verdicts = new VerdictBatch(batch.size());
        Arrays.fill(verdicts.rules(), UNTOUCHED);
        int[] expected = version.expected(batch);
        return new Flight(gpu.submit(version, batch, verdicts), verdicts, expected, version);
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
        ChangingVersions versions = versions(parts[0], 60);
        try (GpuDevice device = device(4, 128);
                GpuClassifier gpu = new GpuClassifier(device, versions.cpu())) {
            gpu.follow(versions);
            gpu.offloadMode(mode(parts[1]));
            List<Flight> flights = new ArrayList<>();
            flights.add(submit(gpu, versions, versions.version()));
            for (int step = 0; step < 150; step++) {
                ChangingVersions.Version now =
                        versions.change(random.nextInt(4), random.nextInt(4));
                if (random.nextInt(3) > 0) {
                    flights.add(submit(gpu, versions, now));
                } else {
                    now.close();
                }
                while (flights.size() > random.nextInt(4)) {
                    flights.remove(random.nextInt(flights.size())).land("step " + step);
                }
            }
            Collections.shuffle(flights, random);
            flights.forEach(f -> f.land("at the end"));
            assertEquals(0, gpu.fallBacks());
            assertEquals(0, gpu.cpuBatches());
            assertTrue(fake.overlays.get() > 50, () -> fake.overlays + " look-ups of changes");
            assertEquals(gpu.bytes() - 2 * versions.cpu().image().bytes(), gpu.changeBytes());
            assertTrue(gpu.changeBytes() > 0);
            gpu.unfollow(versions);
            assertEquals(versions.cpu().image().bytes(), device.imageBytes());
        }
        assertEquals(0, fake.held(), "something is left");
    }

    private static DeviceChanges copyOf(GpuClassifier gpu, ChangingVersions versions) {
        return Objects.requireNonNull(gpu.copyOf(versions.version()));
    }

    @Test
    void aBatchOfAnOlderVersionIsNotWaitedFor() {
        ChangingVersions versions = versions("merged-tuple", 60);
        try (GpuDevice device = device(2, 128);
                GpuClassifier gpu = new GpuClassifier(device, versions.cpu())) {
            gpu.follow(versions);
            Flight old = submit(gpu, versions, versions.change(3, 3));
            for (int step = 0; step < 100; step++) {
                submit(gpu, versions, versions.change(2, 2)).land("step " + step);
                assertEquals(UNTOUCHED, old.verdicts.rule(0), "it is still under way");
            }
            old.land("after all");
        }
    }

    @Test
    void wordsThatOutgrowTheirPlaceMoveAndBatchesOfBeforeEnd() {
        ChangingVersions versions = versions("merged-tuple", 20);
        try (GpuDevice device = device(4, 128);
                GpuClassifier gpu = new GpuClassifier(device, versions.cpu())) {
            gpu.follow(versions);
            long before = gpu.changeBytes();
            for (int step = 0; step < 6; step++) {
                Flight first = submit(gpu, versions, versions.change(10, 30));
                Flight second = submit(gpu, versions, versions.change(0, 400));
                Flight third = submit(gpu, versions, versions.change(10, 10));
                third.land("the last first");
                first.land("first");
                second.land("second");
            }
            assertTrue(gpu.changeBytes() > 2 * before);
            assertEquals(device.imageBytes(), gpu.changeBytes() + versions.cpu().image().bytes());
            assertEquals(0, gpu.fallBacks());
        }
        assertEquals(0, fake.held(), "something is left");
    }

    @ParameterizedTest
    @EnumSource(
            value = FaultInjector.Point.class,
            names = {"COPY", "LAUNCH", "AWAIT"})
    void aFailureCostsNoAnswer(FaultInjector.Point point) {
        ChangingVersions versions = versions("tuple", 60);
        try (GpuDevice device = device(2, 128);
                GpuClassifier gpu = new GpuClassifier(device, versions.cpu(), clock::get)) {
            gpu.follow(versions);
            for (int step = 0; step < 200; step++) {
                Flight before = submit(gpu, versions, versions.change(2, 2));
                if (step % 50 == 10) {
                    driver.fail(point, 1 + step / 50, 719);
                }
                submit(gpu, versions, versions.change(1, 2)).land("step " + step);
                before.land("step " + step);
                clock.addAndGet(SECOND / 2);
            }
            assertTrue(gpu.fallBacks() >= 4, () -> gpu.fallBacks() + " batches failed");
            assertTrue(gpu.batches() > 250, () -> gpu.batches() + " batches on the device");
            assertFalse(gpu.resting());
            assertFalse(copyOf(gpu, versions).full());
        }
        assertEquals(0, fake.held(), "something is left");
    }

    @Test
    void aDeviceWithoutRoomForMoreLeavesVersionsWithChangesToTheCpu() {
        ChangingVersions versions = versions("tuple", 60);
        try (GpuDevice device = device(2, 128);
                GpuClassifier gpu = new GpuClassifier(device, versions.cpu())) {
            gpu.follow(versions);
            ChangingVersions.Version first = versions.version();
            submit(gpu, versions, versions.change(2, 2)).land("with room");
            driver.fail(FaultInjector.Point.ALLOCATE, 1, 2);
            submit(gpu, versions, versions.change(0, 2000)).land("without room");
            submit(gpu, versions, versions.change(2, 2)).land("without room");
            assertTrue(copyOf(gpu, versions).full());
            assertEquals(2, gpu.cpuBatches());
            assertEquals(0, gpu.fallBacks(), "the device did not fail");
            assertFalse(gpu.resting());
            assertNull(gpu.stage(versions.version(), 100));
            submit(gpu, versions, first).land("the base alone");
            assertEquals(2, gpu.batches());
        }
        assertEquals(0, fake.held(), "something is left");
    }

    @Test
    void aDeviceWithoutRoomAtTheStartHoldsTheBaseAlone() {
        ChangingVersions versions = versions("tuple", 60);
        try (GpuDevice device = device(2, 128);
                GpuClassifier gpu = new GpuClassifier(device, versions.cpu())) {
            driver.fail(FaultInjector.Point.ALLOCATE, 1, 2);
            assertThrows(GpuException.class, () -> gpu.follow(versions));
            submit(gpu, versions, versions.version()).land("the base alone");
            submit(gpu, versions, versions.change(2, 2)).land("changed");
            assertEquals(1, gpu.batches());
            assertEquals(1, gpu.cpuBatches());
        }
        assertEquals(0, fake.held(), "something is left");
    }

    @Test
    void aKernelThatStaysTakesVersionsWithoutChangesOnly() {
        ChangingVersions versions = versions("tuple", 60);
        try (GpuDevice device = device(2, 128);
                GpuClassifier gpu = new GpuClassifier(device, versions.cpu())) {
            gpu.follow(versions);
            gpu.offloadMode(mode("persistent,mapped"));
            ChangingVersions.Version first = versions.version();
            ChangingVersions.Version again = versions.version();
            submit(gpu, versions, first).land("by the kernel that stays");
            assertEquals(0, fake.launches);
            submit(gpu, versions, versions.change(2, 2)).land("by a launch");
            assertEquals(1, fake.launches);
            submit(gpu, versions, again).land("by the kernel that stays");
            assertEquals(1, fake.launches);
            assertEquals("persistent,mapped,streams=16,gather=1", gpu.offloadMode().describe());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"copy", "mapped"})
    void headersWrittenToPinnedMemoryAreAnsweredByTheirVersion(String mode) {
        ChangingVersions versions = versions("tuple", 60);
        try (GpuDevice device = device(4, 128);
                GpuClassifier gpu = new GpuClassifier(device, versions.cpu(), clock::get)) {
            gpu.follow(versions);
            gpu.offloadMode(mode(mode));
            HeaderBatch spare = new HeaderBatch(versions.cpu().layout(), BATCH);
            for (int step = 0; step < 60; step++) {
                if (step % 20 == 10) {
                    driver.fail(FaultInjector.Point.LAUNCH, 1, 719);
                }
                ChangingVersions.Version version = versions.change(2, 3);
                StagedHeaders staging = gpu.stage(version, BATCH);
                Flight other = submit(gpu, versions, versions.change(2, 3));
                if (staging == null) {
                    assertTrue(gpu.resting());
                    version.close();
                } else {
                    HeaderBatch batch = headers(versions, 1 + random.nextInt(BATCH));
                    write(staging, batch);
                    VerdictBatch verdicts = new VerdictBatch(BATCH);
                    PendingVerdicts pending = staging.submit(batch.size(), spare, verdicts);
                    new Flight(pending, verdicts, version.expected(batch), version)
                            .land("step " + step);
                }
                other.land("step " + step);
                clock.addAndGet(SECOND / 2);
            }
            assertTrue(gpu.batches() > 80, () -> gpu.batches() + " batches on the device");
        }
        assertEquals(0, fake.held(), "something is left");
    }

    @Test
    void aWriterAndReadersDoNotWaitForEachOther() throws Exception {
        ChangingVersions versions = versions("tuple", 60);
        try (GpuDevice device = device(4, 128);
                GpuClassifier gpu = new GpuClassifier(device, versions.cpu())) {
            gpu.follow(versions);
            ChangingVersions.Version first = versions.version(); // stays in use
            AtomicReference<ChangingVersions.Version> current = new AtomicReference<>(first);
            HeaderBatch batch = headers(versions, BATCH);
            ExecutorService readers = Executors.newFixedThreadPool(3);
            List<Future<Integer>> rounds = new ArrayList<>();
            for (int reader = 0; reader < 3; reader++) {
                rounds.add(
                        readers.submit(
                                () -> {
                                    int seen = 0;
                                    for (int last = -1; last < 400; seen++) {
                                        ChangingVersions.Version version = current.get();
                                        VerdictBatch verdicts = new VerdictBatch(BATCH);
                                        gpu.submit(version, batch, verdicts).await();
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
                current.set(versions.change(random.nextInt(5), random.nextInt(8)));
            }
            for (Future<Integer> round : rounds) {
                assertTrue(round.get() > 0);
            }
            readers.shutdown();
            assertEquals(0, gpu.fallBacks());
        }
        assertEquals(0, fake.held(), "something is left");
    }
}
