package dev.sluice.job.archive;

import dev.sluice.engine.EngineOptions;
import dev.sluice.engine.lookup.VerdictBatch;
import dev.sluice.job.hits.CaptureHits;
import dev.sluice.operators.statistics.JobCounts;
import dev.sluice.schemas.header.HeaderBatch;
import java.util.Objects;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.functions.RichMapFunction;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.runtime.state.FunctionInitializationContext;
import org.apache.flink.runtime.state.FunctionSnapshotContext;
import org.apache.flink.streaming.api.checkpoint.CheckpointedFunction;
import org.jspecify.annotations.Nullable;

/**
 * Operator that classifies pieces of captures with the engine of the process.
 *
 * <p>Its metrics have the names of the Kafka job's classify operator, so that one display reads
 * both jobs.
 */
final class JudgeCaptures extends RichMapFunction<CapturePiece, CapturePiece>
        implements CheckpointedFunction {
    private static final long serialVersionUID = 1L;
    private static final String READ = "packets read";

    private final ArchiveRules rules;
    private final EngineOptions options;
    private transient @Nullable Judge judge;
    private transient @Nullable JobCounts counts;

    JudgeCaptures(ArchiveRules rules, EngineOptions options) {
        this.rules = rules;
        this.options = options;
    }

    @Override
    public void initializeState(FunctionInitializationContext context) throws Exception {
        counts = new JobCounts(READ, getRuntimeContext(), context.getOperatorStateStore());
    }

    @Override
    public void open(OpenContext context) {
        judge =
                new Judge(
                        SharedEngine.acquire(rules, options),
                        Objects.requireNonNull(counts),
                        getRuntimeContext().getMetricGroup());
    }

    @Override
    public CapturePiece map(CapturePiece piece) {
        Objects.requireNonNull(judge).judge(piece);
        return piece;
    }

    @Override
    public void snapshotState(FunctionSnapshotContext context) throws Exception {
        Objects.requireNonNull(counts).write();
    }

    @Override
    public void close() {
        Judge open = judge;
        judge = null;
        if (open != null) {
            open.engine.close();
        }
    }

    /** Engine, counts and metrics of an open task. */
    private static final class Judge {
        private final SharedEngine engine;
        private final JobCounts counts;
        private final Counter headers;
        private final Counter answered;
        private final VerdictBatch verdicts = new VerdictBatch(CaptureHits.BATCH);
        private volatile double fill;

        Judge(SharedEngine engine, JobCounts counts, MetricGroup metrics) {
            this.engine = engine;
            this.counts = counts;
            headers = metrics.counter("headers");
            answered = metrics.counter("verdicts");
            long version = engine.version();
            long since = System.currentTimeMillis();
            metrics.gauge("ruleSetVersion", () -> version);
            metrics.gauge("ruleSetSinceMillis", () -> since);
            metrics.gauge("batchFill", () -> fill);
            metrics.gauge("packetsJudged", counts::sum);
        }

        void judge(CapturePiece piece) {
            HeaderBatch batch = piece.packets().headers();
            if (batch.size() > 0) {
                headers.inc(batch.size());
                engine.classify(batch, verdicts);
                answered.inc(batch.size());
                counts.add("judged", batch.size());
            }
            fill = (double) piece.packets().packets() / CaptureHits.BATCH;
            piece.judged(verdicts);
        }
    }
}
