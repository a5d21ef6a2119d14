package dev.sluice.lab.bench;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sluice.engine.EngineFigures;
import dev.sluice.engine.EngineOptions;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.job.UsageException;
import dev.sluice.job.cli.Choice;
import dev.sluice.job.cli.EngineArguments;
import dev.sluice.job.cli.JsonOption;
import dev.sluice.job.cli.RuleOptions;
import dev.sluice.lab.backend.Backend;
import dev.sluice.lab.kit.Results;
import dev.sluice.policy.HeaderTrace;
import dev.sluice.policy.RuleFile;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code bench engine}: the engine alone on a header trace. */
@Command(
        name = "engine",
        description = {
            "Measures the classification engine alone on a header trace and checks its answers.",
            ""
        })
public final class EngineCommand implements Callable<Integer> {
    @Spec private CommandSpec spec;

    @Mixin private RuleOptions ruleOptions = new RuleOptions();

    @Option(
            names = "--trace",
            paramLabel = "FILE",
            required = true,
            description =
                    "Headers: ClassBench trace lines, or TSV whose header line names OpenFlow fields; .gz is read directly.")
    private Path trace = Path.of("");

    @Option(
            names = "--expect",
            paramLabel = "FILE",
            description =
                    "Expected answers: one 0-based rule index a line, -1 for a miss. Exit status 1 if any differs.")
    private @Nullable Path expect;

    @Mixin private EngineArguments engine = new EngineArguments();

    @Option(
            names = Backend.OPTION,
            paramLabel = "WHO",
            description =
                    "cpu: the CPU alone; gpu: a GPU, to which every batch goes; fails where none works. Without it GPUs that are there classify, else the CPU; the output says who did.")
    private @Nullable String backend;

    @Option(
            names = "--threads",
            paramLabel = "N",
            defaultValue = "1",
            description = "Threads (default ${DEFAULT-VALUE}).")
    private int threads;

    @Option(
            names = "--batch",
            paramLabel = "N",
            defaultValue = "4096",
            description = "Headers a batch (default ${DEFAULT-VALUE}).")
    private int batch;

    @Option(
            names = "--rounds",
            paramLabel = "N",
            defaultValue = "7",
            description = "Measured rounds, at least 5 (default ${DEFAULT-VALUE}).")
    private int rounds;

    @Option(
            names = "--updates",
            description =
                    "Also measure single-rule updates a second: random rules go and come back, each in a version of its own.")
    private boolean updates;

    @Option(
            names = "--explain",
            description = "Also print what the algorithm has to tell about the rules.")
    private boolean explain;

    @Mixin private JsonOption json = new JsonOption();

    @Override
    public Integer call() {
        UsageException.requireRange("--threads", threads, 1, 1024);
        UsageException.requireRange("--batch", batch, 1, 1 << 24);
        UsageException.requireRange("--rounds", rounds, 5, 1000);
        Backend wanted =
                backend == null ? null : Choice.parse(Backend.OPTION, backend, Backend.class);
        EngineOptions given = engine.toOptions();
        EngineOptions options = wanted == null ? given : wanted.in(given);
        if (wanted != null) {
            wanted.requireWorking(options); // before anything takes long
        }
        RuleFile file = ruleOptions.read(spec.commandLine().getErr());
        HeaderTrace headers = HeaderTrace.read(trace);
        try (EngineBench bench = new EngineBench(file, options)) {
            if (wanted != null) {
                wanted.requireServed(bench.onDevice());
            }
            Long wrong = expect == null ? null : bench.countWrong(headers, expect);
            EngineBench.Result result = bench.measure(headers, threads, batch, rounds);
            if (wanted != null) {
                wanted.requireIn(result.classified());
            }
            ObjectNode record = record(file, headers, bench, result, options);
            record.put("wrong", wrong);
            if (updates && !file.rules().isEmpty()) {
                RuleSet rules = file.toRuleSet("bench", 1, RuleSet.DROP);
                UpdateBench.measure(rules, options.withAlgorithm(bench.algorithm()), record);
            }
            PrintWriter out = spec.commandLine().getOut();
            Results.print(out, json, record);
            if (explain && !json.isGiven()) {
                bench.report().forEach(line -> out.println("  " + line));
            }
            return wrong == null || wrong == 0 ? 0 : 1;
        }
    }

    private ObjectNode record(
            RuleFile file,
            HeaderTrace headers,
            EngineBench bench,
            EngineBench.Result result,
            EngineOptions options) {
        ObjectNode record = JsonOption.object();
        record.put("rules", ruleOptions.file().toString());
        record.put("ruleCount", file.rules().size());
        record.put("algorithm", result.algorithm().label());
        result.classified().describe(record);
        bench.deviceAlgorithm().ifPresent(there -> record.put("deviceAlgorithm", there.label()));
        record.put("threads", threads);
        record.put("batch", batch);
        record.put("headers", headers.size());
        record.put("mpps", result.mpps());
        record.put("mppsMin", result.mppsMin());
        record.put("mppsMax", result.mppsMax());
        record.put("buildSeconds", result.buildSeconds());
        record.put("imageBytes", result.imageBytes());
        record.put("explanation", bench.explanation());
        if (options.flowCacheEntries() != 0) {
            EngineFigures figures = bench.figures();
            record.put("cacheHitRate", figures.flowCacheHitRate());
            record.put("cachesTurnedOn", figures.flowCachesTurnedOn());
            record.put("cachesTurnedOff", figures.flowCachesTurnedOff());
        }
        return record;
    }
}
