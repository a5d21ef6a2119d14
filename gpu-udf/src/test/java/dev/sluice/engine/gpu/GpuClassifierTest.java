package dev.sluice.engine.gpu;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.engine.Engine;
import dev.sluice.engine.EngineOptions;
import dev.sluice.engine.gpu.driver.FaultInjector;
import dev.sluice.engine.gpu.memory.StagingBuffer;
import dev.sluice.engine.gpu.memory.StagingPool;
import dev.sluice.engine.image.Image;
import dev.sluice.engine.lookup.Algorithm;
import dev.sluice.engine.lookup.Classifier;
import dev.sluice.engine.lookup.PendingVerdicts;
import dev.sluice.engine.lookup.StagedHeaders;
import dev.sluice.engine.lookup.VerdictBatch;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.schemas.header.HeaderBatch;
import dev.sluice.schemas.testing.Await;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Batches that go to a device, with a driver that runs on the heap. */
@Timeout(60)
class GpuClassifierTest extends GpuFixture {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "copy",
                "mapped",
                "on-demand,copy,streams=1",
                "on-demand,mapped",
                "copy,streams=1",
                "mapped,streams=2,gather=4",
                "copy,gather=8",
                "persistent,mapped",
                "persistent,mapped,gather=2"
            })
    void batchesOfAnySizeAreAnswered(String mode) {
        RuleSet rules = rules(3);
        Classifier cpu = Engine.compile(rules, EngineOptions.of(Algorithm.of("tuple")));
        try (GpuDevice device = device(2, 256);
                GpuClassifier gpu = new GpuClassifier(device, cpu)) {
            gpu.offloadMode(mode(mode));
            for (int size : new int[] {0, 1, 31, 32, 255, 256, 257, 1000}) {
                HeaderBatch batch = headers(rules, Math.max(1, size), size);
                batch.size(size);
                VerdictBatch verdicts = new VerdictBatch(Math.max(1, size));
                gpu.classify(batch, verdicts);
                int[] wanted = expected(cpu, batch);
                assertArrayEquals(
                        Arrays.copyOf(wanted, size), Arrays.copyOf(verdicts.rules(), size));
            }
            assertEquals(7, gpu.figures().batches.sum());
            assertEquals(0, gpu.figures().fallBacks.sum());
        }
        assertEquals(0, fake.blocks(), "memory is left");
        assertEquals(0, fake.open + fake.pinned + fake.streams);
    }

    @Test
    void severalBatchesAreUnderWayAndNeverMoreThanBuffers() {
        RuleSet rules = rules(5);
        Classifier cpu = Engine.compile(rules, EngineOptions.of(Algorithm.of("tuple")));
        try (GpuDevice device = device(3, 128);
                GpuClassifier gpu = new GpuClassifier(device, cpu)) {
            Deque<PendingVerdicts> flights = new ArrayDeque<>();
            List<HeaderBatch> batches = new ArrayList<>();
            List<VerdictBatch> verdicts = new ArrayList<>();
            for (int b = 0; b < 30; b++) {
                batches.add(headers(rules, 100, b));
                verdicts.add(new VerdictBatch(100));
                flights.add(gpu.submit(batches.get(b), verdicts.get(b)));
                assertTrue(device.memory().staging().busy() <= 3);
                if (flights.size() == 3) {
                    flights.remove().await();
                }
            }
            assertEquals(2, device.memory().staging().busy());
            flights.forEach(PendingVerdicts::await);
            for (int b = 0; b < 30; b++) {
                assertArrayEquals(expected(cpu, batches.get(b)), verdicts.get(b).rules());
            }
            assertEquals(0, device.memory().staging().busy());
        }
    }

    @Test
    void whoFindsNoBufferWaitsOrLetsTheCpuHelp() throws Exception {
        RuleSet rules = rules(5);
        Classifier cpu = Engine.compile(rules, EngineOptions.of(Algorithm.of("tuple")));
        try (GpuDevice device = device(1, 128);
                GpuClassifier gpu = new GpuClassifier(device, cpu)) {
            HeaderBatch batch = headers(rules, 100, 1);
            VerdictBatch first = new VerdictBatch(100);
            PendingVerdicts flight = gpu.submit(batch, first);
            VerdictBatch second = new VerdictBatch(100);
            FutureTask<?> waiting = new FutureTask<>(() -> gpu.classify(batch, second), null);
            Thread other = new Thread(waiting);
            other.start();
            Await.until(() -> other.getState() == Thread.State.WAITING);
            gpu.cpuHelps(true);
            VerdictBatch third = new VerdictBatch(100);
            gpu.classify(batch, third);
            assertEquals(1, gpu.figures().cpuBatches.sum());
            flight.await();
            waiting.get();
            int[] wanted = expected(cpu, batch);
            assertArrayEquals(wanted, first.rules());
            assertArrayEquals(wanted, second.rules());
            assertArrayEquals(wanted, third.rules());
        }
    }

    @Test
    void anImageIsThereOnceAndGoesWithItsLastUser() {
        RuleSet rules = rules(7);
        try (GpuDevice device = device(1, 64)) {
            int empty = fake.blocks();
            GpuClassifier a =
                    new GpuClassifier(
                            device, Engine.compile(rules, EngineOptions.of(Algorithm.of("tuple"))));
            GpuClassifier b =
                    new GpuClassifier(
                            device, Engine.compile(rules, EngineOptions.of(Algorithm.of("tuple"))));
            GpuClassifier other =
                    new GpuClassifier(
                            device,
                            Engine.compile(rules(9), EngineOptions.of(Algorithm.of("tuple"))));
            assertEquals(2, device.memory().images().count());
            assertEquals(empty + 2, fake.blocks());
            a.close();
            a.close();
            assertEquals(2, device.memory().images().count());
            b.close();
            other.close();
            assertEquals(0, device.memory().images().count());
            assertEquals(empty, fake.blocks());
        }
    }

    @Test
    void anImageAtTheAddressOfAnotherIsNotTakenForIt() {
        try (GpuDevice device = device(1, 128)) {
            for (int seed = 3; seed < 40; seed += 2) {
                RuleSet rules = rules(seed);
                Classifier cpu = Engine.compile(rules, EngineOptions.of(Algorithm.of("tuple")));
                try (GpuClassifier gpu = new GpuClassifier(device, cpu)) {
                    HeaderBatch batch = headers(rules, 100, seed);
                    VerdictBatch verdicts = new VerdictBatch(100);
                    gpu.classify(batch, verdicts);
                    assertArrayEquals(expected(cpu, batch), verdicts.rules());
                }
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"copy", "mapped", "persistent,mapped", "on-demand,copy"})
    void headersWrittenToPinnedMemoryAreAnswered(String mode) {
        RuleSet rules = rules(39);
        Classifier cpu = Engine.compile(rules, EngineOptions.of(Algorithm.of("tuple")));
        try (GpuDevice device = device(2, 256);
                GpuClassifier gpu = new GpuClassifier(device, cpu, clock::get)) {
            gpu.offloadMode(mode(mode));
            HeaderBatch spare = new HeaderBatch(cpu.layout(), 200);
            for (int size : new int[] {0, 1, 33, 100, 150, 200}) {
                HeaderBatch batch = headers(rules, Math.max(1, size), size);
                batch.size(size);
                StagedHeaders staging = gpu.stage(200);
                assertNotNull(staging);
                write(staging, batch);
                VerdictBatch verdicts = new VerdictBatch(200);
                staging.submit(size, spare, verdicts).await();
                int[] wanted = Arrays.copyOf(expected(cpu, batch), size);
                assertArrayEquals(wanted, Arrays.copyOf(verdicts.rules(), size));
            }
            assertEquals(5, gpu.figures().batches.sum(), "an empty one is none for the device");
            StagedHeaders first = gpu.stage(200);
            StagedHeaders second = gpu.stage(200);
            assertNotNull(first);
            assertNotNull(second);
            assertNull(gpu.stage(200), "no third one");
            first.drop();
            second.drop();
            assertNull(gpu.stage(500), "a buffer is smaller");
            assertEquals(0, device.memory().staging().busy());
        }
        assertEquals(0, fake.blocks(), "memory is left");
    }

    @ParameterizedTest
    @CsvSource({"1000, 5", "7, 3"})
    void buffersBecomeMoreAsBatchesNeedThemAndMemoryAllows(int pinnedBlocks, int wanted) {
        RuleSet rules = rules(39);
        Classifier cpu = Engine.compile(rules, EngineOptions.of(Algorithm.of("tuple")));
        HeaderBatch batch = headers(rules, 100, 5);
        fake.mostPinned = pinnedBlocks; // two a buffer
        try (GpuDevice device = new GpuDevice(driver, 0, new StagingPool.Size(2, 5, 256, 4));
                GpuClassifier gpu = new GpuClassifier(device, cpu, clock::get)) {
            gpu.cpuHelps(true);
            List<VerdictBatch> verdicts = new ArrayList<>();
            List<PendingVerdicts> pending = new ArrayList<>();
            for (int b = 0; b < wanted; b++) {
                verdicts.add(new VerdictBatch(100));
                pending.add(gpu.submit(batch, verdicts.get(b)));
            }
            assertEquals(wanted, device.memory().staging().busy(), "a batch found no buffer");
            assertNull(gpu.stage(100), "a batch that only fills takes the last buffer");
            VerdictBatch one = new VerdictBatch(100);
            gpu.submit(batch, one).await();
            assertEquals(
                    1,
                    gpu.figures().cpuBatches.sum(),
                    "more batches are under way than there may be");
            assertTrue(gpu.full());
            assertArrayEquals(expected(cpu, batch), one.rules());
            for (int b = 0; b < wanted; b++) {
                pending.get(b).await();
                assertArrayEquals(expected(cpu, batch), verdicts.get(b).rules());
            }
            assertEquals(wanted, gpu.figures().batches.sum());
            assertFalse(gpu.full());
        }
        assertEquals(0, fake.blocks(), "memory is left");
    }

    @Test
    void manyThreadsMakeNoMoreBuffersThanThereMayBe() throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(8);
        try (GpuDevice device = new GpuDevice(driver, 0, new StagingPool.Size(1, 3, 64, 4))) {
            StagingPool pool = device.memory().staging();
            List<Future<?>> ends = new ArrayList<>();
            for (int t = 0; t < 8; t++) {
                ends.add(
                        threads.submit(
                                () -> {
                                    for (int b = 0; b < 20_000; b++) {
                                        StagingBuffer taken = pool.poll();
                                        if (taken != null) {
                                            assertTrue(taken.number() < 3);
                                            pool.give(taken);
                                        }
                                    }
                                }));
            }
            for (Future<?> end : ends) {
                end.get();
            }
            assertEquals(0, pool.busy());
        } finally {
            threads.shutdownNow();
        }
        assertEquals(0, fake.blocks(), "memory is left");
    }

    @Test
    void theDeviceMayLookIntoAnotherImageOfTheSameRules() {
        RuleSet rules = rules(23);
        Classifier cpu = Engine.compile(rules, EngineOptions.of(Algorithm.of("tuple")));
        Image other = Engine.compile(rules, EngineOptions.of(Algorithm.of("forest"))).image();
        HeaderBatch headers = headers(rules, 500, 24);
        try (GpuDevice device = device(2, 512);
                GpuClassifier gpu = new GpuClassifier(device, cpu, other)) {
            assertEquals("forest", Algorithm.ofCode(gpu.deviceImage().algorithm()).label());
            assertEquals(cpu.image().bytes() + 2 * other.bytes(), gpu.bytes());
            VerdictBatch verdicts = new VerdictBatch(500);
            gpu.classify(headers, verdicts);
            assertArrayEquals(expected(cpu, headers), verdicts.rules());
            driver.fail(FaultInjector.Point.LAUNCH, 1, 719);
            gpu.classify(headers, verdicts);
            assertArrayEquals(expected(cpu, headers), verdicts.rules());
            assertEquals(1, gpu.figures().fallBacks.sum());
            Image fewer =
                    Engine.compile(
                                    RuleSet.of("f", 1, RuleSet.DROP, rules.rules().subList(0, 9)),
                                    EngineOptions.of(Algorithm.of("forest")))
                            .image();
            assertThrows(
                    IllegalArgumentException.class, () -> new GpuClassifier(device, cpu, fewer));
        }
        assertEquals(0, fake.held());
    }
}
