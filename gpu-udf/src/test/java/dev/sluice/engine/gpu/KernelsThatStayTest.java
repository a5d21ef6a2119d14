package dev.sluice.engine.gpu;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.engine.Engine;
import dev.sluice.engine.EngineOptions;
import dev.sluice.engine.gpu.driver.FaultInjector;
import dev.sluice.engine.lookup.Algorithm;
import dev.sluice.engine.lookup.Classifier;
import dev.sluice.engine.lookup.PendingVerdicts;
import dev.sluice.engine.lookup.VerdictBatch;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.schemas.header.HeaderBatch;
import dev.sluice.schemas.testing.Await;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Kernels that stay on a device and take batches from a ring. */
@Timeout(60)
class KernelsThatStayTest extends GpuFixture {
    @Test
    void aKernelThatStaysTakesManyBatchesAndLeavesWhenNothingComes() throws Exception {
        RuleSet rules = rules(19);
        Classifier cpu = Engine.compile(rules, EngineOptions.of(Algorithm.of("tuple")));
        try (GpuDevice device = device(3, 128);
                GpuClassifier gpu = new GpuClassifier(device, cpu)) {
            device.residents().residency(20_000, 10_000_000);
            gpu.offloadMode(mode("persistent,mapped"));
            HeaderBatch batch = headers(rules, 100, 4);
            int[] wanted = expected(cpu, batch);
            for (int b = 0; b < 500; b++) { // the ring goes round several times
                VerdictBatch first = new VerdictBatch(100);
                VerdictBatch second = new VerdictBatch(100);
                PendingVerdicts flight = gpu.submit(batch, first);
                gpu.classify(batch, second);
                flight.await();
                assertArrayEquals(wanted, first.rules());
                assertArrayEquals(wanted, second.rules());
            }
            int started = fake.residencies;
            assertEquals(0, fake.launches);
            Await.until(() -> device.residents().running() == 0); // it leaves by itself
            VerdictBatch again = new VerdictBatch(100);
            gpu.classify(batch, again);
            assertArrayEquals(wanted, again.rules());
            assertTrue(fake.residencies > started);
            assertEquals(1, device.residents().running());
            gpu.rest();
            assertEquals(0, device.residents().running());
        }
        assertEquals(0, fake.blocks(), "memory is left");
        assertEquals(0, fake.open + fake.pinned + fake.streams);
    }

    @Test
    void aKernelThatStaysLeavesBeforeImagesComeAndGo() {
        RuleSet rules = rules(21);
        Classifier cpu = Engine.compile(rules, EngineOptions.of(Algorithm.of("tuple")));
        try (GpuDevice device = device(2, 128);
                GpuClassifier gpu = new GpuClassifier(device, cpu)) {
            device.residents().residency(10_000_000, 10_000_000);
            gpu.offloadMode(mode("persistent,mapped"));
            HeaderBatch batch = headers(rules, 100, 4);
            int[] wanted = expected(cpu, batch);
            for (int seed = 3; seed < 20; seed++) {
                VerdictBatch verdicts = new VerdictBatch(100);
                gpu.classify(batch, verdicts);
                assertArrayEquals(wanted, verdicts.rules());
                assertTrue(device.residents().running() > 0);
                Classifier next =
                        Engine.compile(rules(seed), EngineOptions.of(Algorithm.of("tuple")));
                // The fake driver refuses memory that comes or goes under a kernel that stays.
                try (GpuClassifier other = new GpuClassifier(device, next)) {
                    other.offloadMode(mode("persistent,mapped"));
                    other.classify(batch, verdicts);
                    assertArrayEquals(expected(next, batch), verdicts.rules());
                }
            }
            assertEquals(0, gpu.figures().fallBacks.sum());
        }
        assertEquals(0, fake.blocks(), "memory is left");
    }

    /** A job as another process or class loader has it: a driver and a context of its own. */
    private static final class Job implements AutoCloseable {
        private final FakeDriver driver;
        private final RuleSet rules;
        private final Classifier cpu;
        private final GpuDevice device;
        private final GpuClassifier gpu;
        private final HeaderBatch batch;
        private final int[] wanted;

