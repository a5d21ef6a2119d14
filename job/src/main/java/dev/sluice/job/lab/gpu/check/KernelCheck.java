package dev.sluice.job.lab.gpu.check;

import dev.sluice.engine.Engine;
import dev.sluice.engine.EngineOptions;
import dev.sluice.engine.gpu.GpuClassifier;
import dev.sluice.engine.gpu.GpuDevice;
import dev.sluice.engine.gpu.launch.KernelCatalog;
import dev.sluice.engine.gpu.launch.LaunchMode;
import dev.sluice.engine.gpu.launch.OffloadMode;
import dev.sluice.engine.gpu.launch.Transfer;
import dev.sluice.engine.image.MemoryBudgetException;
import dev.sluice.engine.lookup.Algorithm;
import dev.sluice.engine.lookup.Classifier;
import dev.sluice.engine.lookup.PendingVerdicts;
import dev.sluice.engine.lookup.UnsupportedRulesException;
import dev.sluice.engine.lookup.VerdictBatch;
import dev.sluice.engine.rfc.RfcForm;
import dev.sluice.job.lab.sets.TestSet;
import dev.sluice.schemas.header.HeaderBatch;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Every algorithm, kernel, offload mode and batch size on a rule set, several batches under way at
 * once.
 */
final class KernelCheck implements Check {
    private static final int[] BATCHES = {1, 33, 1000, 8192, MOST_HEADERS};
    private static final long BUDGET = 1L << 30;

    /** For tables whose builds take long before they are refused. */
    private static final long TABLE_BUDGET = 128L << 20;

    /** What verdicts hold before a kernel writes them: no rule's position. */
    private static final int UNWRITTEN = 0x5eed;

    private final GpuDevice device;
    private final Supplier<TestSet> source;
    private final List<Algorithm> algorithms;
    private final boolean slowBuilds;

    /**
     * A check of a rule set.
     *
     * @param source reads or generates it when the check runs
     */
    KernelCheck(GpuDevice device, Supplier<TestSet> source) {
        this(device, source, Algorithm.all(), false);
    }

    /**
     * A check of a rule set by some algorithms.
     *
     * @param slowBuilds whether those take part whose builds take long for so many rules
     */
    KernelCheck(
            GpuDevice device,
            Supplier<TestSet> source,
            List<Algorithm> algorithms,
            boolean slowBuilds) {
        this.device = device;
        this.source = source;
        this.algorithms = algorithms;
        this.slowBuilds = slowBuilds;
    }

    /** A check of a rule set by all algorithms, those whose builds take long for it included. */
    static KernelCheck withSlowBuilds(GpuDevice device, Supplier<TestSet> source) {
        return new KernelCheck(device, source, Algorithm.all(), true);
    }

    @Override
    public String run(Findings findings) {
        TestSet set = source.get();
        TraceBatches batches = new TraceBatches(set.trace());
        StringBuilder served = new StringBuilder();
        for (Algorithm algorithm : algorithms) {
            int quick = algorithm.capabilities().quickBuildRules();
            if (!slowBuilds && quick < set.rules().size()) {
                findings.leaveOut(
                        set.name(),
                        algorithm.label(),
                        "%,d rules are more than the %,d up to which its build ends within seconds"
                                .formatted(set.rules().size(), quick));
                continue;
            }
            Classifier classifier = compile(set, algorithm, findings);
            if (classifier == null) {
                continue;
            }
            if (KernelCatalog.names(algorithm).isEmpty()) {
                findings.leaveOut(set.name(), algorithm.label(), "it has no kernel");
            }
            for (String kernel : KernelCatalog.names(algorithm)) {
                if (KernelCatalog.parameters(kernel, classifier.image()) == null) {
                    findings.leaveOut(set.name(), kernel, "it cannot read this image");
                } else {
                    long before = findings.wrong();
                    kernel(classifier, kernel, batches, set.expected(), findings);
                    served.append(' ').append(kernel.substring(kernel.indexOf('_') + 1));
                    long wrong = findings.wrong() - before;
                    if (wrong > 0) {
                        served.append("(WRONG ").append(wrong).append(')');
                    }
                }
            }
        }
        return "%-16s %,7d rules: %,d verdicts, %,d wrong;%s"
                .formatted(
                        set.name(),
                        set.rules().size(),
                        findings.compared(),
                        findings.wrong(),
                        served);
    }

    private @Nullable Classifier compile(TestSet set, Algorithm algorithm, Findings findings) {
        boolean tables = algorithm.options().contains(RfcForm.OPTION);
        EngineOptions options =
                EngineOptions.of(algorithm)
                        .withBudget(tables && !slowBuilds ? TABLE_BUDGET : BUDGET);
        try {
            return Engine.compile(set.rules(), options);
        } catch (UnsupportedRulesException | MemoryBudgetException e) {
            findings.leaveOut(set.name(), algorithm.label(), Findings.reason(e));
            return null;
        }
    }

    private void kernel(
            Classifier classifier,
            String kernel,
            TraceBatches batches,
            int[] expected,
            Findings findings) {
        try (GpuClassifier gpu = new GpuClassifier(device, classifier, kernel)) {
            for (OffloadMode mode : modes(kernel)) {
                gpu.offloadMode(mode);
                for (int size : BATCHES) {
                    several(gpu, batches.get(classifier.layout(), size), size, expected, findings);
                }
            }
            if (gpu.fallBacks() > 0 || gpu.cpuBatches() > 0) {
                throw new IllegalStateException("the CPU answered in the device's place");
            }
        }
    }

    /** Every launch mode with every transfer that it takes, and batches gathered. */
    private static List<OffloadMode> modes(String kernel) {
        List<OffloadMode> modes = new ArrayList<>();
        for (Transfer transfer : Transfer.values()) {
            modes.add(new OffloadMode(LaunchMode.ON_DEMAND, transfer, 1, 1));
            modes.add(new OffloadMode(LaunchMode.ASYNCHRONOUS, transfer, IN_FLIGHT, 1));
        }
        modes.add(new OffloadMode(LaunchMode.ASYNCHRONOUS, Transfer.COPY, 1, 4));
        if (KernelCatalog.resident(kernel) != null) {
            modes.add(new OffloadMode(LaunchMode.PERSISTENT, Transfer.MAPPED, 1, 1));
        }
        return modes;
    }

    /** Batches, some of them under way at once. */
    private static void several(
            GpuClassifier gpu,
            List<HeaderBatch> batches,
            int size,
            int[] expected,
            Findings findings) {
        Deque<PendingVerdicts> flights = new ArrayDeque<>();
        List<VerdictBatch> verdicts = new ArrayList<>();
        for (HeaderBatch batch : batches) {
            VerdictBatch room = new VerdictBatch(size);
            Arrays.fill(room.rules(), UNWRITTEN);
            verdicts.add(room);
            flights.add(gpu.submit(batch, room));
            if (flights.size() == IN_FLIGHT) {
                flights.remove().await();
            }
        }
        flights.forEach(PendingVerdicts::await);
        int from = 0;
        for (int b = 0; b < batches.size(); b++) {
            findings.compare(verdicts.get(b), expected, from, batches.get(b).size());
            from += batches.get(b).size();
        }
    }
}
