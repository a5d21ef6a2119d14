package dev.sluice.operators.classify;

import dev.sluice.operators.statistics.StatisticsOptions;
import org.apache.flink.api.common.typeinfo.PrimitiveArrayTypeInfo;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.runtime.state.KeyGroupRangeAssignment;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.runtime.tasks.mailbox.TaskMailbox;
import org.apache.flink.streaming.util.AbstractStreamOperatorTestHarness;

/** The operator in Flink's harness, for state. It keeps no keyed state, so none is set up. */
final class OperatorHarness extends AbstractStreamOperatorTestHarness<Tuple2<Integer, byte[]>> {
    private static final int MAX_PARALLELISM = 8;

    private OperatorHarness(
            ClassifyOptions options,
            RuleBootstrap bootstrap,
            StatisticsOptions statistics,
            int parallelism,
            int subtask)
            throws Exception {
        super(
                new ClassifyOperatorFactory(options, bootstrap, statistics),
                MAX_PARALLELISM,
                parallelism,
                subtask);
    }

    /** Packets {@code first} to {@code first + count - 1}; packet n goes to port n mod 4. */
    static StreamRecord<Tuple2<Integer, byte[]>> block(int shard, long first, int count) {
        byte[] message = Packets.block(shard, first, count).encode();
        return new StreamRecord<>(Tuple2.of(shard, message));
    }

    static OperatorHarness create(
            ClassifyOptions options,
            RuleBootstrap bootstrap,
            OperatorSubtaskState state,
            int parallelism,
            int subtask)
            throws Exception {
        return create(options, bootstrap, StatisticsOptions.OFF, state, parallelism, subtask);
    }

    static OperatorHarness create(
            ClassifyOptions options,
            RuleBootstrap bootstrap,
            StatisticsOptions statistics,
            OperatorSubtaskState state,
            int parallelism,
            int subtask)
            throws Exception {
        OperatorHarness harness =
                new OperatorHarness(options, bootstrap, statistics, parallelism, subtask);
        TypeInformation<Tuple2<Integer, byte[]>> type =
                Types.TUPLE(Types.INT, PrimitiveArrayTypeInfo.BYTE_PRIMITIVE_ARRAY_TYPE_INFO);
        harness.setup(type.createSerializer(harness.getExecutionConfig().getSerializerConfig()));
        if (state != null) {
            harness.initializeState(state);
        }
        harness.open();
        return harness;
    }

    private ClassifyOperator classify() {
        return (ClassifyOperator) getOperator();
    }

    void processElement1(StreamRecord<Tuple2<Integer, byte[]>> element) throws Exception {
        classify().processElement1(element);
    }

    void processElement2(StreamRecord<byte[]> element) throws Exception {
        classify().processElement2(element);
    }

    /** Runs what the worker and the clock have mailed. */
    void runMails() throws Exception {
        var mail = getTaskMailbox().tryTake(TaskMailbox.MIN_PRIORITY);
        while (mail.isPresent()) {
            mail.get().run();
            mail = getTaskMailbox().tryTake(TaskMailbox.MIN_PRIORITY);
        }
    }

    void drain(long checkpoint) throws Exception {
        classify().prepareSnapshotPreBarrier(checkpoint);
    }

    /** The state of all subtasks of an operator. */
    static OperatorSubtaskState merge(OperatorSubtaskState... subtasks) throws Exception {
        return repackageState(subtasks);
    }

    static OperatorSubtaskState repartition(
            OperatorSubtaskState state, int from, int to, int subtask) {
        return repartitionOperatorState(state, MAX_PARALLELISM, from, to, subtask);
    }

    /** A shard whose packets Flink hands to a subtask. */
    static int shardOf(int parallelism, int subtask) {
        int shard = 0;
        while (subtaskOf(shard, parallelism) != subtask) {
            shard++;
        }
        return shard;
    }

    /** The subtask that Flink hands the packets of a shard to. */
    static int subtaskOf(int shard, int parallelism) {
        return KeyGroupRangeAssignment.assignKeyToParallelOperator(
                shard, MAX_PARALLELISM, parallelism);
    }
}
