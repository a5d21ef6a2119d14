package dev.sluice.job.lab.bench;

import dev.sluice.engine.EngineOptions;
import dev.sluice.engine.gpu.GpuPool;
import dev.sluice.engine.image.MemoryBudgetException;
import dev.sluice.engine.lookup.AlgorithmChoice;
import dev.sluice.engine.lookup.UnsupportedRulesException;
import dev.sluice.job.importers.TextFiles;
import dev.sluice.job.lab.generate.RuleGenerator;
import dev.sluice.job.lab.generate.RuleShape;
import dev.sluice.job.lab.sets.GeneratedSet;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;

/**
 * The sweeps of the papers on generated rule sets: rules, masks, full masks, matching masks, fields
 * and batch size (GSwitch §7), and rules for bitvector search. Without the flow cache, which would
 * know the trace's headers from the second pass on: the algorithms are measured. Not thread-safe.
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

    private static final List<AlgorithmChoice> BITVECTORS =
            List.of(AlgorithmChoice.parse("bitvector"), AlgorithmChoice.AUTO);

    /** How large the swept rule sets are. */
    public enum Sizes {
        /** Minutes. */
        SMALL,
        /** GSwitch's: up to 131,072 rules, 256 a mask; all masks full where that is not swept. */
        PAPERS
    }

    /** Rules of a mask, at most, in GSwitch's sweep over rules. */
    private static final int RULES_A_MASK = 256;

    private static final List<Sweep> SMALL =
            List.of(
                    new Sweep("rules", HASHED, 1024, 4096, 16_384, 65_536),
                    new Sweep("masks", HASHED, 16, 64, 256, 1024),
                    new Sweep("full-masks", HASHED, 1, 4, 16, 64),
                    new Sweep("matching-masks", HASHED, 1, 16, 64),
                    new Sweep("fields", HASHED, 5, 12),
                    new Sweep("batch", HASHED, 64, 256, 1024, 4096, 16_384),
                    new Sweep("bitvector-rules", BITVECTORS, 64, 256, 1024, 4096, 16_384, 50_000));

    private static final List<Sweep> PAPERS =
            List.of(
                    new Sweep("rules", HASHED, 256, 1024, 4096, 16_384, 65_536, 131_072),
                    new Sweep("masks", HASHED, 128, 256, 512, 1024),
                    new Sweep("full-masks", HASHED, 4, 16, 64, 128),
                    new Sweep("matching-masks", HASHED, 1, 4, 16, 64, 128),
                    new Sweep("fields", HASHED, 5, 12),
                    new Sweep("batch", HASHED, 64, 256, 1024, 4096, 16_384),
                    new Sweep("bitvector-rules", BITVECTORS, 64, 256, 1024, 4096, 16_384, 50_000));

    /** One sweep: what varies, its values, and who takes part. */
    private record Sweep(String name, List<AlgorithmChoice> algorithms, int... values) {}

    private final Path folder;
    private final Sizes sizes;
    private final AlgorithmChoice more;
    private final long budgetBytes;
    private final Consumer<SweepReport.Point> progress;
    private final SweepReport report = new SweepReport();

    /**
     * Sweeps into a folder.
     *
     * @param more takes part in every sweep, beside those that the papers compare and auto
     * @param progress told about each point
     */
    public SweepBench(
            Path folder,
            Sizes sizes,
            AlgorithmChoice more,
            long budgetBytes,
            Consumer<SweepReport.Point> progress) {
        this.folder = folder;
        this.sizes = sizes;
        this.more = more;
        this.budgetBytes = budgetBytes;
        this.progress = progress;
    }

    /** Runs all sweeps; sweep.csv and sweep.html hold every point as soon as it is measured. */
    public void run() throws IOException {
        TextFiles.makeFolder(folder);
        for (Sweep sweep : sizes == Sizes.PAPERS ? PAPERS : SMALL) {
            for (int value : sweep.values) {
                point(sweep, value);
            }
        }
    }

    private void point(Sweep sweep, int x) throws IOException {
        int batch = sweep.name.equals("batch") ? x : BATCH;
        GeneratedSet set =
                GeneratedSet.generate(
                        generator(sweep.name, sizes, x), HEADERS, 0.5, commonShare(sweep), 1);
        Set<AlgorithmChoice> algorithms = new LinkedHashSet<>(sweep.algorithms);
        algorithms.add(more);
        for (AlgorithmChoice algorithm : algorithms) {
            measure(sweep, x, batch, set, algorithm);
        }
    }

    /** The rules of a sweep's point. */
    static RuleGenerator generator(String sweep, Sizes sizes, int x) {
        boolean papers = sizes == Sizes.PAPERS;
        int rules = papers ? 1024 : 8192;
        int masks = papers ? 128 : 64;
        int full = papers ? masks : 8;
        int matching = 1;
        int fields = papers ? 12 : 5;
        RuleShape shape = RuleShape.CLASSES;
        switch (sweep) {
            case "rules" -> {
                rules = x;
                masks = papers ? x / RULES_A_MASK : masks;
                full = papers ? masks : full;
            }
            case "masks" -> {
                rules = papers ? 32_768 : rules;
                masks = x;
                full = papers ? x : full;
            }
            case "full-masks" -> full = x;
            case "matching-masks" -> matching = x;
            case "fields" -> fields = x;
            case "batch" -> {}
            default -> {
                rules = x;
                shape = RuleShape.ACL;
            }
        }
        RuleGenerator.MaskCounts maskCounts =
                new RuleGenerator.MaskCounts(
                        masks, Math.min(full, masks), Math.min(matching, masks), fields);
        return new RuleGenerator(shape, rules, 1, maskCounts, 0.5);
    }

    /** Matching masks matter for the header that they match: every one that is no miss. */
    private static double commonShare(Sweep sweep) {
        return sweep.name.equals("matching-masks") ? 1 : 0;
    }

    private void measure(Sweep sweep, int x, int batch, GeneratedSet set, AlgorithmChoice algorithm)
            throws IOException {
        EngineOptions options =
                EngineOptions.DEFAULTS
                        .withAlgorithm(algorithm)
                        .withBudget(budgetBytes)
                        .withFlowCache(0)
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
        report.write(folder); // a sweep takes long, and may be ended before it is through
        progress.accept(point);
    }
}
