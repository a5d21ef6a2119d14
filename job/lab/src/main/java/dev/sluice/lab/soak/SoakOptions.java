package dev.sluice.lab.soak;

import dev.sluice.job.cli.Range;
import dev.sluice.job.cli.Times;
import java.time.Duration;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Options of a run. */
final class SoakOptions {
    /** TaskManagers of the cluster, of one slot each. */
    static final int TASK_MANAGERS = 2;

    static final long CHECKPOINT_MILLIS = 500;

    @Option(
            names = "--minutes",
            paramLabel = "DURATION",
            defaultValue = "5m",
            converter = Times.InMinutes.class,
            description =
                    "How long processes are killed (default ${DEFAULT-VALUE}; a bare number is in m); start and end come on top.")
    @Range(shortest = "1m")
    Duration minutes = Duration.ZERO;

    @Option(
            names = "--seed",
            paramLabel = "S",
            description = "Seed of plan and rules (default: drawn, and said).")
    private @Nullable Long seed;

    @Option(
            names = "--kills",
            paramLabel = "K",
            description =
                    "End after so many kills; exit status 1 if --minutes are over before (default: as many as fit). 0: kill nothing, and measure.")
    @Range
    @Nullable Integer kills;

    @Option(
            names = "--rate",
            paramLabel = "N",
            defaultValue = "10000",
            description = "Packets a second (default ${DEFAULT-VALUE}).")
    @Range(from = NumberedPackets.BLOCK, to = 1_000_000)
    int rate;

    @Option(
            names = "--versions",
            paramLabel = "N",
            defaultValue = "10",
            description =
                    "Versions of the rules a second, three changes each (default ${DEFAULT-VALUE}).")
    @Range(from = 1, to = 1_000)
    int versions;

    /** Returns the seed, drawn where none is given. */
    long seed() {
        if (seed == null) {
            seed = (long) new Random().nextInt(Integer.MAX_VALUE);
        }
        return seed;
    }

    /** Tells whether nothing is killed, and what the processes take is measured. */
    boolean killsNothing() {
        return kills != null && kills == 0;
    }
}
