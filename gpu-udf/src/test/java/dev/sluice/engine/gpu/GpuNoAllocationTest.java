package dev.sluice.engine.gpu;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.engine.Engine;
import dev.sluice.engine.EngineFigures;
import dev.sluice.engine.EngineOptions;
import dev.sluice.engine.RuleSetVersion;
import dev.sluice.engine.lookup.Algorithm;
import dev.sluice.engine.lookup.Classifier;
import dev.sluice.engine.lookup.PendingVerdicts;
import dev.sluice.engine.lookup.StagedHeaders;
import dev.sluice.engine.lookup.VerdictBatch;
import dev.sluice.engine.rules.RuleDelta;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.engine.testing.SteadyAllocation;
import dev.sluice.schemas.header.HeaderBatch;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A batch's way to a device and back leaves nothing for the garbage collector, in every offload
 * mode; what the driver on the heap allocates is not counted.
 */
@Timeout(60)
class GpuNoAllocationTest extends GpuFixture {
    private static final int ROUNDS = 200;
    private static final int WARM_UP = 60;
    private static final int UNDER_WAY = 4;
    private static final int HEADERS = 100;

    /** A lock that another thread has may allocate a little now and then; a batch must not. */
    private static final long QUIET = ROUNDS;

    private int rounds;

    /** Batches that are under way together, one round after another. */
    private static final class Batches {
        final HeaderBatch headers;
        final VerdictBatch[] verdicts = new VerdictBatch[UNDER_WAY];
        final PendingVerdicts[] pending = new PendingVerdicts[UNDER_WAY];

        Batches(RuleSet rules) {
            headers = headers(rules, HEADERS, 4);
            for (int b = 0; b < UNDER_WAY; b++) {
                verdicts[b] = new VerdictBatch(HEADERS);
            }
        }

        void await() {
            for (int b = 0; b < UNDER_WAY; b++) {
                pending[b].await();
            }
        }

        void assertAnswered(int[] wanted) {
            for (VerdictBatch each : verdicts) {
                assertArrayEquals(wanted, each.rules());
            }
        }
    }

    private void assertNothing(Runnable round) {
        Runnable counted =
                () -> {
                    rounds++;
                    round.run();
                };
        for (int r = 0; r < WARM_UP; r++) {
            counted.run();
        }
        long bytes =
                SteadyAllocation.leastBytes(
                        () -> AllocationMeter.all() - fake.meter().inside(),
                        QUIET,
                        ROUNDS,
                        counted);
        assertTrue(
                bytes < QUIET, () -> "%d bytes in %d batches".formatted(bytes, ROUNDS * UNDER_WAY));
    }

    private static Classifier cpu(RuleSet rules) {
        return Engine.compile(rules, EngineOptions.of(Algorithm.of("tuple")));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "asynchronous,copy",
                "asynchronous,mapped",
                "asynchronous,copy,streams=1",
                "on-demand,copy",
                "persistent,mapped",
                "asynchronous,copy,gather=2",
                "asynchronous,copy,gather=8"
            })
    void aBatchAllocatesNothing(String mode) {
        RuleSet rules = rules(19);
        Classifier cpu = cpu(rules);
        try (GpuDevice device = new GpuDevice(fake, 0, UNDER_WAY, 8 * HEADERS, 4);
                GpuClassifier gpu = new GpuClassifier(device, cpu)) {
            device.residents().residency(10_000_000, 10_000_000);
            gpu.offloadMode(mode(mode));
            Batches batches = new Batches(rules);
            assertNothing(
                    () -> {
                        for (int b = 0; b < UNDER_WAY; b++) {
                            batches.pending[b] = gpu.submit(batches.headers, batches.verdicts[b]);
                        }
                        batches.await();
                    });
            batches.assertAnswered(expected(cpu, batches.headers));
            assertEquals(rounds * UNDER_WAY, gpu.figures().batches.sum(), "not on the device");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"asynchronous,copy", "persistent,mapped", "on-demand,mapped"})
    void neitherDoHeadersThatAreWrittenToTheDevicesMemory(String mode) {
        RuleSet rules = rules(19);
        Classifier cpu = cpu(rules);
        // Batches that fill have half of the buffers at most.
        try (GpuDevice device = new GpuDevice(fake, 0, 2 * UNDER_WAY, 128, 4);
                GpuClassifier gpu = new GpuClassifier(device, cpu)) {
            device.residents().residency(10_000_000, 10_000_000);
            gpu.offloadMode(mode(mode));
            Batches batches = new Batches(rules);
            HeaderBatch spare = new HeaderBatch(rules.layout(), HEADERS);
            assertNothing(
                    () -> {
                        for (int b = 0; b < UNDER_WAY; b++) {
                            StagedHeaders staged = Objects.requireNonNull(gpu.stage(HEADERS));
                            write(staged, batches.headers);
                            batches.pending[b] = staged.submit(HEADERS, spare, batches.verdicts[b]);
                        }
                        batches.await();
                    });
            batches.assertAnswered(expected(cpu, batches.headers));
            assertEquals(rounds * UNDER_WAY, gpu.figures().batches.sum(), "not on the device");
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"asynchronous,copy", "asynchronous,mapped", "persistent,mapped,gather=4"})
    void neitherDoBatchesOfVersionsWithChangesAtTheEnginesDoor(String mode) {
        RuleSet rules = rules(19);
        FakeDriver.install(fake);
        EngineOptions options =
                EngineOptions.of(Algorithm.of("tuple"))
                        .withFlowCache(0)
                        .withGpu(new GpuPool.Selection(false, List.of(0)))
                        .withOffload(OffloadPreference.parse(mode).decided());
        try (Engine engine = Engine.open(rules, options);
                RuleSetVersion first =
                        engine.apply(2, RuleDelta.remove(rules.rules().get(3).id()));
                RuleSetVersion second =
                        engine.apply(3, RuleDelta.remove(rules.rules().get(7).id()))) {
            Batches batches = new Batches(rules);
            assertNothing(
                    () -> {
                        batches.pending[0] =
                                engine.current().submit(batches.headers, batches.verdicts[0]);
                        batches.pending[1] = first.submit(batches.headers, batches.verdicts[1]);
                        batches.pending[2] = second.submit(batches.headers, batches.verdicts[2]);
                        batches.pending[3] =
                                engine.current().submit(batches.headers, batches.verdicts[3]);
                        batches.await();
                    });
            EngineFigures figures = engine.figures();
            assertEquals(rounds * UNDER_WAY, figures.deviceBatches(), "not on the device");
            assertArrayEquals(batches.verdicts[2].rules(), batches.verdicts[3].rules());
        } finally {
            FakeDriver.uninstall();
        }
        fake.awaitNothingHeld();
    }

    private static long[] sink = {};

    @Test
    void oneObjectABatchWouldBeSeen() {
        assertThrows(
                AssertionError.class,
                () ->
                        assertNothing(
                                () -> {
                                    for (int b = 0; b < UNDER_WAY; b++) {
                                        sink = new long[1];
                                    }
                                }));
        assertEquals(1, sink.length);
    }

    @Test
    void aBatchIsAwaitedOnce() {
        RuleSet rules = rules(19);
        try (GpuDevice device = new GpuDevice(fake, 0, 1, 128, 4);
                GpuClassifier gpu = new GpuClassifier(device, cpu(rules))) {
            PendingVerdicts pending =
                    gpu.submit(headers(rules, HEADERS, 4), new VerdictBatch(HEADERS));
            pending.await();
            assertThrows(IllegalStateException.class, pending::await);
        }
    }
}
