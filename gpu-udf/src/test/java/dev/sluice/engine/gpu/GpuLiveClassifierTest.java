package dev.sluice.engine.gpu;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.engine.Engine;
import dev.sluice.engine.EngineOptions;
import dev.sluice.engine.gpu.driver.FaultInjector;
import dev.sluice.engine.gpu.memory.DeviceMirror;
import dev.sluice.engine.lookup.Algorithm;
import dev.sluice.engine.lookup.BatchClassifier;
import dev.sluice.engine.lookup.PendingVerdicts;
import dev.sluice.engine.lookup.VerdictBatch;
import dev.sluice.engine.memory.MutableImage;
import dev.sluice.engine.rules.Match;
import dev.sluice.engine.rules.Rule;
import dev.sluice.engine.rules.RuleDelta;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.engine.testing.ChangingRules;
import dev.sluice.engine.update.LiveClassifier;
import dev.sluice.schemas.header.Field;
import dev.sluice.schemas.header.HeaderBatch;
import dev.sluice.schemas.testing.TestSeed;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Rules that change in place on a device, with a driver that runs on the heap. */
@Timeout(60)
class GpuLiveClassifierTest {
    private static final long SECOND = 1_000_000_000L;

    private final FakeDriver fake = new FakeDriver(1);
    private final FaultInjector driver = new FaultInjector(fake);
    private final AtomicLong clock = new AtomicLong();
    private final Random random = TestSeed.random(3);
    private final ChangingRules changing = new ChangingRules(random, this::match);

    private Match match() {
        return new Match.Builder()
                .field(
                        Field.IPV4_DST,
                        random.nextInt(64) << 24,
                        -1 << 32 - 4 * (1 + random.nextInt(2)))
                .field(Field.DST_PORT, random.nextInt(8))
                .build();
    }

    private List<Rule> rules(int count) {
        return changing.rules(count);
    }

    private RuleDelta delta(int removes, int inserts) {
        return changing.delta(removes, inserts);
    }

    private HeaderBatch headers(LiveClassifier live, int count) {
        HeaderBatch batch = new HeaderBatch(live.layout(), count);
        for (int i = 0; i < count; i++) {
            for (int p = 0; p < live.layout().size(); p++) {
                batch.words()[p * count + i] =
                        p == 0 ? random.nextInt(64) << 24 : random.nextInt(8);
            }
        }
        batch.size(count);
        return batch;
    }

    private static long[] answers(BatchClassifier classifier, HeaderBatch batch) {
        VerdictBatch verdicts = new VerdictBatch(batch.size());
        classifier.classify(batch, verdicts);
        return ids(verdicts);
    }

    private static long[] ids(VerdictBatch verdicts) {
        long[] ids = new long[verdicts.rules().length];
        for (int i = 0; i < ids.length; i++) {
            ids[i] = verdicts.rule(i) < 0 ? -1 : verdicts.ids()[i];
        }
        return ids;
    }

    private static long[] wanted(LiveClassifier live, HeaderBatch batch) {
        VerdictBatch verdicts = new VerdictBatch(batch.size());
        live.classify(batch, verdicts);
        return ids(verdicts);
    }

    private static LiveClassifier live(Algorithm algorithm, List<Rule> rules) {
        RuleSet set = RuleSet.of("r", 1, RuleSet.DROP, rules);
        return Engine.live(set, EngineOptions.of(algorithm));
    }

    @ParameterizedTest
    @ValueSource(strings = {"tuple", "merged-tuple", "bloom"})
    void everyDeltaIsThereWithTheNextBatch(Algorithm algorithm) {
        try (GpuDevice device = new GpuDevice(driver, 0, 2, 256, 4);
                LiveClassifier live = live(algorithm, rules(300));
                GpuLiveClassifier gpu = new GpuLiveClassifier(device, live)) {
            for (int step = 0; step < 200; step++) {
                gpu.apply(delta(random.nextInt(4), random.nextInt(5)));
                HeaderBatch batch = headers(live, 1 + random.nextInt(600));
                assertArrayEquals(wanted(live, batch), answers(gpu, batch), "step " + step);
            }
            assertEquals(0, gpu.fallBacks());
            assertEquals(200, gpu.batches());
            assertTrue(gpu.patchedLines() > 500, () -> gpu.patchedLines() + " lines");
            assertTrue(gpu.deviceBytes() > 0);
            assertEquals(gpu.deviceBytes(), device.imageBytes());
        }
        assertEquals(0, fake.blocks(), "memory is left");
    }

    @ParameterizedTest
    @ValueSource(strings = {"tuple", "merged-tuple", "bloom", "hash-tree", "mask-filter"})
    void theDevicesCopyIsTheHostsWordForWord(Algorithm algorithm) {
        try (GpuDevice device = new GpuDevice(driver, 0, 2, 256, 4);
                LiveClassifier live = live(algorithm, rules(300))) {
            try (LiveClassifier.Lease lease = live.lease()) {
                DeviceMirror first =
                        new DeviceMirror(device.memory(), lease.memory(), live.layout(), 2, null);
                first.update(false);
                same(device, first);
                first.close();
            }
            List<DeviceMirror> mirrors = new ArrayList<>();
            for (int step = 0; step < 300; step++) {
                live.apply(delta(random.nextInt(6), random.nextInt(7)));
                if (step % 3 == 0) { // several deltas between two looks
                    try (LiveClassifier.Lease lease = live.lease()) {
                        same(device, upToDate(mirrors, device, lease.memory(), live));
                    }
                }
            }
            mirrors.forEach(DeviceMirror::close);
        }
        assertEquals(0, fake.blocks(), "memory is left");
    }

