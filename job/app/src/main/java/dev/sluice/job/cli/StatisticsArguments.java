package dev.sluice.job.cli;

import dev.sluice.job.UsageException;
import dev.sluice.operators.statistics.StatisticsOptions;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Options that say what a job counts of each rule. */
public final class StatisticsArguments {
    @Option(
            names = "--stats",
            negatable = true,
            defaultValue = "true",
            fallbackValue = "true",
            description =
                    "Count packets, bytes, first and last hit of each rule into the statistics topic (default: on).")
    private boolean on = true;

    @Option(
            names = "--stats-window",
            paramLabel = "DURATION",
            converter = Times.Pause.class,
            description =
                    "Count them by windows of this length, too, into the topic of windows: a number with ms, s, m, h or d behind it, as in 10s.")
    private @Nullable Duration window;

    /**
     * The options.
     *
     * @throws UsageException if windows are asked for and no statistics
     */
    public StatisticsOptions toOptions() {
        if (window == null) {
            return on ? StatisticsOptions.TOTALS : StatisticsOptions.OFF;
        }
        if (!on) {
            throw new UsageException("--stats-window asks for statistics; leave out --no-stats");
        }
        return new StatisticsOptions(true, window.toNanos());
    }
}
