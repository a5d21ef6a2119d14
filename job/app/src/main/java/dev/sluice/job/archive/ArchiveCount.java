package dev.sluice.job.archive;

import static java.util.Objects.requireNonNull;

import dev.sluice.job.capture.CaptureBatch;
import dev.sluice.job.capture.CaptureEnd;
import dev.sluice.job.graph.DeadLetterCount;
import dev.sluice.operators.classify.ClassifyOperator;
import dev.sluice.operators.statistics.JobCounts;
import dev.sluice.schemas.codec.VerdictStatus;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.flink.api.common.functions.FlatMapFunction;
import org.apache.flink.api.common.functions.RichMapFunction;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.tuple.Tuple3;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.runtime.state.FunctionInitializationContext;
import org.apache.flink.runtime.state.FunctionSnapshotContext;
import org.apache.flink.streaming.api.checkpoint.CheckpointedFunction;
import org.apache.flink.util.Collector;
import org.jspecify.annotations.Nullable;

/**
 * Count of packets and captures by outcome, for the job's end.
 *
 * <p>It runs as one task, which ends after all others: counts of a task that ends earlier would be
 * in no checkpoint.
 */
final class ArchiveCount
        extends RichMapFunction<Tuple3<String, String, Long>, Tuple3<String, String, Long>>
        implements CheckpointedFunction {
    /** Title of the count of captures by how they ended; {@link #CLEAN} for clean ends. */
    static final String CAPTURES = "captures";

    /** Title of the count of packets whose tunnel was not decapsulated, by its kind. */
    static final String SHUT_TUNNELS = "shut tunnels";

    static final String CLEAN = "read to their end";

    /** Type of title, name and increment. */
    static final TypeInformation<Tuple3<String, String, Long>> TYPE =
            Types.TUPLE(Types.STRING, Types.STRING, Types.LONG);

    private static final long serialVersionUID = 1L;

    private static final List<String> TITLES =
            List.of(ClassifyOperator.VERDICTS, DeadLetterCount.TITLE, CAPTURES, SHUT_TUNNELS);

    private transient @Nullable Map<String, JobCounts> counts;

    @Override
    public void initializeState(FunctionInitializationContext context) throws Exception {
        Map<String, JobCounts> open = new TreeMap<>();
        for (String title : TITLES) {
            open.put(
                    title,
                    new JobCounts(
                            title, title, getRuntimeContext(), context.getOperatorStateStore()));
        }
        MetricGroup metrics = getRuntimeContext().getMetricGroup();
        metrics.gauge("deadLetters", requireNonNull(open.get(DeadLetterCount.TITLE))::sum);
        metrics.gauge("capturesRead", requireNonNull(open.get(CAPTURES))::sum);
        counts = open;
    }

    @Override
    public Tuple3<String, String, Long> map(Tuple3<String, String, Long> more) {
        requireNonNull(requireNonNull(counts).get(more.f0)).add(more.f1, more.f2);
        return more;
    }

    @Override
    public void snapshotState(FunctionSnapshotContext context) throws Exception {
        for (JobCounts count : requireNonNull(counts).values()) {
            count.write();
        }
    }

    /**
     * Conversion of pieces to increments of counts.
     *
     * @param captures names of the captures, in the order of the archive
     */
    record OfPieces(List<String> captures)
            implements FlatMapFunction<CapturePiece, Tuple3<String, String, Long>> {
        @Override
        public void flatMap(CapturePiece piece, Collector<Tuple3<String, String, Long>> out) {
            CaptureBatch packets = piece.packets();
            long judged = packets.headers().size();
            if (judged > 0) {
                out.collect(Tuple3.of(ClassifyOperator.VERDICTS, VerdictStatus.OK.name(), judged));
            }
            Map<String, Long> reasons = new TreeMap<>();
            packets.countReasons(reasons);
            reasons.forEach(
                    (why, count) -> out.collect(Tuple3.of(DeadLetterCount.TITLE, why, count)));
            packets.shutTunnels()
                    .byLabel()
                    .forEach((kind, count) -> out.collect(Tuple3.of(SHUT_TUNNELS, kind, count)));
            CaptureEnd end = piece.end();
            if (end != null) {
                String how =
                        end.isClean()
                                ? CLEAN
                                : end.describeClassified(captures.get(packets.capture()));
                out.collect(Tuple3.of(CAPTURES, how, 1L));
            }
        }
    }
}
