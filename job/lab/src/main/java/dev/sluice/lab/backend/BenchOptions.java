package dev.sluice.lab.backend;

import dev.sluice.engine.EngineOptions;
import dev.sluice.job.cli.EngineArguments;
import java.nio.file.Path;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Options of benches on a trace: the headers and the engine. */
public final class BenchOptions {
    @Option(
            names = "--trace",
            paramLabel = "FILE",
            required = true,
            description =
                    "Headers: ClassBench trace lines, or TSV whose header line names OpenFlow fields; .gz is read directly.")
    private Path trace = Path.of("");

    @Mixin private EngineArguments engine = new EngineArguments();

    /** File of the headers. */
    public Path trace() {
        return trace;
    }

    /** Options of the engine. */
    public EngineOptions engine() {
        return engine.toOptions();
    }
}
