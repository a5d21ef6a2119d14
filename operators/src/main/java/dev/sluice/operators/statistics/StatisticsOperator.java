package dev.sluice.operators.statistics;

import static org.apache.flink.api.common.typeinfo.PrimitiveArrayTypeInfo.BYTE_PRIMITIVE_ARRAY_TYPE_INFO;

import dev.sluice.schemas.codec.Column;
import dev.sluice.schemas.codec.RuleStatistics;
import java.util.BitSet;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.functions.KeySelector;
import org.apache.flink.api.java.tuple.Tuple3;
import org.apache.flink.runtime.state.StateInitializationContext;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.jspecify.annotations.Nullable;

/**
 * Operator that adds up the hits of each rule and emits the sums that changed.
 *
 * <p>It emits each changed sum once, before a checkpoint's barrier and at the end of input. A
 * checkpoint thus commits exactly the sums of its state. A rule without new hits emits nothing.
 *
 * <p>Input: {@link GroupedHits}, keyed by {@link #KEY}. Output: (whether of a window, Kafka key,
 * {@link RuleStatistics} message). The totals of all rules of a group are one value under the
 * group's key. The windows of a rule are under the rule's own key, (history, whether a rule
 * matched, id). If many windows are hit between two checkpoints, the operator emits in between, so
 * that its memory beside the state is bounded.
 */
public final class StatisticsOperator
        extends AbstractStreamOperator<Tuple3<Boolean, byte[], byte[]>>
        implements OneInputStreamOperator<GroupedHits, Tuple3<Boolean, byte[], byte[]>> {
    /** Flink's type of the output. */
    public static final TypeInformation<Tuple3<Boolean, byte[], byte[]>> TYPE =
            Types.TUPLE(
                    Types.BOOLEAN, BYTE_PRIMITIVE_ARRAY_TYPE_INFO, BYTE_PRIMITIVE_ARRAY_TYPE_INFO);

    /** Key of the input: that of the group. */
    public static final KeySelector<GroupedHits, Tuple3<String, Boolean, Long>> KEY =
            hits -> Tuple3.of(hits.history(), false, hits.group());

    /** Flink's type of the key. */
    public static final TypeInformation<Tuple3<String, Boolean, Long>> KEY_TYPE =
            Types.TUPLE(Types.STRING, Types.BOOLEAN, Types.LONG);

    private static final long serialVersionUID = 1L;

    /** Number of changed sums of windows at which all are emitted at once. */
    private static final int MOST_CHANGED = 1 << 16;

    /** Window of a rule. */
    private record Subject(
            String history, @Nullable Long ruleId, long windowNs, long windowStartNs, long part) {}

    /** Totals of a group, under the group's key. */
    private transient ValueState<RuleHitTable> totals;

    /** Windows of a rule, under the rule's key. */
    private transient WindowBook windows;

    private transient HitGroups groups;

    /** Rows changed since they were emitted, by the key of their group. */
    private transient Map<Tuple3<String, Boolean, Long>, BitSet> changedTotals;

    /** Sums of windows changed since they were emitted. */
    private transient Map<Subject, RuleStatistics> changedWindows;

    @Override
    public void initializeState(StateInitializationContext context) throws Exception {
        super.initializeState(context);
        totals =
                context.getKeyedStateStore()
                        .getState(
                                new ValueStateDescriptor<>(
                                        "totals", RuleHitTableSerializer.INSTANCE));
        windows = new WindowBook(context.getKeyedStateStore());
        groups = new HitGroups(getRuntimeContext().getTaskInfo().getMaxNumberOfParallelSubtasks());
        changedTotals = new LinkedHashMap<>();
        changedWindows = new LinkedHashMap<>();
    }

    /** Returns the key of a rule's group. */
    private Tuple3<String, Boolean, Long> groupOf(String history, boolean matched, long ruleId) {
        return Tuple3.of(history, false, groups.nameOf(history, matched, ruleId));
    }

    /** Returns the table of the current key. */
    private RuleHitTable table() throws Exception {
        RuleHitTable table = totals.value();
        return table == null ? new RuleHitTable() : table;
    }

    @Override
    public void processElement(StreamRecord<GroupedHits> element) throws Exception {
        GroupedHits hits = element.getValue();
        if (!groups.take(hits.groups())) {
            throw new IllegalStateException(
                    "hits come in %d key groups and are added up in %d, which is no divisor of that; give the operators classify and statistics the same parallelism, or set pipeline.max-parallelism"
                            .formatted(hits.groups(), groups.count()));
        }
        HitRows rows = hits.unpack();
        Tuple3<String, Boolean, Long> group =
                groupOf(hits.history(), rows.matched(0), rows.ruleId(0));
        setCurrentKey(group);
        BitSet changed = changedTotals.computeIfAbsent(group, key -> new BitSet());
        RuleHitTable table = table();
        for (int row = 0; row < rows.size(); row++) {
            changed.set(table.add(rows, row, Column.NO_TIME));
        }
        totals.update(table);
        if (hits.windowNs() != 0) {
            for (int row = 0; row < rows.size(); row++) {
                addToWindow(rows.hits(row));
            }
        }
    }

    private void addToWindow(RuleStatistics hits) throws Exception {
        Long rule = hits.ruleId();
        setCurrentKey(Tuple3.of(hits.history(), rule != null, rule == null ? 0 : rule));
        RuleStatistics sums = windows.add(hits);
        changedWindows.put(
                new Subject(
                        sums.history(),
                        sums.ruleId(),
                        sums.windowNs(),
                        sums.windowStartNs(),
                        sums.part()),
                sums);
        if (changedWindows.size() >= MOST_CHANGED) {
            emitWindows();
        }
    }

    private void emit() throws Exception {
        for (Map.Entry<Tuple3<String, Boolean, Long>, BitSet> group : changedTotals.entrySet()) {
            setCurrentKey(group.getKey());
            HitRows rows = table().rows(group.getKey().f0, 0);
            BitSet changed = group.getValue();
            for (int row = changed.nextSetBit(0); row >= 0; row = changed.nextSetBit(row + 1)) {
                emit(rows.hits(row));
            }
        }
        changedTotals.clear();
        emitWindows();
    }

    private void emitWindows() {
        changedWindows.values().forEach(this::emit);
        changedWindows.clear();
    }

    private void emit(RuleStatistics sums) {
        output.collect(
                new StreamRecord<>(Tuple3.of(sums.windowNs() != 0, sums.key(), sums.encode())));
    }

    @Override
    public void prepareSnapshotPreBarrier(long checkpointId) throws Exception {
        emit();
    }

    @Override
    public void finish() throws Exception {
        emit();
        super.finish();
    }
}
