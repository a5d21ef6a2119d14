package dev.sluice.job.cli;

import dev.sluice.job.UsageException;
import dev.sluice.operators.classify.RulesTime;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Options that say which version of the rules judges a packet, and how packets wait for it. */
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

    @Option(
            names = "--waiting-bytes",
            paramLabel = "SIZE",
            defaultValue = "64m",
            converter = Sizes.class,
            description =
                    "Bytes of packets that may wait for rules in a subtask, as its state, before it holds its input back: in event time for the rules of their time, else for the first rules (default ${DEFAULT-VALUE}).")
    long waiting = 64L << 20;

    @Option(
            names = "--rules-idle",
            paramLabel = "DURATION",
            converter = Times.PauseOrNone.class,
            description =
                    "In event time: time without a message in the rules topic (a heartbeat is one) after which the newest version judges the waiting packets; none: they wait for ever (default: 30s).")
    private @Nullable Duration idle;

    @Option(
            names = "--rules-drift",
            paramLabel = "DURATION",
            converter = Times.PauseOrNone.class,
            description =
                    "In event time: how far packets are read ahead of the rules and of other partitions; none: as far as --waiting-bytes allows (default: 5s).")
    private @Nullable Duration drift;

    /**
     * The options of a job.
     *
     * @param bounded whether the job ends
     * @throws UsageException naming option, value and remedy
     */
    RulesTime toOptions(boolean bounded) {
        boolean event = mode == Mode.EVENT;
        if (!event && lateness != null) {
            throw new UsageException(
                    "--allowed-lateness %s is of event time; say --rules-time event, or leave it out"
                            .formatted(Times.words(lateness)));
        }
        if (event && !bounded) {
            return RulesTime.live(
                    lateness == null ? Duration.ZERO : lateness,
                    idle == null ? Duration.ofSeconds(30) : idle);
        }
        requireAbsent("--rules-idle", idle);
        requireAbsent("--rules-drift", drift);
        return event ? event() : RulesTime.PROCESSING;
    }

    /** How far packets are read ahead of the rules; null: as far as they can be. */
    @Nullable Duration drift() {
        if (drift == null) {
            return Duration.ofSeconds(5);
        }
        return drift.isZero() ? null : drift;
    }

    private static void requireAbsent(String option, @Nullable Duration length) {
        if (length != null) {
            throw new UsageException(
                    "%s %s is of a job in event time that goes on; say --rules-time event without --bounded, or leave it out"
                            .formatted(option, Times.words(length)));
        }
    }
}
