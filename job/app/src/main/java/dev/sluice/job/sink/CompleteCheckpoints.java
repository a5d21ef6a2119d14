package dev.sluice.job.sink;

import org.apache.flink.api.common.TaskInfo;
import org.apache.flink.api.common.functions.RichMapFunction;
import org.apache.flink.api.common.state.CheckpointListener;

/**
 * Function before a sink's writer that tells the writer's {@link TransactionPool} which checkpoints
 * are complete. Flink notifies functions, but not writers.
 *
 * @param <T> elements of the sink
 */
final class CompleteCheckpoints<T> extends RichMapFunction<T, T> implements CheckpointListener {
    private static final long serialVersionUID = 1L;

    private final String prefix;

    /**
     * Creates the function of a sink.
     *
     * @param prefix of its transactional ids
     */
    CompleteCheckpoints(String prefix) {
        this.prefix = prefix;
    }

    /** Returns the name of a writer of this process, from its sink's prefix and its subtask. */
    static String writer(String prefix, TaskInfo task) {
        return prefix + "-" + task.getIndexOfThisSubtask();
    }

    @Override
    public T map(T written) {
        return written;
    }

    @Override
    public void notifyCheckpointComplete(long checkpoint) {
        TransactionPool.checkpointComplete(
                writer(prefix, getRuntimeContext().getTaskInfo()), checkpoint);
    }
}
