package dev.sluice.job.cli;

import dev.sluice.job.UsageException;
import dev.sluice.operators.statistics.StatisticsOptions;
import java.time.Duration;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Options that say what a job counts of each rule. */
public final class StatisticsArguments {
    private static final Pattern DURATION = Pattern.compile("(\\d{1,9})(ms|s|m|h|d)");

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
            description =
                    "Count them by windows of this length, too, into the topic of windows: a number with ms, s, m, h or d behind it, as in 10s.")
    private @Nullable String window;

    /**
     * The options, read and checked.
     *
     * @throws UsageException naming option, value and remedy
     */
    public StatisticsOptions toOptions() {
        if (window == null) {
            return on ? StatisticsOptions.TOTALS : StatisticsOptions.OFF;
        }
        if (!on) {
            throw new UsageException(
                    "--stats-window " + window + " asks for statistics; leave out --no-stats");
        }
        Duration length = parse(window);
        if (length.isZero()) {
            throw new UsageException(
                    "--stats-window " + window + " is empty; write 1ms or more, as in 10s");
        }
        return new StatisticsOptions(true, length.toNanos());
    }

    private static Duration parse(String text) {
        Matcher parts = DURATION.matcher(text.toLowerCase(Locale.ROOT));
        if (!parts.matches()) {
            throw new UsageException(
                    "--stats-window "
                            + text
                            + " is no duration; write a number with ms, s, m, h or d behind it, as in 10s");
        }
        long number = Long.parseLong(parts.group(1));
        Duration length =
                switch (parts.group(2)) {
                    case "ms" -> Duration.ofMillis(number);
                    case "s" -> Duration.ofSeconds(number);
                    case "m" -> Duration.ofMinutes(number);
                    case "h" -> Duration.ofHours(number);
                    default -> Duration.ofDays(number);
                };
        if (length.compareTo(Duration.ofDays(36_500)) > 0) {
            throw new UsageException(
                    "--stats-window " + text + " is longer than a century; write a shorter one");
        }
        return length;
    }
}
