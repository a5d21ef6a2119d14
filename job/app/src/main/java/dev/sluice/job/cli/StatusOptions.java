package dev.sluice.job.cli;

import java.time.Duration;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** How often a command says where its job stands. */
final class StatusOptions {
    private static final String OFF = "off";

    @Option(
            names = "--status-every",
            paramLabel = "DURATION",
            defaultValue = "10s",
            converter = Times.Written.class,
            description =
                    "How often a line says where the job stands, as in 30s, where stderr is no terminal; on a terminal it stands there always; off: never (default ${DEFAULT-VALUE}).")
    private String every = "10s";

    /** Time between lines; null: none come. */
    @Nullable Duration every() {
        return every.equals(OFF) ? null : Times.pause("--status-every", every);
    }
}
