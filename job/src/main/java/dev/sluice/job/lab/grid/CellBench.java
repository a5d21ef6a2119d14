package dev.sluice.job.lab.grid;

import dev.sluice.engine.EngineOptions;
import dev.sluice.engine.gpu.GpuPool;
import dev.sluice.engine.image.MemoryBudgetException;
import dev.sluice.engine.lookup.Algorithm;
import dev.sluice.engine.lookup.UnsupportedRulesException;
import dev.sluice.job.importers.TextFiles;
import dev.sluice.job.lab.bench.EngineBench;
import dev.sluice.job.lab.bench.Witness;
import dev.sluice.job.lab.sets.GeneratedSet;
import dev.sluice.job.replay.TemporaryDirectory;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Measures cells of the grid: what {@code auto} chooses on one core, by CPU time, then rte_acl on
 * the same files. Answers are compared with linear search on as many headers as its time allows,
 * and with another algorithm and rte_acl on all. Not thread-safe.
 *
 * @param options the engine's; devices take no part
 * @param witness an algorithm whose answers are compared on all headers, absent for none
 * @param headers of each trace: half within a rule, the others near misses and points between rules
 * @param batch headers a batch
 * @param rteAcl stands beside it, absent for none
 */
record CellBench(
        EngineOptions options,
        @Nullable Algorithm witness,
        int headers,
        int batch,
        int rounds,
        long seed,
        @Nullable RteAcl rteAcl) {
    /**
     * What was measured.
     *
     * @param ruleCount rules that were generated
     * @param answered headers whose answers linear search gave
     * @param wrong answers that linear search or the witness gives otherwise
     * @param refusal why the witness did not take part, absent where it did
     */
    record Result(
            Cell cell,
            int ruleCount,
            EngineBench.Result engine,
            String explanation,
            int answered,
            long wrong,
            @Nullable String refusal,
            RteAcl.@Nullable Result rteAcl) {
        /** Answers that one of all gives otherwise. */
        long wrongInAll() {
            return wrong + (rteAcl == null ? 0 : rteAcl.wrong());
        }
    }

    Result measure(Cell cell) throws IOException {
        try (TemporaryDirectory files = new TemporaryDirectory(TemporaryDirectory.parent())) {
            Path folder = files.path();
            GeneratedSet set =
                    GeneratedSet.generate(cell.generator(seed), headers, 1, seed, folder);
            int[] answers;
            EngineBench.Result engine;
            String explanation;
            try (EngineBench bench =
                    new EngineBench(set.file(), options.withGpu(GpuPool.Selection.OFF))) {
                answers = bench.answers(set.trace());
                engine = bench.measureCpuTime(set.trace(), batch, rounds);
                explanation = bench.explanation();
            }
            int[] sample = set.linearSample();
            long wrong = Witness.wrong(set, sample, answers, Algorithm.of("linear"));
            String refusal = null;
            if (witness != null) {
                try {
                    wrong +=
                            Witness.wrong(
                                    set, IntStream.range(0, headers).toArray(), answers, witness);
                } catch (UnsupportedRulesException | MemoryBudgetException e) {
                    refusal = witness.label() + ": " + e.getMessage();
                }
            }
            return new Result(
                    cell,
                    set.rules().size(),
                    engine,
                    explanation,
                    sample.length,
                    wrong,
                    refusal,
                    rteAcl == null ? null : rteAcl(rteAcl, cell, answers, folder));
        }
    }

    private static RteAcl.Result rteAcl(RteAcl rteAcl, Cell cell, int[] answers, Path folder)
            throws IOException {
        Path expected = folder.resolve("generated.answers");
        TextFiles.write(
                expected,
                Arrays.stream(answers)
                        .mapToObj(Integer::toString)
                        .collect(Collectors.joining("\n", "", "\n")));
        return rteAcl.run(
                GeneratedSet.rulesIn(folder),
                GeneratedSet.traceIn(folder),
                expected,
                cell.name(),
                folder);
    }
}
