package dev.sluice.operators.statistics;

import dev.sluice.schemas.codec.RuleStatistics;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.PrimitiveArrayTypeInfo;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.functions.KeySelector;
import org.apache.flink.api.java.tuple.Tuple3;
import org.apache.flink.runtime.state.StateInitializationContext;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;

/**
 * Adds up the hits of each rule and emits the sums that changed, each once, before a checkpoint's
 * barrier and at the end of input: what a checkpoint commits is the sums that its state holds. A
 * rule that was not hit since emits nothing.
 *
 * <p>Input: {@link RuleHits}, keyed by {@link #KEY}. Output: (whether it is of a window, Kafka key,
 * {@link RuleStatistics} message). A long time between checkpoints that hits many rules emits in
 * between, so that memory beside the state is bounded.
 */
public final class StatisticsOperator
        extends AbstractStreamOperator<Tuple3<Boolean, byte[], byte[]>>
        implements OneInputStreamOperator<RuleHits, Tuple3<Boolean, byte[], byte[]>> {
    /** Type of the output. */
    public static final TypeInformation<Tuple3<Boolean, byte[], byte[]>> TYPE =
            Types.TUPLE(
                    Types.BOOLEAN,
                    PrimitiveArrayTypeInfo.BYTE_PRIMITIVE_ARRAY_TYPE_INFO,
                    PrimitiveArrayTypeInfo.BYTE_PRIMITIVE_ARRAY_TYPE_INFO);

    /** Key of the input: history, whether a rule matched, its id. */
    public static final KeySelector<RuleHits, Tuple3<String, Boolean, Long>> KEY =
            hits -> Tuple3.of(hits.history(), hits.matched(), hits.ruleId());

    /** Type of the key. */
    public static final TypeInformation<Tuple3<String, Boolean, Long>> KEY_TYPE =
            Types.TUPLE(Types.STRING, Types.BOOLEAN, Types.LONG);

    private static final long serialVersionUID = 1L;

    /** Sums that changed at which they are emitted at once. */
    private static final int MOST_CHANGED = 1 << 16;

    /** What sums are of. */
    private record Subject(
            String history,
            boolean matched,
            long ruleId,
            long windowNs,
            long windowStartNs,
            long part) {}

    private transient ValueState<RuleHits> total;
    private transient WindowBook windows;

    /** The sums that changed since they were emitted. */
    private transient Map<Subject, RuleHits> changed;

    @Override
    public void initializeState(StateInitializationContext context) throws Exception {
        super.initializeState(context);
        total =
                context.getKeyedStateStore()
                        .getState(new ValueStateDescriptor<>("total", RuleHits.TYPE));
        windows = new WindowBook(context.getKeyedStateStore());
        changed = new LinkedHashMap<>();
    }

    @Override
    public void processElement(StreamRecord<RuleHits> element) throws Exception {
        RuleHits hits = element.getValue();
        RuleHits before = total.value();
        RuleHits all = hits.withoutWindow();
        RuleHits sums = before == null ? all : before.plus(all);
        total.update(sums);
        change(sums);
        if (hits.windowNs() != 0) {
            change(windows.add(hits));
        }
        if (changed.size() >= MOST_CHANGED) {
            emit();
        }
    }

    private void change(RuleHits sums) {
        changed.put(
                new Subject(
                        sums.history(),
                        sums.matched(),
                        sums.ruleId(),
                        sums.windowNs(),
                        sums.windowStartNs(),
                        sums.part()),
                sums);
    }

    private void emit() {
        for (RuleHits sums : changed.values()) {
            RuleStatistics message = sums.toStatistics();
            output.collect(
                    new StreamRecord<>(
                            Tuple3.of(sums.windowNs() != 0, message.key(), message.encode())));
        }
        changed.clear();
    }

    @Override
    public void prepareSnapshotPreBarrier(long checkpointId) {
        emit();
    }

    @Override
    public void finish() throws Exception {
        emit();
        super.finish();
    }
}
