package dev.sluice.job.cli;

import dev.sluice.job.UsageException;
import dev.sluice.operators.classify.RulesTime;
import picocli.CommandLine.Option;

/** Options that say which version of the rules judges a packet. */
final class RulesTimeArguments extends AllowedLateness {
    /** How the version of a packet is found. */
    private enum Mode {
        PROCESSING,
        EVENT
    }

    @Option(
            names = "--rules-time",
            paramLabel = "MODE",
            defaultValue = "processing",
            description =
                    "Version of the rules that judges a packet: processing, the newest that is ready; or event, the version in force at the packet's own time (default ${DEFAULT-VALUE}).")
    private Mode mode = Mode.PROCESSING;

    /**
     * The options.
     *
     * @throws UsageException if a lateness is given for processing time
     */
    RulesTime toOptions() {
        if (mode == Mode.EVENT) {
            return event();
        }
        if (lateness != null) {
            throw new UsageException(
                    "--allowed-lateness %s is of event time; say --rules-time event, or leave it out"
                            .formatted(Times.words(lateness)));
        }
        return RulesTime.PROCESSING;
    }
}