        Job(ReentrantLock chip, int seed, String mode) {
            driver = new FakeDriver(1, chip);
            rules = rules(seed);
            cpu = Engine.compile(rules, EngineOptions.of(Algorithm.of("tuple")));
            device = new GpuDevice(driver, 0, 4, 128, 4);
            device.residents().residency(10_000_000, 20_000);
            gpu = new GpuClassifier(device, cpu);
            gpu.offloadMode(mode(mode));
            batch = headers(rules, 100, 4);
            wanted = expected(cpu, batch);
        }

        void classify() {
            VerdictBatch verdicts = new VerdictBatch(100);
            gpu.classify(batch, verdicts);
            assertArrayEquals(wanted, verdicts.rules());
        }

        @Override
        public void close() {
            assertEquals(0, gpu.figures().fallBacks.sum() + gpu.figures().cpuBatches.sum());
            gpu.close();
            device.close();
            assertEquals(0, driver.held(), "things are left on the device");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"asynchronous,copy", "persistent,mapped"})
    void aKernelThatStaysYieldsToAJobWithAContextOfItsOwn(String secondsMode) throws Exception {
        ReentrantLock chip = new ReentrantLock(true); // nothing else runs while a kernel stays
        try (Job first = new Job(chip, 23, "persistent,mapped");
                Job second = new Job(chip, 25, secondsMode)) {
            AtomicBoolean stop = new AtomicBoolean();
            ExecutorService thread = Executors.newSingleThreadExecutor();
            Future<?> busy =
                    thread.submit(
                            () -> {
                                while (!stop.get()) {
                                    first.classify(); // it is never idle
                                }
                            });
            while (first.gpu.figures().batches.sum() == 0) {
                assertFalse(busy.isDone(), "the first job ended");
                Thread.onSpinWait();
            }
            // Batches come all the time, so its time is over each time that it leaves.
            int answered = 0;
            for (; answered < 5 || first.device.residents().residencies() < 4; answered++) {
                second.classify();
            }
            stop.set(true);
            busy.get();
            thread.shutdown();
            assertEquals(answered, second.gpu.figures().batches.sum());
        }
    }

    @Test
    void aSecondJobWaitsForAKernelThatDoesNotLeave() throws Exception {
        ReentrantLock chip = new ReentrantLock(true);
        try (Job first = new Job(chip, 23, "persistent,mapped");
                Job second = new Job(chip, 25, "asynchronous,copy")) {
            first.device.residents().residency(30_000_000, 30_000_000);
            first.classify();
            Thread waiting = new Thread(second::classify);
            waiting.start();
            while (!chip.hasQueuedThread(waiting)) {
                Thread.onSpinWait();
            }
            assertEquals(0, second.gpu.figures().batches.sum());
            first.gpu.rest(); // its job says that no batch comes for a while
            waiting.join();
            assertEquals(1, second.gpu.figures().batches.sum());
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = FaultInjector.Point.class,
            names = {"LAUNCH", "AWAIT"})
    void aKernelThatStaysAndFailsIsStartedAgain(FaultInjector.Point point) {
        RuleSet rules = rules(27);
        Classifier cpu = Engine.compile(rules, EngineOptions.of(Algorithm.of("tuple")));
        try (GpuDevice device = device(2, 128);
                GpuClassifier gpu = new GpuClassifier(device, cpu, clock::get)) {
            device.residents().residency(2_000, 4_000);
            gpu.offloadMode(mode("persistent,mapped"));
            HeaderBatch batch = headers(rules, 100, 4);
            int[] wanted = expected(cpu, batch);
            driver.fail(point, 1, 719);
            for (int round = 0; round < 200; round++) {
                VerdictBatch verdicts = new VerdictBatch(100);
                gpu.classify(batch, verdicts);
                assertArrayEquals(wanted, verdicts.rules());
                clock.addAndGet(SECOND / 10);
                gpu.rest();
            }
            assertEquals(1, gpu.figures().fallBacks.sum());
            assertFalse(gpu.resting());
            assertTrue(
                    gpu.figures().batches.sum() > 150,
                    () -> gpu.figures().batches.sum() + " batches on the device");
        }
    }

    @Test
    void aPapersKernelDoesNotStay() {
        Classifier cpu = Engine.compile(rules(37), EngineOptions.of(Algorithm.of("linear")));
        try (GpuDevice device = device(1, 64);
                GpuClassifier gpu = new GpuClassifier(device, cpu, "paper_linear")) {
            assertThrows(
                    IllegalArgumentException.class,
                    () -> gpu.offloadMode(mode("persistent,mapped")));
        }
    }
}
