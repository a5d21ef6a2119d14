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
            description = {
                "Which version of the rules judges a packet: processing, the newest that is ready, or event, the one",
                "that was in force at the packet's own time (default: processing)."
            })
    private @Nullable String mode;

    @Option(
            names = "--allowed-lateness",
            paramLabel = "DURATION",
            converter = Times.Written.class,
            description = {
                "In event time: how much older a packet may be than the newest of its flow shard; older ones are",
                "judged at that bound and marked late. A number with ms, s, m, h or d behind it (default: 0s)."
            })
    private @Nullable String lateness;

    /** Tells whether the mode was given. */
    boolean isGiven() {
        return mode != null;
    }

    /**
     * The options, read and checked.
     *
     * @param eventByDefault whether event time is meant where no mode was named
     * @throws UsageException naming option, value and remedy
     */
    RulesTime toOptions(boolean eventByDefault) {
        Mode chosen =
                mode == null
                        ? eventByDefault ? Mode.EVENT : Mode.PROCESSING
                        : Choice.parse("--rules-time", mode, Mode.class);
        if (chosen == Mode.PROCESSING) {
            if (lateness != null) {
                throw new UsageException(
                        "--allowed-lateness "
                                + lateness
                                + " is of event time; say --rules-time event, or leave it out");
            }
            return RulesTime.PROCESSING;
        }
        return RulesTime.event(
                lateness == null ? Duration.ZERO : Times.duration("--allowed-lateness", lateness));
    }
}
