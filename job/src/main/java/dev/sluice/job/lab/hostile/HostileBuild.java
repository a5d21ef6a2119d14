package dev.sluice.job.lab.hostile;

import dev.sluice.engine.Engine;
import dev.sluice.engine.EngineOptions;
import dev.sluice.engine.gpu.GpuPool;
import dev.sluice.engine.image.BuildMeter;
import dev.sluice.engine.image.MemoryBudgetException;
import dev.sluice.engine.lookup.Algorithm;
import dev.sluice.engine.lookup.CompileContext;
import dev.sluice.engine.lookup.UnsupportedRulesException;
import dev.sluice.engine.rules.RuleSet;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * One build of a rule set, and what it took.
 *
 * @param outcome bytes of the image, or that it was refused
 * @param seconds until it was compiled or refused
 * @param words work that it counted, 64-bit words
 * @param peakBytes what it held at most beside its image, as counted
 */
record HostileBuild(String outcome, double seconds, long words, long peakBytes) {
    /** Compiles rules by an algorithm, alone. */
    static HostileBuild by(Algorithm algorithm, RuleSet rules, long budgetBytes) {
        List<BuildMeter> meters = new ArrayList<>();
        CompileContext context = CompileContext.of(budgetBytes).watching(meters::add);
        return timed(() -> mebibytes(algorithm.compile(rules, context).bytes()), meters);
    }

    /** Has an engine choose an algorithm. */
    static HostileBuild byChoice(RuleSet rules, long budgetBytes) {
        EngineOptions options =
                EngineOptions.DEFAULTS.withBudget(budgetBytes).withGpu(GpuPool.Selection.OFF);
        return timed(
                () -> {
                    try (Engine engine = Engine.open(rules, options)) {
                        return engine.current().algorithm().label();
                    }
                },
                List.of());
    }

    private interface Build {
        String run();
    }

    private static HostileBuild timed(Build build, List<BuildMeter> meters) {
        long start = System.nanoTime();
        String outcome;
        try {
            outcome = build.run();
        } catch (UnsupportedRulesException e) {
            outcome = "cannot serve";
        } catch (MemoryBudgetException e) {
            outcome = "refused";
        }
        double seconds = (System.nanoTime() - start) / 1e9;
        return new HostileBuild(
                outcome,
                seconds,
                meters.stream().mapToLong(BuildMeter::words).sum(),
                meters.stream().mapToLong(BuildMeter::peakBytes).max().orElse(0));
    }

    private static String mebibytes(long bytes) {
        return String.format(Locale.ROOT, "%.1f MB", bytes / 1e6);
    }

    /** As a line of a table: outcome, seconds, millions of words, MB beside the image. */
    String line() {
        return String.format(
                Locale.ROOT, "%s,%.2f,%.0f,%.1f", outcome, seconds, words / 1e6, peakBytes / 1e6);
    }
}
