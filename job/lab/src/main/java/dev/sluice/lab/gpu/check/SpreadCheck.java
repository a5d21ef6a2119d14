package dev.sluice.lab.gpu.check;

import dev.sluice.engine.Engine;
import dev.sluice.engine.EngineOptions;
import dev.sluice.engine.gpu.GpuClassifier;
import dev.sluice.engine.gpu.GpuDevice;
import dev.sluice.engine.gpu.GpuPool;
import dev.sluice.engine.gpu.driver.GpuDriver;
import dev.sluice.engine.lookup.Algorithm;
import dev.sluice.engine.lookup.Classifier;
import dev.sluice.lab.kit.Workers;
import dev.sluice.lab.sets.TestSet;
import dev.sluice.schemas.header.HeaderBatch;
import java.util.List;
import java.util.concurrent.atomic.AtomicLongArray;

/** Operator instances spread over all devices of the machine, at once: none of them stays idle. */
final class SpreadCheck implements Check {
    private static final int BATCH = 4096;
    private static final int INSTANCES_A_DEVICE = 2;

    /** Passes over the trace. */
    private static final int ROUNDS = 20;

    private static final GpuPool.Selection ALL = GpuPool.Selection.parse("auto");

    private final GpuDriver driver;
    private final TestSet set;

    SpreadCheck(GpuDriver driver, TestSet set) {
        this.driver = driver;
        this.set = set;
    }

    @Override
    public String run(Findings findings) throws InterruptedException {
        int devices = driver.devices();
        GpuPool pool = new GpuPool(() -> driver);
        Classifier cpu =
                Engine.compile(set.rules(), EngineOptions.of(Algorithm.of("merged-tuple")));
        List<HeaderBatch> batches = set.trace().batches(cpu.layout(), BATCH);
        AtomicLongArray doneOnDevice = new AtomicLongArray(devices);
        int count = INSTANCES_A_DEVICE * devices;
        Workers instances = new Workers("an instance failed");
        for (int instance = 0; instance < count; instance++) {
            int number = instance;
            instances.start(
                    "instance " + number,
                    () -> {
                        try (GpuPool.Use use = pool.use(ALL, number)) {
                            if (use == null) {
                                throw new IllegalStateException("no device");
                            }
                            Findings own = new Findings();
                            instance(use.device(), cpu, batches, own);
                            findings.add(own);
                            doneOnDevice.addAndGet(use.device().number(), own.compared());
                        }
                    });
        }
        instances.stop();
        for (int d = 0; d < devices; d++) {
            findings.add(0, doneOnDevice.get(d) == 0 ? 1 : 0);
        }
        return "%d instances on %d devices: %s verdicts each, %,d wrong"
                .formatted(count, devices, doneOnDevice, findings.wrong());
    }

    private void instance(
            GpuDevice device, Classifier cpu, List<HeaderBatch> batches, Findings findings) {
        try (GpuClassifier gpu = new GpuClassifier(device, cpu)) {
            for (int round = 0; round < ROUNDS; round++) {
                findings.check(gpu, batches, set.expected());
            }
            if (gpu.fallBacks() > 0) {
                throw new IllegalStateException("the CPU answered in the device's place");
            }
        }
    }
}
