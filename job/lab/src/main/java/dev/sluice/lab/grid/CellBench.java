package dev.sluice.lab.grid;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sluice.engine.EngineOptions;
import dev.sluice.engine.gpu.GpuPool;
import dev.sluice.engine.image.MemoryBudgetException;
import dev.sluice.engine.lookup.Algorithm;
import dev.sluice.engine.lookup.UnsupportedRulesException;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.job.replay.TemporaryDirectory;
import dev.sluice.lab.bench.EngineBench;
import dev.sluice.lab.generate.Answers;
import dev.sluice.lab.generate.TraceGenerator;
import dev.sluice.policy.HeaderTrace;
import dev.sluice.policy.RuleFile;
import dev.sluice.policy.TextFiles;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
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
    /** Rules that linear search may look at: a few seconds. */
    private static final long ORACLE_RULES = 1_000_000_000L;

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
            Path rules = folder.resolve("generated.rules");
            Path traceFile = folder.resolve("generated.trace");
            TextFiles.write(rules, String.join("\n", cell.generator(seed).lines()) + "\n");
            RuleFile file = RuleFile.read(rules, null);
            RuleSet set = file.toRuleSet("generated", 1, RuleSet.DROP);
            HeaderTrace trace = TraceGenerator.trace(file, set, traceFile, headers, 1, 0, seed);
            int[] answers;
            EngineBench.Result engine;
            ObjectNode record = cell.record().put("ruleCount", set.size());
            try (EngineBench bench =
                    new EngineBench(file, options.withGpu(GpuPool.Selection.OFF))) {
                answers = bench.answers(trace);
                engine = bench.measureCpuTime(trace, batch, rounds);
                record.put("algorithm", engine.algorithm().label())
                        .put("explanation", bench.explanation());
            }
            int step = (int) Math.max(1, (long) headers * set.size() / ORACLE_RULES);
            int[] sample = IntStream.range(0, headers).filter(i -> i % step == 0).toArray();
            long wrong = wrong(file, trace, sample, answers, Algorithm.of("linear"));
            if (witness != null) {
                int[] all = IntStream.range(0, headers).toArray();
                try {
                    wrong += wrong(file, trace, all, answers, witness);
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
                                    engine.imageBytes() / set.size(),
                                    wrong);
            if (rteAcl == null) {
                return new Result(record, line, wrong);
            }
            Path expect = folder.resolve("generated.answers");
            TextFiles.write(expect, Answers.text(answers));
            RteAcl.Result rival = rteAcl.run(rules, traceFile, expect, cell.name(), folder);
            return beside(rival, record, line, wrong, engine.mpps());
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

    /** How many answers an algorithm gives otherwise to a sample of the headers. */
    private static long wrong(
            RuleFile file, HeaderTrace trace, int[] sample, int[] answers, Algorithm algorithm) {
        List<int[]> asked = Arrays.stream(sample).mapToObj(trace::header).toList();
        EngineOptions alone = EngineOptions.of(algorithm).withGpu(GpuPool.Selection.OFF);
        try (EngineBench bench = new EngineBench(file, alone)) {
            return differing(bench.answers(HeaderTrace.of(asked)), answers, sample);
        }
    }

    /**
     * How many of some answers differ from those to the same headers among all.
     *
     * @param sample the number of each one's header among all
     */
    static long differing(int[] given, int[] all, int[] sample) {
        return IntStream.range(0, sample.length).filter(i -> given[i] != all[sample[i]]).count();
    }
}
