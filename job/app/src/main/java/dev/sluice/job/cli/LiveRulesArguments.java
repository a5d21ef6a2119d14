package dev.sluice.job.cli;

import dev.sluice.job.UsageException;
import dev.sluice.operators.classify.RulesTime;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Options of a job that goes on: how packets wait for rules. */
final class LiveRulesArguments {
    private static final String NONE = "none";

    @Option(
            names = "--waiting-bytes",
            paramLabel = "SIZE",
            defaultValue = "64m",
            converter = Sizes.class,
            description = {
                "Bytes of packets that may wait for rules in a subtask, as its state, before it holds its input back:",
                "in event time for those of their time, else for the first (default ${DEFAULT-VALUE})."
            })
    private long waiting = 64L << 20;

    @Option(
            names = "--rules-idle",
            paramLabel = "DURATION",
            converter = Times.Written.class,
            description = {
                "In event time: after so long without a message in the rules topic, heartbeats included, packets are",
                "judged by the newest version and wait no more; none: never (default: 30s)."
            })
    private @Nullable String idle;

    @Option(
            names = "--rules-drift",
            paramLabel = "DURATION",
            converter = Times.Written.class,
            description = {
                "In event time: how far packets are read ahead of the rules, and of packets of other partitions;",
                "none: as far as --waiting-bytes lets them (default: 5s)."
            })
    private @Nullable String drift;

    /** Bytes of packets that may wait in a subtask. */
    long waitingBytes() {
        return waiting;
    }

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
                    duration("--rules-idle", idle, Duration.ofSeconds(30)));
        }
        requireAbsent("--rules-idle", idle);
        requireAbsent("--rules-drift", drift);
        return time;
    }

    /** How far packets are read ahead of the rules; null: as far as they can be. */
    @Nullable Duration drift() {
        Duration length = duration("--rules-drift", drift, Duration.ofSeconds(5));
        return length.isZero() ? null : length;
    }

    private static Duration duration(String option, @Nullable String text, Duration usual) {
        if (text == null) {
            return usual;
        }
        if (text.equals(NONE)) {
            return Duration.ZERO;
        }
        Duration length = Times.duration(option, text);
        if (length.isZero()) {
            throw new UsageException(option + " " + text + " is no time; write none, or 1s");
        }
        return length;
    }

    private static void requireAbsent(String option, @Nullable String text) {
        if (text != null) {
            throw new UsageException(
                    option
                            + " "
                            + text
                            + " is of a job in event time that goes on; say --rules-time event without --bounded, or leave it out");
        }
    }
}
