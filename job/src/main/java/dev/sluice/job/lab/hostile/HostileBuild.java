package dev.sluice.job.lab.hostile;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sluice.engine.Engine;
import dev.sluice.engine.EngineOptions;
import dev.sluice.engine.gpu.GpuPool;
import dev.sluice.engine.image.BuildMeter;
import dev.sluice.engine.image.MemoryBudgetException;
import dev.sluice.engine.lookup.Algorithm;
import dev.sluice.engine.lookup.CompileContext;
import dev.sluice.engine.lookup.UnsupportedRulesException;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.job.cli.Choice;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * One build of a rule set, and what it took.
 *
 * @param end how it ended
 * @param imageBytes size of the image; null where there is none, or an engine chose
 * @param chosen the algorithm that an engine chose; null where it was named, or all refused
 * @param seconds until it was compiled or refused
 * @param words work that it counted, 64-bit words
 * @param peakBytes what it held at most beside its image, as counted
 */
record HostileBuild(
        End end,
        @Nullable Long imageBytes,
        @Nullable String chosen,
        double seconds,
        long words,
        long peakBytes) {
    /** How a build ends. */
    enum End {
        BUILT,
        /** Over the budget of memory or of work. */
        REFUSED,
        /** By an algorithm that is not for such rules. */
        CANNOT_SERVE
    }

    /** What a build that ended well made. */
    private record Made(@Nullable Long imageBytes, @Nullable String chosen) {}

    /** Compiles rules by an algorithm, alone. */
    static HostileBuild by(Algorithm algorithm, RuleSet rules, long budgetBytes) {
        List<BuildMeter> meters = new ArrayList<>();
        CompileContext context = CompileContext.of(budgetBytes).watching(meters::add);
        return timed(() -> new Made(algorithm.compile(rules, context).bytes(), null), meters);
    }

    /** Has an engine choose an algorithm. */
    static HostileBuild byChoice(RuleSet rules, long budgetBytes) {
        EngineOptions options =
                EngineOptions.DEFAULTS.withBudget(budgetBytes).withGpu(GpuPool.Selection.OFF);
        return timed(
                () -> {
                    try (Engine engine = Engine.open(rules, options)) {
                        return new Made(null, engine.current().algorithm().label());
                    }
                },
                List.of());
    }

    private interface Build {
        Made run();
    }

    private static HostileBuild timed(Build build, List<BuildMeter> meters) {
        long start = System.nanoTime();
        Made made = new Made(null, null);
        End end = End.BUILT;
        try {
            made = build.run();
        } catch (UnsupportedRulesException e) {
            end = End.CANNOT_SERVE;
        } catch (MemoryBudgetException e) {
            end = End.REFUSED;
        }
        double seconds = (System.nanoTime() - start) / 1e9;
        return new HostileBuild(
                end,
                made.imageBytes,
                made.chosen,
                seconds,
                meters.stream().mapToLong(BuildMeter::words).sum(),
                meters.stream().mapToLong(BuildMeter::peakBytes).max().orElse(0));
    }

    private String outcome() {
        if (imageBytes != null) {
            return String.format(Locale.ROOT, "%.1f MB", imageBytes / 1e6);
        }
        return chosen != null ? chosen : Choice.label(end).replace('-', ' ');
    }

    /** As a line of a table: outcome, seconds, millions of words, MB beside the image. */
    String line() {
        return String.format(
                Locale.ROOT, "%s,%.2f,%.0f,%.1f", outcome(), seconds, words / 1e6, peakBytes / 1e6);
    }

    /** Adds it to an object that says of what rules and by which algorithm. */
    void describe(ObjectNode node) {
        node.put("outcome", Choice.label(end).replace('-', ' '));
        node.put("imageBytes", imageBytes);
        node.put("chosen", chosen);
        node.put("seconds", seconds);
        node.put("words", words);
        node.put("peakBytes", peakBytes);
    }
}
