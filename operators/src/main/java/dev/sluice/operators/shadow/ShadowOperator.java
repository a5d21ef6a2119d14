package dev.sluice.operators.shadow;

import static org.apache.flink.api.common.typeinfo.PrimitiveArrayTypeInfo.BYTE_PRIMITIVE_ARRAY_TYPE_INFO;

import dev.sluice.schemas.codec.ShadowCount;
import dev.sluice.schemas.codec.ShadowCount.Kind;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.apache.flink.api.common.state.ListState;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.runtime.state.StateInitializationContext;
import org.apache.flink.runtime.state.StateSnapshotContext;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;

/**
 * Operator that adds up the counts of all subtasks that compare, and emits the sums that changed.
 * It has one subtask.
 *
 * <p>Input: {@link ShadowCount} messages since the barrier before. Output: (Kafka key, {@link
 * ShadowCount} message), each changed sum once before a barrier and at the end of input. State: a
 * list {@code shadow-counts} of the messages of all sums.
 *
 * <p>The first pairs of rules, up to a number, are told apart for good, and counted exactly. The
 * packets of all further pairs are one sum. Times and examples are of the order in which subtasks
 * hand out.
 */
public final class ShadowOperator extends AbstractStreamOperator<Tuple2<byte[], byte[]>>
        implements OneInputStreamOperator<byte[], Tuple2<byte[], byte[]>> {
    /** Flink's type of the output. */
    public static final TypeInformation<Tuple2<byte[], byte[]>> TYPE =
            Types.TUPLE(BYTE_PRIMITIVE_ARRAY_TYPE_INFO, BYTE_PRIMITIVE_ARRAY_TYPE_INFO);

    private static final long serialVersionUID = 1L;

    private final int mostPairs;

    private transient ListState<byte[]> state;

    /** Sums by their keys. */
    private transient Map<String, ShadowCount> sums;

    /** Keys of the sums that changed since they were emitted. */
    private transient Set<String> changed;

    private transient int pairs;
    private transient long others;

    /**
     * An operator.
     *
     * @param mostPairs pairs of rules that are told apart
     */
    public ShadowOperator(int mostPairs) {
        this.mostPairs = mostPairs;
    }

    @Override
    public void initializeState(StateInitializationContext context) throws Exception {
        super.initializeState(context);
        state =
                context.getOperatorStateStore()
                        .getListState(
                                new ListStateDescriptor<>(
                                        "shadow-counts", BYTE_PRIMITIVE_ARRAY_TYPE_INFO));
        sums = new LinkedHashMap<>();
        changed = new LinkedHashSet<>();
        pairs = 0;
        others = 0;
        for (byte[] message : state.get()) {
            add(ShadowCount.decode(message), Integer.MAX_VALUE);
        }
        changed.clear();
    }

    @Override
    public void open() throws Exception {
        super.open();
        MetricGroup group = getMetricGroup();
        group.gauge("pairs", () -> pairs);
        group.gauge("packetsOfOtherPairs", () -> others);
    }

    @Override
    public void processElement(StreamRecord<byte[]> element) throws Exception {
        add(ShadowCount.decode(element.getValue()), mostPairs);
    }

    private void add(ShadowCount count, int most) {
        String key = count.key();
        ShadowCount before = sums.get(key);
        if (before == null && count.kind() == Kind.PAIR) {
            if (pairs >= most) {
                add(count.as(Kind.OTHERS), most);
                return;
            }
            pairs++;
        }
        if (count.kind() == Kind.OTHERS) {
            others += count.packets();
        }
        sums.put(key, before == null ? count : before.and(count));
        changed.add(key);
    }

    private void emit() {
        for (String key : changed) {
            ShadowCount sum = Objects.requireNonNull(sums.get(key));
            output.collect(new StreamRecord<>(Tuple2.of(sum.keyBytes(), sum.encode())));
        }
        changed.clear();
    }

    @Override
    public void prepareSnapshotPreBarrier(long checkpointId) {
        emit();
    }

    @Override
    public void snapshotState(StateSnapshotContext context) throws Exception {
        super.snapshotState(context);
        List<byte[]> messages = new ArrayList<>(sums.size());
        sums.values().forEach(sum -> messages.add(sum.encode()));
        state.update(messages);
    }

    @Override
    public void finish() throws Exception {
        emit();
        super.finish();
    }
}