    private static DeviceMirror upToDate(
            List<DeviceMirror> mirrors,
            GpuDevice device,
            MutableImage memory,
            LiveClassifier live) {
        for (DeviceMirror image : mirrors) {
            if (image.source() == memory) {
                image.update(false);
                return image;
            }
        }
        DeviceMirror fresh = new DeviceMirror(device.memory(), memory, live.layout(), 2, null);
        fresh.update(false);
        mirrors.add(fresh);
        return fresh;
    }

    private static void same(GpuDevice device, DeviceMirror image) {
        int size = image.source().size();
        int[] there = new int[size];
        device.device().download(there, 0, size, image.image().address());
        int[] here = Arrays.copyOf(image.source().words(), size);
        assertArrayEquals(here, there);
        assertFalse(image.behind());
    }

    @Test
    void rulesThatOutgrowTheirMemoryMove() {
        try (GpuDevice device = new GpuDevice(driver, 0, 2, 256, 4);
                LiveClassifier live = live(Algorithm.of("tuple"), rules(10));
                GpuLiveClassifier gpu = new GpuLiveClassifier(device, live)) {
            long before = gpu.deviceBytes();
            for (int step = 0; step < 40; step++) {
                gpu.apply(delta(0, 500));
                HeaderBatch batch = headers(live, 100);
                assertArrayEquals(wanted(live, batch), answers(gpu, batch), "step " + step);
            }
            assertTrue(gpu.deviceBytes() > 2 * before);
            assertEquals(0, gpu.fallBacks());
        }
        assertEquals(0, fake.blocks(), "memory is left");
    }

    @Test
    void aLaunchIsPreparedAnewWhenTheMirrorMoved() {
        try (GpuDevice device = new GpuDevice(driver, 0, 2, 256, 4);
                LiveClassifier live = live(Algorithm.of("tuple"), rules(10));
                GpuLiveClassifier gpu = new GpuLiveClassifier(device, live)) {
            // Two batches at once: each of the two copies keeps a staging buffer of its own.
            for (int step = 0; step < 20; step++) {
                HeaderBatch first = headers(live, 100);
                long[] firstWanted = wanted(live, first);
                VerdictBatch firstVerdicts = new VerdictBatch(100);
                PendingVerdicts flight = gpu.submit(first, firstVerdicts);
                gpu.apply(delta(0, 500));
                HeaderBatch second = headers(live, 100);
                assertArrayEquals(wanted(live, second), answers(gpu, second), "step " + step);
                flight.await();
                assertArrayEquals(firstWanted, ids(firstVerdicts), "step " + step);
                gpu.apply(delta(0, 500));
            }
            assertEquals(0, gpu.fallBacks());
            assertTrue(gpu.wholeCopies() > 4, () -> gpu.wholeCopies() + " copies");
        }
        assertEquals(0, fake.blocks(), "memory is left");
    }

    @Test
    void aBatchUnderWayKeepsItsVersion() throws Exception {
        try (GpuDevice device = new GpuDevice(driver, 0, 4, 256, 4);
                LiveClassifier live = live(Algorithm.of("merged-tuple"), rules(200));
                GpuLiveClassifier gpu = new GpuLiveClassifier(device, live)) {
            ExecutorService writer = Executors.newSingleThreadExecutor();
            for (int round = 0; round < 50; round++) {
                HeaderBatch batch = headers(live, 100);
                long[] before = wanted(live, batch);
                VerdictBatch verdicts = new VerdictBatch(100);
                PendingVerdicts flight = gpu.submit(batch, verdicts);
                RuleDelta one = delta(5, 5);
                RuleDelta two = delta(5, 5);
                Future<?> written =
                        writer.submit(
                                () -> {
                                    gpu.apply(one);
                                    gpu.apply(two); // waits for the batch
                                });
                flight.await();
                written.get();
                assertArrayEquals(before, ids(verdicts));
                assertArrayEquals(wanted(live, batch), answers(gpu, batch));
            }
            writer.shutdown();
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = FaultInjector.Point.class,
            names = {"COPY", "LAUNCH", "AWAIT"})
    void aFailureCostsNoAnswerAndNoUpdate(FaultInjector.Point point) {
        try (GpuDevice device = new GpuDevice(driver, 0, 2, 256, 4);
                LiveClassifier live = live(Algorithm.of("tuple"), rules(300));
                GpuLiveClassifier gpu = new GpuLiveClassifier(device, live, clock::get)) {
            for (int step = 0; step < 200; step++) {
                if (step % 50 == 10) {
                    driver.fail(point, 1, 719);
                }
                gpu.apply(delta(2, 2));
                HeaderBatch batch = headers(live, 100);
                assertArrayEquals(wanted(live, batch), answers(gpu, batch), "step " + step);
                clock.addAndGet(SECOND / 5);
            }
            assertEquals(4, gpu.fallBacks());
            assertTrue(gpu.batches() > 150, () -> gpu.batches() + " batches on the device");
            assertFalse(gpu.resting());
        }
        assertEquals(0, fake.blocks(), "memory is left");
    }

    @Test
    void rulesThatDoNotChangeInPlaceAreRefused() {
        try (GpuDevice device = new GpuDevice(driver, 0, 1, 64, 4);
                LiveClassifier live = live(Algorithm.of("rfc"), rules(20))) {
            assertThrows(
                    UnsupportedOperationException.class, () -> new GpuLiveClassifier(device, live));
        }
    }
}
