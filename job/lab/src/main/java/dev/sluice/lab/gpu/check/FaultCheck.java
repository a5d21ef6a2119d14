package dev.sluice.lab.gpu.check;

import dev.sluice.engine.Engine;
import dev.sluice.engine.EngineOptions;
import dev.sluice.engine.gpu.GpuClassifier;
import dev.sluice.engine.gpu.GpuDevice;
import dev.sluice.engine.gpu.driver.FaultInjector;
import dev.sluice.engine.gpu.driver.GpuDriver;
import dev.sluice.engine.lookup.Algorithm;
import dev.sluice.engine.lookup.Classifier;
import dev.sluice.lab.sets.TestSet;
import dev.sluice.schemas.header.HeaderBatch;
import java.util.List;

/** Failing launches, copies and waits: every answer is right, and the device comes back. */
final class FaultCheck implements Check {
    private static final int BATCH = 4096;

    /** CUDA's code for a failed launch. */
    private static final int LAUNCH_FAILED = 719;

    private static final long COMES_BACK_NANOS = 4_000_000_000L;

    private final GpuDriver driver;
    private final int number;
    private final TestSet set;

    FaultCheck(GpuDriver driver, int number, TestSet set) {
        this.driver = driver;
        this.number = number;
        this.set = set;
    }

    @Override
    public String run(Findings findings) {
        FaultInjector faulty = new FaultInjector(driver);
        Classifier cpu =
                Engine.compile(set.rules(), EngineOptions.of(Algorithm.of("merged-tuple")));
        List<HeaderBatch> batches = set.trace().batches(cpu.layout(), BATCH);
        long fallBacks = 0;
        try (GpuDevice device = Check.device(faulty, number)) {
            for (FaultInjector.Point point :
                    List.of(
                            FaultInjector.Point.LAUNCH,
                            FaultInjector.Point.COPY,
                            FaultInjector.Point.AWAIT)) {
                try (GpuClassifier gpu = new GpuClassifier(device, cpu)) {
                    faulty.fail(point, 1, LAUNCH_FAILED);
                    long end = System.nanoTime() + COMES_BACK_NANOS;
                    do {
                        findings.check(gpu, batches, set.expected());
                    } while ((gpu.batches() == 0 || gpu.resting()) && System.nanoTime() < end);
                    findings.check(gpu, batches, set.expected());
                    fallBacks += gpu.fallBacks();
                    if (gpu.resting() || gpu.fallBacks() != 1 || gpu.batches() == 0) {
                        throw new IllegalStateException(
                                "after a fault at " + point + " the device did not come back");
                    }
                }
            }
        }
        return "faults: %d batches failed and were classified again, %,d wrong"
                .formatted(fallBacks, findings.wrong());
    }
}
