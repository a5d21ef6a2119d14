package dev.sluice.job.cli;

import dev.sluice.job.UsageException;
import dev.sluice.operators.classify.RulesTime;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Options that say which version of the rules judges a packet. */
final class RulesTimeArguments {
    /** How the version of a packet is found. */
    private enum Mode {
        PROCESSING,
        EVENT
    }

    @Option(
            names = "--rules-time",
            paramLabel = "MODE",
            description =
                    "Version of the rules that judges a packet: processing, the newest that is ready; or event, the version in force at the packet's own time (default: processing).")
    private @Nullable Mode mode;

    @Option(
            names = "--allowed-lateness",
            paramLabel = "DURATION",
            description =
                    "In event time: how much older a packet may be than the newest packet of its flow shard; an older packet is judged at that bound and marked late. A number with ms, s, m, h or d behind it (default: 0s).")
    private @Nullable Duration lateness;

    /**
     * The options.
     *
     * @param eventByDefault whether event time is meant where no mode was named
     * @throws UsageException if a lateness is given for processing time
     */
    RulesTime toOptions(boolean eventByDefault) {
        if (mode == Mode.EVENT || mode == null && eventByDefault) {
            return RulesTime.event(lateness == null ? Duration.ZERO : lateness);
        }
        if (lateness != null) {
            throw new UsageException(
                    "--allowed-lateness %s is of event time; say --rules-time event, or leave it out"
                            .formatted(Times.words(lateness)));
        }
        return RulesTime.PROCESSING;
    }
}
