package dev.sluice.job.cli;

import java.time.Duration;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** How often a command says where its job stands. */
final class StatusOptions {
    @Option(
            names = "--status-every",
            paramLabel = "DURATION",
            defaultValue = "10s",
            converter = Times.PauseOrNone.class,
            description =
                    "How often a line says where the job stands, as in 30s, where stderr is no terminal; on a terminal it stands there always; off: never (default ${DEFAULT-VALUE}).")
    private Duration every = Duration.ZERO;

    /** Time between lines; null: none come. */
    @Nullable Duration every() {
        return every.isZero() ? null : every;
    }
}
