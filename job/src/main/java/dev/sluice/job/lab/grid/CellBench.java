package dev.sluice.job.lab.grid;

import com.fasterxml.jackson.databind.node.ObjectNode;
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
     * A measured cell.
     *
     * @param record for programs
     * @param line for people
     * @param wrong answers that any of the others gives otherwise
     */
    record Result(ObjectNode record, String line, long wrong) {}

    Result measure(Cell cell) throws IOException {
        try (TemporaryDirectory files = new TemporaryDirectory(TemporaryDirectory.parent())) {
            Path folder = files.path();
            GeneratedSet set =
                    GeneratedSet.generate(cell.generator(seed), headers, 1, seed, folder);
            int[] answers;
            EngineBench.Result engine;
            ObjectNode record = cell.record().put("ruleCount", set.rules().size());
            try (EngineBench bench =
                    new EngineBench(set.file(), options.withGpu(GpuPool.Selection.OFF))) {
                answers = bench.answers(set.trace());
                engine = bench.measureCpuTime(set.trace(), batch, rounds);
                record.put("algorithm", engine.algorithm().label())
                        .put("explanation", bench.explanation());
            }
            int[] sample = set.linearSample();
            long wrong = Witness.wrong(set, sample, answers, Algorithm.of("linear"));
            if (witness != null) {
                int[] all = IntStream.range(0, headers).toArray();
                try {
                    wrong += Witness.wrong(set, all, answers, witness);
                } catch (UnsupportedRulesException | MemoryBudgetException e) {
                    record.put("refusal", witness.label() + ": " + e.getMessage());
                }
            }
            record.put("mpps", engine.mpps())
                    .put("mppsMin", engine.mppsMin())
                    .put("mppsMax", engine.mppsMax())
                    .put("buildSeconds", engine.buildSeconds())
                    .put("imageBytes", engine.imageBytes())
                    .put("linearHeaders", sample.length)
                    .put("wrong", wrong);
            String line =
                    "%s: %s %.2f M/s, build %.2f s, %d bytes a rule, %,d wrong"
                            .formatted(
                                    cell,
                                    engine.algorithm().label(),
                                    engine.mpps(),
                                    engine.buildSeconds(),
                                    engine.imageBytes() / set.rules().size(),
                                    wrong);
            return rteAcl == null
                    ? new Result(record, line, wrong)
                    : beside(
                            rteAcl(rteAcl, cell, answers, folder),
                            record,
                            line,
                            wrong,
                            engine.mpps());
        }
    }

    private static Result beside(
            RteAcl.Result rival, ObjectNode record, String line, long wrong, double mpps) {
        if (rival.failure() != null) {
            record.put("rteAclFailure", rival.failure());
            return new Result(record, line + "; rte_acl: " + rival.failure(), wrong);
        }
        record.put("rteAclForm", rival.form())
                .put("rteAclMpps", rival.mpps())
                .put("rteAclBuildSeconds", rival.buildSeconds())
                .put("rteAclMegabytes", rival.megabytes())
                .put("rteAclWrong", rival.wrong());
        String both =
                "%s; %s %.2f M/s, ratio %.2f, build %.2f s, %,d wrong"
                        .formatted(
                                line,
                                rival.form(),
                                rival.mpps(),
                                mpps / rival.mpps(),
                                rival.buildSeconds(),
                                rival.wrong());
        return new Result(record, both, wrong + rival.wrong());
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
