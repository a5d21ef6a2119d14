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
 * and with merged tuples and rte_acl on all. Not thread-safe.
 *
 * @param options the engine's; devices take no part
 * @param headers of each trace: half within a rule, the others near misses and points between rules
 * @param batch headers a batch
 * @param rteAcl program that stands beside it, absent for none
 */
record CellBench(
        EngineOptions options, int headers, int batch, int rounds, @Nullable RteAcl rteAcl) {
    static final long SEED = 1;

    /** Rules that linear search may look at: a few seconds. */
    private static final long ORACLE_RULES = 1_000_000_000L;

    /** Most rules on which the witness is asked: of more its build takes long. */
    private static final int WITNESS_RULES = 100_000;

    private static final Algorithm WITNESS = Algorithm.of("merged-tuple");

    /** Measures a cell, and returns its record. */
    ObjectNode measure(Cell cell) throws IOException {
        try (TemporaryDirectory files = new TemporaryDirectory(TemporaryDirectory.parent())) {
            Path folder = files.path();
            Path rules = folder.resolve("generated.rules");
            Path traceFile = folder.resolve("generated.trace");
            TextFiles.write(rules, String.join("\n", cell.generator(SEED).lines()) + "\n");
            RuleFile file = RuleFile.read(rules, null);
            RuleSet set = file.toRuleSet("generated", 1, RuleSet.DROP);
            HeaderTrace trace = TraceGenerator.trace(file, set, traceFile, headers, 1, 0, SEED);
            int[] answers;
            ObjectNode record = cell.record().put("ruleCount", set.size());
            try (EngineBench bench =
                    new EngineBench(file, options.withGpu(GpuPool.Selection.OFF))) {
                answers = bench.answers(trace);
                bench.measureCpuTime(trace, batch, rounds).describe(record);
                record.put("explanation", bench.engine().current().explanation());
            }
            int step = (int) Math.max(1, (long) headers * set.size() / ORACLE_RULES);
            int[] sample = IntStream.range(0, headers).filter(i -> i % step == 0).toArray();
            long wrong = wrong(file, trace, sample, answers, Algorithm.of("linear"));
            if (set.size() <= WITNESS_RULES) {
                int[] all = IntStream.range(0, headers).toArray();
                try {
                    wrong += wrong(file, trace, all, answers, WITNESS);
                } catch (UnsupportedRulesException | MemoryBudgetException e) {
                    record.put("refusal", WITNESS.label() + ": " + e.getMessage());
                }
            }
            record.put("linearHeaders", sample.length).put("wrong", wrong);
            if (rteAcl != null) {
                Path expect = folder.resolve("generated.answers");
                TextFiles.write(expect, Answers.text(answers));
                record.setAll(rteAcl.run(rules, traceFile, expect, cell.name(), folder));
            }
            return record;
        }
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
