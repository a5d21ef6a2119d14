package dev.sluice.lab.backend;

import dev.sluice.engine.EngineOptions;
import dev.sluice.job.cli.EngineArguments;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Options of benches on a trace: the headers, the engine and its backend. */
public final class BenchOptions {
    @Option(
            names = "--trace",
            paramLabel = "FILE",
            required = true,
            description =
                    "Headers: ClassBench trace lines, or TSV whose header line names OpenFlow fields; .gz is read directly.")
    private Path trace = Path.of("");

    @Option(
            names = Backend.OPTION,
            paramLabel = "WHO",
            description =
                    "cpu: the CPU alone; gpu: a GPU, to which every batch goes; fails where none works. Without it GPUs that are there classify where they are faster, else the CPU; the output says who did.")
    private @Nullable Backend backend;

    @Mixin private EngineArguments engine = new EngineArguments();

    /** File of the headers. */
    public Path trace() {
        return trace;
    }

    /** The backend that is asked for; null: none. */
    public @Nullable Backend backend() {
        return backend;
    }

    /**
     * Options of the engine on that backend.
     *
     * @param here whether the engine is to work in this process
     * @throws dev.sluice.policy.io.SluiceException if it does not
     */
    public EngineOptions engine(boolean here) {
        EngineOptions given = engine.toOptions();
        if (backend == null) {
            return given;
        }
        EngineOptions options = backend.in(given);
        if (here) {
            backend.requireWorking(options); // before anything takes long
        }
        return options;
    }
}
