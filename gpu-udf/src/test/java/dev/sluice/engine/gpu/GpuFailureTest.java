package dev.sluice.engine.gpu;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.engine.Engine;
import dev.sluice.engine.EngineOptions;
import dev.sluice.engine.gpu.driver.FaultInjector;
import dev.sluice.engine.lookup.Algorithm;
import dev.sluice.engine.lookup.Classifier;
import dev.sluice.engine.lookup.PendingVerdicts;
import dev.sluice.engine.lookup.StagedHeaders;
import dev.sluice.engine.lookup.VerdictBatch;
import dev.sluice.engine.rules.Match;
import dev.sluice.engine.rules.Rule;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.schemas.header.Field;
import dev.sluice.schemas.header.HeaderBatch;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A device that fails costs no answer, and is tried again. */
@Timeout(60)
class GpuFailureTest extends GpuFixture {
    @ParameterizedTest
    @EnumSource(
            value = FaultInjector.Point.class,
            names = {"COPY", "LAUNCH", "AWAIT"})
    void aBatchThatFailsIsClassifiedAgain(FaultInjector.Point point) {
        RuleSet rules = rules(11);
        Classifier cpu = Engine.compile(rules, EngineOptions.of(Algorithm.of("tuple")));
        try (GpuDevice device = device(2, 128);
                GpuClassifier gpu = new GpuClassifier(device, cpu, clock::get)) {
            HeaderBatch batch = headers(rules, 100, 4);
            int[] wanted = expected(cpu, batch);
            int uploads = fake.uploads;
            driver.fail(point, 2, 719);
            for (int round = 0; round < 100; round++) {
                VerdictBatch verdicts = new VerdictBatch(100);
                gpu.classify(batch, verdicts);
                assertArrayEquals(wanted, verdicts.rules(), "round " + round);
                if (round == 0) {
                    assertEquals(1, gpu.figures().fallBacks.sum());
                    assertTrue(gpu.resting());
                }
                clock.addAndGet(SECOND / 10);
            }
            // It failed at once and after a second; two seconds later it worked again.
            assertEquals(2, gpu.figures().fallBacks.sum());
            assertFalse(gpu.resting());
            assertTrue(
                    gpu.figures().batches.sum() > 60,
                    () -> gpu.figures().batches.sum() + " batches on the device");
            assertEquals(uploads + 2, fake.uploads, "the image was copied again");
        }
        assertEquals(0, fake.blocks(), "memory is left");
    }

    @Test
    void batchesOfBeforeAFailureEnd() {
        RuleSet rules = rules(13);
        Classifier cpu = Engine.compile(rules, EngineOptions.of(Algorithm.of("tuple")));
        try (GpuDevice device = device(3, 128);
                GpuClassifier gpu = new GpuClassifier(device, cpu, clock::get)) {
            HeaderBatch batch = headers(rules, 100, 4);
            int[] wanted = expected(cpu, batch);
            VerdictBatch[] verdicts = new VerdictBatch[3];
            PendingVerdicts[] flights = new PendingVerdicts[3];
            for (int b = 0; b < 3; b++) {
                verdicts[b] = new VerdictBatch(100);
                flights[b] = gpu.submit(batch, verdicts[b]);
            }
            driver.fail(FaultInjector.Point.AWAIT, 3, 214);
            flights[0].await();
            clock.addAndGet(2 * SECOND);
            VerdictBatch meanwhile = new VerdictBatch(100);
            gpu.classify(batch, meanwhile); // two are still under way: the CPU answers
            assertArrayEquals(wanted, meanwhile.rules());
            flights[1].await();
            flights[2].await();
            for (VerdictBatch each : verdicts) {
                assertArrayEquals(wanted, each.rules());
            }
            clock.addAndGet(100 * SECOND);
            VerdictBatch after = new VerdictBatch(100);
            gpu.classify(batch, after);
            assertArrayEquals(wanted, after.rules());
            assertEquals(1, gpu.figures().batches.sum());
        }
    }

