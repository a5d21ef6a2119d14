package dev.sluice.engine.gpu;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.sluice.engine.Engine;
import dev.sluice.engine.EngineOptions;
import dev.sluice.engine.gpu.driver.FaultInjector;
import dev.sluice.engine.lookup.Algorithm;
import dev.sluice.engine.lookup.Classifier;
import dev.sluice.engine.lookup.PendingVerdicts;
import dev.sluice.engine.lookup.VerdictBatch;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.schemas.header.HeaderBatch;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Batches of several instances that share a launch. */
@Timeout(60)
class SharedLaunchTest extends GpuFixture {
    @Test
    void batchesOfSeveralInstancesShareALaunchAndGetTheirOwnVerdicts() {
        RuleSet rules = rules(29);
        Classifier plain = Engine.compile(rules, EngineOptions.of(Algorithm.of("tuple")));
        try (GpuDevice device = device(2, 1024)) {
            List<GpuClassifier> instances = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                Classifier cpu = Engine.compile(rules, EngineOptions.of(Algorithm.of("tuple")));
                GpuClassifier gpu = new GpuClassifier(device, cpu);
                gpu.offloadMode(mode("gather=4"));
                instances.add(gpu);
            }
            List<PendingVerdicts> flights = new ArrayList<>();
            List<HeaderBatch> batches = new ArrayList<>();
            List<VerdictBatch> verdicts = new ArrayList<>();
            for (int b = 0; b < 7; b++) {
                HeaderBatch batch = headers(rules, 10 + 30 * b, b);
                batches.add(batch);
                verdicts.add(new VerdictBatch(batch.size()));
                flights.add(instances.get(b % 4).submit(batch, verdicts.get(b)));
            }
            assertEquals(
                    1,
                    device.memory().staging().busy(),
                    "three wait for a fourth, or for somebody who waits");
            for (int b = 6; b >= 0; b--) {
                flights.get(b).await();
                int[] wanted = expected(plain, batches.get(b));
                assertArrayEquals(wanted, verdicts.get(b).rules());
            }
            assertEquals(0, device.memory().staging().busy());
            assertEquals(7, instances.stream().mapToLong(gpu -> gpu.figures().batches.sum()).sum());
            instances.forEach(GpuClassifier::close);
        }
        assertEquals(2, fake.launches);
    }

    @Test
    void aSharedLaunchThatFailsIsDoneAgainForAll() {
        RuleSet rules = rules(31);
        Classifier cpu = Engine.compile(rules, EngineOptions.of(Algorithm.of("tuple")));
        try (GpuDevice device = device(2, 1024);
                GpuClassifier gpu = new GpuClassifier(device, cpu, clock::get)) {
            gpu.offloadMode(mode("gather=4"));
            HeaderBatch batch = headers(rules, 100, 4);
            int[] wanted = expected(cpu, batch);
            driver.fail(FaultInjector.Point.AWAIT, 1, 719);
            List<PendingVerdicts> flights = new ArrayList<>();
            List<VerdictBatch> verdicts = new ArrayList<>();
            for (int b = 0; b < 3; b++) {
                verdicts.add(new VerdictBatch(100));
                flights.add(gpu.submit(batch, verdicts.get(b)));
            }
            flights.forEach(PendingVerdicts::await);
            verdicts.forEach(v -> assertArrayEquals(wanted, v.rules()));
            assertEquals(3, gpu.figures().fallBacks.sum());
            assertEquals(0, device.memory().staging().busy());
        }
    }

    @Test
    void threadsShareLaunchesWithoutMixingVerdicts() throws Exception {
        RuleSet rules = rules(33);
        Classifier cpu = Engine.compile(rules, EngineOptions.of(Algorithm.of("tuple")));
        try (GpuDevice device = device(4, 2048);
                GpuClassifier gpu = new GpuClassifier(device, cpu)) {
            gpu.offloadMode(mode("gather=4,streams=1"));
            ExecutorService threads = Executors.newFixedThreadPool(4);
            List<Future<?>> all = new ArrayList<>();
            for (int t = 0; t < 4; t++) {
                HeaderBatch batch = headers(rules, 50 + 100 * t, t);
                int[] wanted = expected(cpu, batch);
                all.add(
                        threads.submit(
                                () -> {
                                    for (int b = 0; b < 300; b++) {
                                        VerdictBatch verdicts = new VerdictBatch(batch.size());
                                        gpu.classify(batch, verdicts);
                                        assertArrayEquals(wanted, verdicts.rules());
                                    }
                                }));
            }
            for (Future<?> one : all) {
                one.get();
            }
            threads.shutdown();
            assertEquals(0, gpu.figures().fallBacks.sum());
            assertEquals(0, device.memory().staging().busy());
        }
    }
}
