package dev.sluice.lab.bench;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sluice.engine.EngineFigures;
import dev.sluice.engine.EngineOptions;
import dev.sluice.job.cli.JsonOption;
import dev.sluice.job.cli.Range;
import dev.sluice.job.cli.RuleOptions;
import dev.sluice.job.cli.SluiceCommand;
import dev.sluice.lab.backend.BenchOptions;
import dev.sluice.lab.kit.Results;
import dev.sluice.policy.HeaderTrace;
import dev.sluice.policy.RuleFile;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code bench engine}: the engine alone on a header trace. */
@Command(
        name = "engine",
        description = {
            "Measures the classification engine alone on a header trace and checks its answers.",
            ""
        })
public final class EngineCommand extends SluiceCommand {
    @Mixin private RuleOptions ruleOptions = new RuleOptions();

    @Option(
            names = "--expect",
            paramLabel = "FILE",
            description =
                    "Expected answers: one 0-based rule index a line, -1 for a miss. Exit status 1 if any differs.")
    private @Nullable Path expect;

    @Mixin private BenchOptions bench = new BenchOptions();

    @Option(
            names = "--threads",
            paramLabel = "N",
            defaultValue = "1",
            description = "Threads (default ${DEFAULT-VALUE}).")
    @Range(from = 1, to = 1024)
    private int threads;

    @Option(
            names = "--batch",
            paramLabel = "N",
            defaultValue = "4096",
            description = "Headers a batch (default ${DEFAULT-VALUE}).")
    @Range(from = 1, to = 1 << 24)
    private int batch;

    @Option(
            names = "--rounds",
            paramLabel = "N",
            defaultValue = "7",
            description = "Measured rounds, at least 5 (default ${DEFAULT-VALUE}).")
    @Range(from = 5, to = 1000)
    private int rounds;

    @Option(
            names = "--explain",
            description = "Also print what the algorithm has to tell about the rules.")
    private boolean explain;

    @Mixin private JsonOption json = new JsonOption();

    @Override
    public Integer call() {
        EngineOptions options = bench.engine();
        RuleFile file = ruleOptions.read(err());
        HeaderTrace headers = HeaderTrace.read(bench.trace());
        try (EngineBench measured = new EngineBench(file, options)) {
            Long wrong = expect == null ? null : measured.countWrong(headers, expect);
            EngineBench.Result result = measured.measure(headers, threads, batch, rounds);
            ObjectNode record = record(file, headers, measured, result, options);
            record.put("wrong", wrong);
            Results.print(out(), json, record);
            if (explain && !json.isGiven()) {
                measured.engine().report().forEach(line -> out().println("  " + line));
            }
            return wrong == null || wrong == 0 ? 0 : 1;
        }
    }

    private ObjectNode record(
            RuleFile file,
            HeaderTrace headers,
            EngineBench measured,
            EngineBench.Result result,
            EngineOptions options) {
        ObjectNode record = JsonOption.object();
        record.put("rules", ruleOptions.file().toString());
        record.put("ruleCount", file.rules().size());
        result.describe(record);
        result.classified().describe(record);
        measured.engine()
                .current()
                .deviceAlgorithm()
                .ifPresent(there -> record.put("deviceAlgorithm", there.label()));
        record.put("threads", threads);
        record.put("batch", batch);
        record.put("headers", headers.size());
        record.put("explanation", measured.engine().current().explanation());
        if (options.flowCacheEntries() != 0) {
            EngineFigures figures = measured.engine().figures();
            record.put("cacheHitRate", figures.flowCacheHitRate());
            record.put("cachesTurnedOn", figures.flowCachesTurnedOn());
            record.put("cachesTurnedOff", figures.flowCachesTurnedOff());
        }
        return record;
    }
}
