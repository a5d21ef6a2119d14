package dev.sluice.job.cli;

import dev.sluice.operators.statistics.StatisticsOptions;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Option;

/** Options that say what a job counts of each rule. */
public final class StatisticsArguments {
    @ArgGroup private @Nullable Counting counting;

    /** One of these at most. */
    private static final class Counting {
        @Option(
                names = "--no-stats",
                description =
                        "Do not count packets, bytes, first and last hit of each rule into the statistics topic.")
        @SuppressWarnings("UnusedVariable") // its presence tells
        private boolean off;

        @Option(
                names = "--stats-window",
                paramLabel = "DURATION",
                converter = Times.Pause.class,
                description =
                        "Count hits by windows of this length, too, into the topic of windows: a number with ms, s, m, h or d behind it, as in 10s.")
        private @Nullable Duration window;
    }

    /** The options. */
    public StatisticsOptions toOptions() {
        if (counting == null) {
            return StatisticsOptions.TOTALS;
        }
        return counting.window == null
                ? StatisticsOptions.OFF
                : new StatisticsOptions(true, counting.window.toNanos());
    }
}
