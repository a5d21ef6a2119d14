package dev.sluice.job.lab.bench;

import dev.sluice.engine.EngineOptions;
import dev.sluice.engine.gpu.GpuPool;
import dev.sluice.engine.image.MemoryBudgetException;
import dev.sluice.engine.lookup.AlgorithmChoice;
import dev.sluice.engine.lookup.UnsupportedRulesException;
import dev.sluice.job.lab.generate.RuleGenerator;
import dev.sluice.job.lab.generate.RuleShape;
import dev.sluice.job.lab.sets.GeneratedSet;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Consumer;

/**
 * The sweeps of the papers on generated rule sets: rules, masks, full masks, matching masks, fields
 * and batch size (GSwitch §7), and rules for bitvector search. Not thread-safe.
 */
public final class SweepBench {
    private static final int HEADERS = 16_384;
    private static final int BATCH = 4096;
    private static final List<AlgorithmChoice> HASHED =
            List.of(
                    AlgorithmChoice.parse("tuple"),
                    AlgorithmChoice.parse("merged-tuple"),
                    AlgorithmChoice.parse("bloom"),
                    AlgorithmChoice.parse("mask-filter"),
                    AlgorithmChoice.AUTO);

    /** One sweep: what varies, its values, and who takes part. */
    private record Sweep(String name, int[] values, List<AlgorithmChoice> algorithms) {}

    private final Path folder;
    private final AlgorithmChoice more;
    private final long budgetBytes;
    private final Consumer<String> progress;
    private final SweepReport report = new SweepReport();

    /**
     * Sweeps into a folder.
     *
     * @param more takes part in every sweep, beside those that the papers compare and auto
     * @param progress told about each point
     */
    public SweepBench(
            Path folder, AlgorithmChoice more, long budgetBytes, Consumer<String> progress) {
        this.folder = folder;
        this.more = more;
        this.budgetBytes = budgetBytes;
        this.progress = progress;
    }

    /** Runs all sweeps and writes sweep.csv and sweep.html. */
    public void run() throws IOException {
        Files.createDirectories(folder);
        List<Sweep> sweeps =
                List.of(
                        new Sweep("rules", new int[] {1024, 4096, 16_384, 65_536}, HASHED),
                        new Sweep("masks", new int[] {16, 64, 256, 1024}, HASHED),
                        new Sweep("full-masks", new int[] {1, 4, 16, 64}, HASHED),
                        new Sweep("matching-masks", new int[] {1, 16, 64}, HASHED),
                        new Sweep("fields", new int[] {5, 12}, HASHED),
                        new Sweep("batch", new int[] {64, 256, 1024, 4096, 16_384}, HASHED),
                        new Sweep(
                                "bitvector-rules",
                                new int[] {64, 256, 1024, 4096, 16_384, 50_000},
                                List.of(AlgorithmChoice.parse("bitvector"), AlgorithmChoice.AUTO)));
        for (Sweep sweep : sweeps) {
            for (int value : sweep.values) {
                point(sweep, value);
            }
        }
        report.write(folder);
    }

    private void point(Sweep sweep, int x) {
        int rules = 8192;
        int masks = 64;
        int full = 8;
        int matching = 1;
        int fields = 5;
        int batch = BATCH;
        RuleShape shape = RuleShape.CLASSES;
        switch (sweep.name) {
            case "rules" -> rules = x;
            case "masks" -> masks = x;
            case "full-masks" -> full = x;
            case "matching-masks" -> matching = x;
            case "fields" -> fields = x;
            case "batch" -> batch = x;
            default -> {
                rules = x;
                shape = RuleShape.ACL;
            }
        }
        RuleGenerator.MaskCounts maskCounts =
                new RuleGenerator.MaskCounts(masks, Math.min(full, masks), matching, fields);
        GeneratedSet set =
                GeneratedSet.generate(
                        new RuleGenerator(shape, rules, 1, maskCounts, 0.5),
                        HEADERS,
                        0.5,
                        commonShare(sweep),
                        1);
        Set<AlgorithmChoice> algorithms = new LinkedHashSet<>(sweep.algorithms);
        algorithms.add(more);
        for (AlgorithmChoice algorithm : algorithms) {
            measure(sweep, x, batch, set, algorithm);
        }
    }

    /** Matching masks matter for the header that they match: every one that is no miss. */
    private static double commonShare(Sweep sweep) {
        return sweep.name.equals("matching-masks") ? 1 : 0;
    }

    private void measure(
            Sweep sweep, int x, int batch, GeneratedSet set, AlgorithmChoice algorithm) {
        EngineOptions options =
                EngineOptions.DEFAULTS
                        .withAlgorithm(algorithm)
                        .withBudget(budgetBytes)
                        .withGpu(GpuPool.Selection.OFF);
        SweepReport.Point point;
        try (EngineBench bench = new EngineBench(set.file(), options)) {
            EngineBench.Result result = bench.measure(set.trace(), 1, batch, 5);
            point =
                    new SweepReport.Point(
                            sweep.name,
                            algorithm.label(),
                            x,
                            result.mpps(),
                            result.buildSeconds(),
                            result.imageBytes());
        } catch (UnsupportedRulesException | MemoryBudgetException e) {
            point = new SweepReport.Point(sweep.name, algorithm.label(), x, null, 0, 0);
        }
        report.add(point);
        progress.accept(
                String.format(
                        Locale.ROOT,
                        "%s %d %s: %s",
                        sweep.name,
                        x,
                        algorithm.label(),
                        point.mpps() == null
                                ? "refused"
                                : "%.2f M headers/s".formatted(point.mpps())));
    }
}
