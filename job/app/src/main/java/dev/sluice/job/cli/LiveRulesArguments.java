package dev.sluice.job.cli;

import dev.sluice.job.UsageException;
import dev.sluice.operators.classify.RulesTime;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Options of a job that goes on: how packets wait for rules. */
final class LiveRulesArguments {
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
     * The time that a job judges by, if it goes on.
     *
     * @param time as it is for a job that ends
     * @throws UsageException naming option, value and remedy
     */
    RulesTime toOptions(RulesTime time, boolean bounded) {
        if (time.event() && !bounded) {
            return RulesTime.live(
                    Duration.ofNanos(time.latenessNs()),
                    idle == null ? Duration.ofSeconds(30) : idle);
        }
        requireAbsent("--rules-idle", idle);
        requireAbsent("--rules-drift", drift);
        return time;
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
