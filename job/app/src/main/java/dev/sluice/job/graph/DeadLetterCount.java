package dev.sluice.job.graph;

import dev.sluice.operators.statistics.JobCounts;
import dev.sluice.schemas.codec.DeadLetter;
import dev.sluice.schemas.codec.MalformedMessageException;
import java.util.Objects;
import org.apache.flink.api.common.functions.RichMapFunction;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.runtime.state.FunctionInitializationContext;
import org.apache.flink.runtime.state.FunctionSnapshotContext;
import org.apache.flink.streaming.api.checkpoint.CheckpointedFunction;
import org.jspecify.annotations.Nullable;

/** Count of dead letters by reason, before their sink. Runs as one task. */
public final class DeadLetterCount
        extends RichMapFunction<Tuple2<Integer, byte[]>, Tuple2<Integer, byte[]>>
        implements CheckpointedFunction {
    /** Title of the {@link JobCounts}. */
    public static final String TITLE = "dead letters";

    private static final long serialVersionUID = 1L;

    private transient @Nullable JobCounts counts;

    @Override
    public void initializeState(FunctionInitializationContext context) throws Exception {
        JobCounts open = new JobCounts(TITLE, getRuntimeContext(), context.getOperatorStateStore());
        getRuntimeContext().getMetricGroup().gauge("deadLetters", open::sum);
        counts = open;
    }

    @Override
    public Tuple2<Integer, byte[]> map(Tuple2<Integer, byte[]> letter)
            throws MalformedMessageException {
        Objects.requireNonNull(counts).add(DeadLetter.decode(letter.f1).reason(), 1);
        return letter;
    }

    @Override
    public void snapshotState(FunctionSnapshotContext context) throws Exception {
        Objects.requireNonNull(counts).write();
    }
}
