package dev.sluice.job.lab.gpu.check;

import dev.sluice.engine.Engine;
import dev.sluice.engine.EngineOptions;
import dev.sluice.engine.gpu.GpuClassifier;
import dev.sluice.engine.gpu.GpuDevice;
import dev.sluice.engine.gpu.driver.FaultInjector;
import dev.sluice.engine.gpu.driver.GpuDriver;
import dev.sluice.engine.gpu.launch.KernelCatalog;
import dev.sluice.engine.image.MemoryBudgetException;
import dev.sluice.engine.lookup.Algorithm;
import dev.sluice.engine.lookup.Classifier;
import dev.sluice.engine.lookup.UnsupportedRulesException;
import dev.sluice.job.lab.sets.TestSet;
import dev.sluice.schemas.header.HeaderBatch;
import java.util.ArrayList;
import java.util.List;

/**
 * The CPU looks into an image of one algorithm and the device into another's: batches that the
 * device answers, small ones, and one that fails there.
 */
final class TwoImagesCheck implements Check {
    private static final int BATCH = 4096;

    /** CUDA's code for a failed launch. */
    private static final int LAUNCH_FAILED = 719;

    private final GpuDriver driver;
    private final int number;
    private final TestSet set;

    TwoImagesCheck(GpuDriver driver, int number, TestSet set) {
        this.driver = driver;
        this.number = number;
        this.set = set;
    }

    @Override
    public String run(Findings findings) {
        List<Classifier> compiled = new ArrayList<>();
        List<String> labels = new ArrayList<>();
        for (Algorithm algorithm : Algorithm.all()) {
            try {
                compiled.add(Engine.compile(set.rules(), EngineOptions.of(algorithm)));
                labels.add(algorithm.label());
            } catch (UnsupportedRulesException | MemoryBudgetException e) {
                findings.leaveOut("two images", algorithm.label(), Findings.reason(e));
            }
        }
        int pairs = 0;
        try (GpuDevice device = Check.device(driver, number)) {
            for (int c = 0; c < compiled.size(); c++) {
                Classifier cpu = compiled.get(c);
                Classifier other = compiled.get((c + 1) % compiled.size());
                if (KernelCatalog.reads(other.image())) {
                    check(device, cpu, other, findings);
                    pairs++;
                } else {
                    findings.leaveOut(
                            "two images",
                            labels.get((c + 1) % compiled.size()),
                            "no kernel reads its image");
                }
            }
        }
        List<Classifier> read =
                compiled.stream().filter(c -> KernelCatalog.reads(c.image())).toList();
        fault(new FaultInjector(driver), compiled.get(0), read.get(read.size() - 1), findings);
        return "two images: %d algorithms on the device beside another one on the CPU, %,d verdicts, %,d wrong"
                .formatted(pairs, findings.compared(), findings.wrong());
    }

    private void check(GpuDevice device, Classifier cpu, Classifier other, Findings findings) {
        List<HeaderBatch> batches = set.trace().batches(cpu.layout(), BATCH);
        try (GpuClassifier gpu = new GpuClassifier(device, cpu, other.image())) {
            findings.check(gpu, batches, set.expected());
            long onDevice = gpu.batches();
            gpu.smallest(BATCH + 1);
            findings.check(gpu, batches, set.expected());
            gpu.smallest(1);
            if (onDevice != batches.size() || gpu.batches() != onDevice) {
                throw new IllegalStateException("a batch went where it should not");
            }
        }
    }

    /** A batch that fails on the device is answered by the CPU's image. */
    private void fault(FaultInjector faulty, Classifier cpu, Classifier other, Findings findings) {
        try (GpuDevice device = Check.device(faulty, number);
                GpuClassifier gpu = new GpuClassifier(device, cpu, other.image())) {
            faulty.fail(FaultInjector.Point.LAUNCH, 1, LAUNCH_FAILED);
            findings.check(gpu, set.trace().batches(cpu.layout(), BATCH), set.expected());
            if (gpu.fallBacks() != 1) {
                throw new IllegalStateException("the device answered in the CPU's place");
            }
        }
    }
}
