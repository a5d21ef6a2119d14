package dev.sluice.lab.gpu.check;

import dev.sluice.engine.Engine;
import dev.sluice.engine.EngineOptions;
import dev.sluice.engine.gpu.GpuDevice;
import dev.sluice.engine.gpu.launch.KernelCatalog;
import dev.sluice.engine.image.MemoryBudgetException;
import dev.sluice.engine.lookup.Algorithm;
import dev.sluice.engine.lookup.Classifier;
import dev.sluice.engine.lookup.UnsupportedRulesException;
import dev.sluice.engine.rfc.RfcForm;
import dev.sluice.lab.sets.TestSet;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Every algorithm, kernel, offload mode and batch size on one rule set with known answers. */
final class KernelCheck implements Check {
    private static final int[] SIZES = {1, 33, 1000, 8192, MOST_HEADERS};
    private static final long BUDGET = 1L << 30;

    /** For tables whose builds take long before they are refused. */
    private static final long TABLE_BUDGET = 128L << 20;

    private final GpuDevice device;
    private final Supplier<TestSet> source;
    private final List<Algorithm> algorithms;
    private final boolean slowBuilds;

    /**
     * A check of a rule set by some algorithms.
     *
     * @param source reads or generates it when the check runs
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

    @Override
    public String run(Findings findings) {
        TestSet set = source.get();
        List<int[]> headers =
                IntStream.range(0, set.trace().size()).mapToObj(set.trace()::header).toList();
        int[] expected = set.expected();
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
                    KernelRuns.over(
                            device,
                            classifier,
                            kernel,
                            headers,
                            SIZES,
                            found -> findings.compare(found, expected));
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
}
