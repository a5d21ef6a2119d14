package dev.sluice.job.graph;

import static org.apache.flink.configuration.CheckpointingOptions.CHECKPOINTING_TIMEOUT;
import static org.apache.flink.configuration.CheckpointingOptions.TOLERABLE_FAILURE_NUMBER;
import static org.apache.flink.configuration.RestartStrategyOptions.RESTART_STRATEGY;
import static org.apache.flink.configuration.RestartStrategyOptions.RESTART_STRATEGY_EXPONENTIAL_DELAY_ATTEMPTS;
import static org.apache.flink.configuration.RestartStrategyOptions.RESTART_STRATEGY_EXPONENTIAL_DELAY_BACKOFF_MULTIPLIER;
import static org.apache.flink.configuration.RestartStrategyOptions.RESTART_STRATEGY_EXPONENTIAL_DELAY_INITIAL_BACKOFF;
import static org.apache.flink.configuration.RestartStrategyOptions.RESTART_STRATEGY_EXPONENTIAL_DELAY_JITTER_FACTOR;
import static org.apache.flink.configuration.RestartStrategyOptions.RESTART_STRATEGY_EXPONENTIAL_DELAY_MAX_BACKOFF;
import static org.apache.flink.configuration.RestartStrategyOptions.RESTART_STRATEGY_EXPONENTIAL_DELAY_RESET_BACKOFF_THRESHOLD;

import java.time.Duration;
import org.apache.flink.configuration.Configuration;

/**
 * Restart strategy and checkpoint time-outs of a job of long duration (decision 0066).
 *
 * <p>The job restarts 1 s after a failure. Each further failure doubles the pause, up to 30 s. A
 * lost TaskManager or an absent broker thus costs a few attempts, and the job runs again at most 30
 * s after its return. A jitter of a tenth keeps the jobs of a cluster from restarting all at once.
 * After {@link #QUIET} without a failure the pauses begin at 1 s again.
 *
 * <p>A failed checkpoint costs nothing while the verdicts since the last one can still be
 * committed, whereas a restart would read their packets again. Failures are therefore tolerated for
 * half of the transaction time-out. The other half is left for the restart, which may help if a
 * task hangs. A checkpoint that takes longer than that half has failed.
 */
public final class Recovery {
    /** First pause. */
    static final Duration FIRST_PAUSE = Duration.ofSeconds(1);

    static final Duration LONGEST_PAUSE = Duration.ofSeconds(30);
    static final Duration QUIET = Duration.ofMinutes(5);

    /**
     * Number of restarts in a row of a job in its command's process. The job ends after them: its
     * user sees the end, but perhaps not a log.
     */
    static final int ATTEMPTS_HERE = 12;

    private static final double GROWTH = 2;
    private static final double JITTER = 0.1;
    private static final int LEAST_TOLERATED = 10;
    private static final int MOST_TOLERATED = 10_000;
    private static final Duration LEAST_TIMEOUT = Duration.ofSeconds(10);

    private Recovery() {}

    /** Makes a job restart after every failure. */
    static void always(Configuration config) {
        config.set(RESTART_STRATEGY, "exponential-delay");
        config.set(RESTART_STRATEGY_EXPONENTIAL_DELAY_INITIAL_BACKOFF, FIRST_PAUSE);
        config.set(RESTART_STRATEGY_EXPONENTIAL_DELAY_MAX_BACKOFF, LONGEST_PAUSE);
        config.set(RESTART_STRATEGY_EXPONENTIAL_DELAY_BACKOFF_MULTIPLIER, GROWTH);
        config.set(RESTART_STRATEGY_EXPONENTIAL_DELAY_RESET_BACKOFF_THRESHOLD, QUIET);
        config.set(RESTART_STRATEGY_EXPONENTIAL_DELAY_JITTER_FACTOR, JITTER);
    }

    /**
     * Makes a job in its command's process restart a limited number of times. {@value
     * #ATTEMPTS_HERE} restarts in a row take some four minutes with their pauses.
     */
    public static void inProcess(Configuration config) {
        always(config);
        config.set(RESTART_STRATEGY_EXPONENTIAL_DELAY_ATTEMPTS, ATTEMPTS_HERE);
    }

    /** Sets the time-out of a checkpoint, and the number of tolerated failures. */
    static void checkpoints(Configuration config, Duration interval, Duration transactionTimeout) {
        Duration half = transactionTimeout.dividedBy(2);
        config.set(CHECKPOINTING_TIMEOUT, half.compareTo(LEAST_TIMEOUT) < 0 ? LEAST_TIMEOUT : half);
        config.set(TOLERABLE_FAILURE_NUMBER, tolerated(interval, half));
    }

    private static int tolerated(Duration interval, Duration time) {
        long failures = time.toMillis() / Math.max(1, interval.toMillis());
        return (int) Math.max(LEAST_TOLERATED, Math.min(failures, MOST_TOLERATED));
    }
}
