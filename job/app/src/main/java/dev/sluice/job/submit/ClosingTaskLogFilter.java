package dev.sluice.job.submit;

import org.apache.flink.runtime.checkpoint.CheckpointException;
import org.apache.flink.runtime.checkpoint.CheckpointFailureReason;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.core.LogEvent;
import org.apache.logging.log4j.core.LoggerContext;
import org.apache.logging.log4j.core.filter.AbstractFilter;

/**
 * Leaves out of the log that a checkpoint was declined by a task that is closing: Flink warns of
 * it, with a stack trace, where a checkpoint falls into the regular end of a job.
 */
public final class ClosingTaskLogFilter extends AbstractFilter {
    private static final ClosingTaskLogFilter FILTER = new ClosingTaskLogFilter();

    private ClosingTaskLogFilter() {
        start();
    }

    /** From now on it is left out of this process's log. */
    static void leaveOut() {
        if (LogManager.getContext(false) instanceof LoggerContext context) {
            leaveOut(context);
        }
    }

    /** Leaves the warning out of a log; a second time changes nothing. */
    public static void leaveOut(LoggerContext context) {
        var root = context.getConfiguration().getRootLogger();
        root.removeFilter(FILTER);
        root.addFilter(FILTER);
    }

    @Override
    public Result filter(LogEvent event) {
        return event.getThrown() instanceof CheckpointException failure
                        && failure.getCheckpointFailureReason()
                                == CheckpointFailureReason.CHECKPOINT_DECLINED_TASK_CLOSING
                ? Result.DENY
                : Result.NEUTRAL;
    }
}
