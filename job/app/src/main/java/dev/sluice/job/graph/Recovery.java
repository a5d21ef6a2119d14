package dev.sluice.job.graph;

import java.time.Duration;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.RestartStrategyOptions;

/**
 * How a job of long duration takes failures (decision 0066).
 *
 * <p>It starts again 1 s after a failure, and after each one that follows in twice the time, at
 * most half a minute: a lost TaskManager or a broker that is away costs a few attempts, not one a
 * second, and the job is back at most half a minute after what it lacks. The pauses differ by a
 * tenth, so that the jobs of a cluster do not all come at once. After {@link #QUIET} without a
 * failure the pauses begin at 1 s again.
 *
 * <p>A checkpoint that fails costs nothing as long as the verdicts behind the last one can still be
 * committed, and a restart would read all that once more; so failures are tolerated for half of the
 * time that Kafka keeps a transaction open. The other half is for the restart, which may help where
 * a task hangs. A checkpoint that takes longer than that half has failed.
 */
public final class Recovery {
    /** The first pause. */
    static final Duration FIRST_PAUSE = Duration.ofSeconds(1);

    static final Duration LONGEST_PAUSE = Duration.ofSeconds(30);
    static final Duration QUIET = Duration.ofMinutes(5);

    /**
     * In a process of its own the job ends at last: who started it sees that, and a log may not.
     */
    static final int ATTEMPTS_HERE = 12;

    private static final double GROWTH = 2;
    private static final double JITTER = 0.1;
    private static final int LEAST_TOLERATED = 10;
    private static final int MOST_TOLERATED = 10_000;
    private static final Duration LEAST_TIMEOUT = Duration.ofSeconds(10);

    private Recovery() {}

    /** Makes a job start again after every failure. */
    static void always(Configuration config) {
        config.set(RestartStrategyOptions.RESTART_STRATEGY, "exponential-delay");
        config.set(
                RestartStrategyOptions.RESTART_STRATEGY_EXPONENTIAL_DELAY_INITIAL_BACKOFF,
                FIRST_PAUSE);
        config.set(
                RestartStrategyOptions.RESTART_STRATEGY_EXPONENTIAL_DELAY_MAX_BACKOFF,
                LONGEST_PAUSE);
        config.set(
                RestartStrategyOptions.RESTART_STRATEGY_EXPONENTIAL_DELAY_BACKOFF_MULTIPLIER,
                GROWTH);
        config.set(
                RestartStrategyOptions.RESTART_STRATEGY_EXPONENTIAL_DELAY_RESET_BACKOFF_THRESHOLD,
                QUIET);
        config.set(RestartStrategyOptions.RESTART_STRATEGY_EXPONENTIAL_DELAY_JITTER_FACTOR, JITTER);
    }

    /**
     * Makes a job that runs in the process of its command start again, but not for ever: with the
     * pauses, {@value #ATTEMPTS_HERE} restarts in a row take some four minutes.
     */
    public static void inProcess(Configuration config) {
        always(config);
        config.set(
                RestartStrategyOptions.RESTART_STRATEGY_EXPONENTIAL_DELAY_ATTEMPTS, ATTEMPTS_HERE);
    }

    /** Sets when a checkpoint has failed, and how many may in a row. */
    static void checkpoints(Configuration config, Duration interval, Duration transactionTimeout) {
        Duration half = transactionTimeout.dividedBy(2);
        config.set(
                CheckpointingOptions.CHECKPOINTING_TIMEOUT,
                half.compareTo(LEAST_TIMEOUT) < 0 ? LEAST_TIMEOUT : half);
        config.set(CheckpointingOptions.TOLERABLE_FAILURE_NUMBER, tolerated(interval, half));
    }

    private static int tolerated(Duration interval, Duration time) {
        long failures = time.toMillis() / Math.max(1, interval.toMillis());
        return (int) Math.max(LEAST_TOLERATED, Math.min(failures, MOST_TOLERATED));
    }
}
