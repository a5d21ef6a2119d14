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
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Kernels that stay on a device and take batches from a ring. */
@Timeout(60)
class KernelsThatStayTest extends GpuFixture {
    @Test
    void aKernelThatStaysTakesManyBatchesAndLeavesWhenNothingComes() throws Exception {
        RuleSet rules = rules(19);
        Classifier cpu = Engine.compile(rules, EngineOptions.of(Algorithm.of("tuple")));
        try (GpuDevice device = device(3, 128);
                GpuClassifier gpu = new GpuClassifier(device, cpu)) {
            device.residency(20_000, 10_000_000);
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
            while (device.resident() > 0) {
                Thread.sleep(1); // it leaves by itself
            }
            VerdictBatch again = new VerdictBatch(100);
            gpu.classify(batch, again);
            assertArrayEquals(wanted, again.rules());
            assertTrue(fake.residencies > started);
            assertEquals(1, device.resident());
            gpu.rest();
            assertEquals(0, device.resident());
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
            device.residency(10_000_000, 10_000_000);
            gpu.offloadMode(mode("persistent,mapped"));
            HeaderBatch batch = headers(rules, 100, 4);
            int[] wanted = expected(cpu, batch);
            for (int seed = 3; seed < 20; seed++) {
                VerdictBatch verdicts = new VerdictBatch(100);
                gpu.classify(batch, verdicts);
                assertArrayEquals(wanted, verdicts.rules());
                assertTrue(device.resident() > 0);
                Classifier next =
                        Engine.compile(rules(seed), EngineOptions.of(Algorithm.of("tuple")));
                // The fake driver refuses memory that comes or goes under a kernel that stays.
                try (GpuClassifier other = new GpuClassifier(device, next)) {
                    other.offloadMode(mode("persistent,mapped"));
                    other.classify(batch, verdicts);
                    assertArrayEquals(expected(next, batch), verdicts.rules());
                }
            }
            assertEquals(0, gpu.fallBacks());
        }
        assertEquals(0, fake.blocks(), "memory is left");
    }

    @Test
    void aKernelThatStaysYieldsToASecondJob() throws Exception {
        fake.oneAtATime = true; // nothing else runs while it stays
        RuleSet rules = rules(23);
        Classifier cpu = Engine.compile(rules, EngineOptions.of(Algorithm.of("tuple")));
        Classifier otherCpu = Engine.compile(rules(25), EngineOptions.of(Algorithm.of("tuple")));
        try (GpuDevice device = device(4, 128);
                GpuClassifier gpu = new GpuClassifier(device, cpu);
                GpuClassifier second = new GpuClassifier(device, otherCpu)) {
            device.residency(10_000_000, 20_000);
            gpu.offloadMode(mode("persistent,mapped"));
            HeaderBatch batch = headers(rules, 100, 4);
            int[] wanted = expected(cpu, batch);
            AtomicBoolean stop = new AtomicBoolean();
            ExecutorService first = Executors.newSingleThreadExecutor();
            Future<Integer> batches =
                    first.submit(
                            () -> {
                                int answered = 0;
                                while (!stop.get()) {
                                    VerdictBatch verdicts = new VerdictBatch(100);
                                    gpu.classify(batch, verdicts);
                                    assertArrayEquals(wanted, verdicts.rules());
                                    answered++;
                                }
                                return answered;
                            });
            while (gpu.batches() == 0) {
                Thread.onSpinWait();
            }
            int[] other = expected(otherCpu, batch);
            for (int b = 0; b < 5; b++) {
                VerdictBatch verdicts = new VerdictBatch(100);
                second.classify(batch, verdicts);
                assertArrayEquals(other, verdicts.rules());
            }
            stop.set(true);
            assertTrue(batches.get() > 0);
            first.shutdown();
            assertEquals(0, gpu.fallBacks() + second.fallBacks());
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
            device.residency(2_000, 4_000);
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
            assertEquals(1, gpu.fallBacks());
            assertFalse(gpu.resting());
            assertTrue(gpu.batches() > 150, () -> gpu.batches() + " batches on the device");
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