    @Test
    void verdictsOfBeforeAFailureDoNotSayThatTheDeviceWorks() {
        RuleSet rules = rules(13);
        Classifier cpu = Engine.compile(rules, EngineOptions.of(Algorithm.of("tuple")));
        try (GpuDevice device = device(3, 128);
                GpuClassifier gpu = new GpuClassifier(device, cpu, clock::get)) {
            HeaderBatch batch = headers(rules, 100, 4);
            VerdictBatch before = new VerdictBatch(100);
            PendingVerdicts flight = gpu.submit(batch, before);
            driver.fail(FaultInjector.Point.LAUNCH, 1, 719);
            gpu.classify(batch, new VerdictBatch(100));
            flight.await();
            assertArrayEquals(expected(cpu, batch), before.rules());
            assertTrue(gpu.resting(), "it failed after that batch");
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aDeviceThatDoesNotOpenIsTriedLaterAndLater(boolean cpuHelps) {
        RuleSet rules = rules(15);
        Classifier cpu = Engine.compile(rules, EngineOptions.of(Algorithm.of("tuple")));
        try (GpuDevice device = device(1, 128);
                GpuClassifier gpu = new GpuClassifier(device, cpu, clock::get)) {
            gpu.cpuHelps(cpuHelps);
            HeaderBatch batch = headers(rules, 100, 4);
            int[] wanted = expected(cpu, batch);
            driver.fail(FaultInjector.Point.OPEN, 5, 999);
            driver.fail(FaultInjector.Point.LAUNCH, 1, 700);
            int seconds = 0;
            while (gpu.figures().batches.sum() == 0 && seconds < 200) {
                VerdictBatch verdicts = new VerdictBatch(100);
                gpu.classify(batch, verdicts);
                assertArrayEquals(wanted, verdicts.rules());
                clock.addAndGet(SECOND);
                seconds++;
            }
            // 1 + 2 + 4 + 8 + 16 + 32 seconds of rest.
            assertTrue(seconds >= 60 && seconds < 70, "worked again after " + seconds);
        }
    }

    @Test
    void aDeviceThatStaysAwayIsClosedOnce() {
        RuleSet rules = rules(15);
        Classifier cpu = Engine.compile(rules, EngineOptions.of(Algorithm.of("tuple")));
        try (GpuDevice device = device(1, 128);
                GpuClassifier gpu = new GpuClassifier(device, cpu, clock::get)) {
            HeaderBatch batch = headers(rules, 100, 4);
            driver.fail(FaultInjector.Point.OPEN, 1000, 999);
            driver.fail(FaultInjector.Point.LAUNCH, 1, 700);
            for (int second = 0; second < 10; second++) {
                VerdictBatch verdicts = new VerdictBatch(100);
                gpu.classify(batch, verdicts);
                assertArrayEquals(expected(cpu, batch), verdicts.rules());
                clock.addAndGet(SECOND);
            }
            assertEquals(0, gpu.figures().batches.sum());
        }
        assertEquals(0, fake.open);
    }

    @ParameterizedTest
    @EnumSource(
            value = FaultInjector.Point.class,
            names = {"COPY", "LAUNCH", "AWAIT"})
    void pinnedHeadersOutliveAFailure(FaultInjector.Point point) {
        // Four words, so that words that move together cross others' old places.
        List<Rule> wide = new ArrayList<>(rules(41).rules());
        Match all =
                new Match.Builder()
                        .field(Field.IPV4_SRC, 0x0a000000, 0xff000000)
                        .field(Field.IP_PROTO, 6)
                        .build();
        wide.add(new Rule(1000, 99, all, "a", 1000));
        RuleSet rules = RuleSet.inListOrder("wide", 1, RuleSet.DROP, wide);
        assertEquals(4, rules.layout().size());
        Classifier cpu = Engine.compile(rules, EngineOptions.of(Algorithm.of("tuple")));
        try (GpuDevice device = device(2, 256);
                GpuClassifier gpu = new GpuClassifier(device, cpu, clock::get)) {
            HeaderBatch batch = headers(rules, 60, 4);
            int[] wanted = expected(cpu, batch);
            HeaderBatch spare = new HeaderBatch(cpu.layout(), 200);
            driver.fail(point, 1, 719);
            StagedHeaders failing = gpu.stage(200);
            StagedHeaders late = gpu.stage(200);
            assertNotNull(failing);
            assertNotNull(late);
            for (StagedHeaders staging : List.of(failing, late)) {
                write(staging, batch);
                VerdictBatch verdicts = new VerdictBatch(200);
                staging.submit(60, spare, verdicts).await();
                assertArrayEquals(wanted, Arrays.copyOf(verdicts.rules(), 60));
            }
            assertEquals(1, gpu.figures().fallBacks.sum());
            assertEquals(1, gpu.figures().cpuBatches.sum(), "the second found the device at rest");
            assertNull(gpu.stage(200), "it rests");
            clock.addAndGet(2 * SECOND);
            VerdictBatch verdicts = new VerdictBatch(60);
            gpu.classify(batch, verdicts);
            assertArrayEquals(wanted, verdicts.rules());
            assertEquals(1, gpu.figures().batches.sum());
            StagedHeaders again = gpu.stage(200);
            assertNotNull(again);
            again.drop();
        }
        assertEquals(0, fake.blocks(), "memory is left");
    }
}
