package dev.sluice.operators.classify;

import dev.sluice.operators.rules.topic.RuleMessages;
import dev.sluice.operators.rules.topic.RuleSource;
import dev.sluice.operators.rules.topic.RuleTransaction;
import dev.sluice.operators.rules.topic.TimedMessage;
import dev.sluice.operators.shadow.ShadowOptions;
import dev.sluice.operators.statistics.JobCounts;
import dev.sluice.operators.statistics.StatisticsOptions;
import dev.sluice.schemas.codec.MalformedMessageException;
import dev.sluice.schemas.codec.VerdictBlock;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.apache.flink.api.common.JobID;
import org.apache.flink.api.common.typeinfo.PrimitiveArrayTypeInfo;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.Histogram;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.runtime.jobgraph.JobVertexID;
import org.apache.flink.runtime.jobgraph.OperatorID;
import org.apache.flink.runtime.metrics.groups.InternalOperatorMetricGroup;
import org.apache.flink.runtime.metrics.util.InterceptingOperatorMetricGroup;
import org.apache.flink.runtime.metrics.util.InterceptingTaskMetricGroup;
import org.apache.flink.runtime.operators.testutils.MockEnvironmentBuilder;
import org.apache.flink.runtime.operators.testutils.MockInputSplitProvider;
import org.apache.flink.runtime.state.KeyGroupRangeAssignment;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.runtime.tasks.mailbox.Mail;
import org.apache.flink.streaming.runtime.tasks.mailbox.TaskMailbox;
import org.apache.flink.streaming.util.AbstractStreamOperatorTestHarness;

/** A subtask of the operator in Flink's harness. */
final class OperatorHarness extends AbstractStreamOperatorTestHarness<Tuple2<Integer, byte[]>> {
    private static final int MAX_PARALLELISM = 8;

    /** An attempt of a job to run the operator, in a process: its subtasks share their rules. */
    record Attempt(JobID job, JobVertexID vertex, OperatorID operator) {
        /** The first attempt of a job. */
        static Attempt first() {
            return new Attempt(new JobID(), new JobVertexID(), new OperatorID());
        }

        /** Another attempt of the same job. */
        Attempt next() {
            return new Attempt(job, new JobVertexID(), operator);
        }

        /** The same attempt as in another process, which has rules of its own. */
        Attempt elsewhere() {
            return new Attempt(job, vertex, new OperatorID());
        }
    }

    /** Keeps the operator's metrics. */
    private static final class Metrics extends InterceptingTaskMetricGroup {
        private final InterceptingOperatorMetricGroup operator =
                new InterceptingOperatorMetricGroup();

        @Override
        public InternalOperatorMetricGroup getOrAddOperator(
                OperatorID id, String name, Map<String, String> variables) {
            return operator;
        }
    }

    /** What a counter of the operator stands at. */
    long counter(String name) {
        Metrics metrics = (Metrics) getEnvironment().getMetricGroup();
        return ((Counter) metrics.operator.get(name)).getCount();
    }

    /** Checkpoints whose pauses the operator has told. */
    long pauses() {
        Metrics metrics = (Metrics) getEnvironment().getMetricGroup();
        return ((Histogram) metrics.operator.get("checkpointPauseMicros")).getCount();
    }

    private OperatorHarness(
            ClassifyOperatorFactory factory, Attempt attempt, int parallelism, int subtask)
            throws Exception {
        super(
                factory,
                new MockEnvironmentBuilder()
                        .setTaskName("classify")
                        .setJobID(attempt.job)
                        .setJobVertexID(attempt.vertex)
                        .setManagedMemorySize(1 << 20)
                        .setInputSplitProvider(new MockInputSplitProvider())
                        .setBufferSize(1024)
                        .setMaxParallelism(MAX_PARALLELISM)
                        .setParallelism(parallelism)
                        .setSubtaskIndex(subtask)
                        .setMetricGroup(new Metrics())
                        .build());
        config.setStatePartitioner(0, new ShardKey());
        config.setStateKeySerializer(
                Types.INT.createSerializer(getExecutionConfig().getSerializerConfig()));
        config.setOperatorName("classify");
        config.setOperatorID(attempt.operator);
        config.serializeAllConfigs();
    }

    /** Packets {@code first} to {@code first + count - 1}; packet n goes to port n mod 4. */
    static StreamRecord<Tuple2<Integer, byte[]>> block(int shard, long first, int count) {
        byte[] message = Packets.block(shard, first, count).encode();
        return new StreamRecord<>(Tuple2.of(shard, message));
    }

    /** A subtask that shares its rules with no other. */
    static OperatorHarness create(
            ClassifyOptions options,
            RuleSource rules,
            OperatorSubtaskState state,
            int parallelism,
            int subtask)
            throws Exception {
        return create(options, rules, state, Attempt.first(), parallelism, subtask);
    }

    /** A subtask of an attempt. */
    static OperatorHarness create(
            ClassifyOptions options,
            RuleSource rules,
            OperatorSubtaskState state,
            Attempt attempt,
            int parallelism,
            int subtask)
            throws Exception {
        return create(options, rules, StatisticsOptions.OFF, state, attempt, parallelism, subtask);
    }

    /** A subtask that counts, and shares its rules with no other. */
    static OperatorHarness create(
            ClassifyOptions options,
            RuleSource rules,
            StatisticsOptions statistics,
            OperatorSubtaskState state,
            int parallelism,
            int subtask)
            throws Exception {
        return create(options, rules, statistics, state, Attempt.first(), parallelism, subtask);
    }

    /** A subtask of an attempt, which counts. */
    static OperatorHarness create(
            ClassifyOptions options,
            RuleSource rules,
            StatisticsOptions statistics,
            OperatorSubtaskState state,
            Attempt attempt,
            int parallelism,
            int subtask)
            throws Exception {
        return create(
                new ClassifyOperatorFactory(options, rules, statistics, null),
                state,
                attempt,
                parallelism,
                subtask);
    }

    /** The only subtask, with a shadow. */
    static OperatorHarness create(
            ClassifyOptions options,
            RuleSource rules,
            ShadowOptions shadow,
            OperatorSubtaskState state)
            throws Exception {
        return create(
                new ClassifyOperatorFactory(options, rules, StatisticsOptions.OFF, shadow),
                state,
                Attempt.first(),
                1,
                0);
    }

    private static OperatorHarness create(
            ClassifyOperatorFactory factory,
            OperatorSubtaskState state,
            Attempt attempt,
            int parallelism,
            int subtask)
            throws Exception {
        OperatorHarness harness = new OperatorHarness(factory, attempt, parallelism, subtask);
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

    /** Takes a message of packets, and runs mails until none waits for rules. */
    void processElement1(StreamRecord<Tuple2<Integer, byte[]>> element) throws Exception {
        offer(element);
        awaitRules();
    }

    /** Takes a message of packets, which may wait for rules. */
    void offer(StreamRecord<Tuple2<Integer, byte[]>> element) throws Exception {
        classify().setKeyContextElement1(element);
        classify().processElement1(element);
    }

    /** Messages of packets that wait for rules. */
    int waiting() {
        return classify().waiting().count();
    }

    /** Bytes of them. */
    long waitingBytes() {
        return classify().waiting().bytes();
    }

    /** Runs mails until no packets wait for rules. */
    void awaitRules() throws Exception {
        while (waiting() > 0) {
            runMails();
            Thread.onSpinWait();
            if (Thread.interrupted()) {
                throw new InterruptedException("packets wait for rules that do not come");
            }
        }
    }

    /** Verdicts by status that the job would tell, were this its end. */
    Map<String, Long> verdictCounts() {
        Map<String, Object> accumulators = new HashMap<>();
        getEnvironment()
                .getAccumulatorRegistry()
                .getUserMap()
                .forEach((name, counted) -> accumulators.put(name, counted.getLocalValue()));
        return Objects.requireNonNull(JobCounts.of(ClassifyOperator.VERDICTS, accumulators));
    }

    /** Takes a message of the rules topic that travels alone. */
    void processElement2(StreamRecord<byte[]> element) throws Exception {
        classify()
                .processElement2(
                        new StreamRecord<>(
                                RuleMessages.of(
                                        new TimedMessage(
                                                RuleTransaction.NO_TIME, element.getValue()))));
    }

    /** The verdicts of the output so far. */
    List<VerdictBlock> blocks() throws MalformedMessageException {
        List<VerdictBlock> blocks = new ArrayList<>();
        for (Object element : getOutput()) {
            if (element instanceof StreamRecord<?> record
                    && record.getValue() instanceof Tuple2<?, ?> pair) {
                blocks.add(VerdictBlock.decode((byte[]) pair.f1));
            }
        }
        return blocks;
    }

    /** Runs what the worker and the clock have mailed. */
    void runMails() throws Exception {
        var mail = getTaskMailbox().tryTake(TaskMailbox.MIN_PRIORITY);
        while (mail.isPresent()) {
            mail.get().run();
            mail = getTaskMailbox().tryTake(TaskMailbox.MIN_PRIORITY);
        }
    }

    /** Has the task's thread run something when it takes mails next. */
    void mail(Runnable what) {
        getTaskMailbox().put(new Mail(what::run, Integer.MAX_VALUE, "test"));
    }

    /** Version of the rules that the next packet is judged by. */
    long version() {
        return classify().version();
    }

    /** Runs mails until packets are compared by a version of the shadow. */
    void awaitShadow(long version) throws Exception {
        while (classify().shadowVersion() != version) {
            runMails();
            Thread.onSpinWait();
            if (Thread.interrupted()) {
                throw new InterruptedException("version " + version + " does not come");
            }
        }
    }

    /** Runs mails until packets are judged by a version. */
    void awaitVersion(long version) throws Exception {
        while (version() != version) {
            runMails();
            Thread.onSpinWait();
            if (Thread.interrupted()) {
                throw new InterruptedException("version " + version + " does not come");
            }
        }
    }

    void drain(long checkpoint) throws Exception {
        classify().prepareSnapshotPreBarrier(checkpoint);
    }

    /**
     * Ends the task: as a failure does where packets wait for rules, else after its last output.
     */
    @Override
    public void close() throws Exception {
        WaitingPackets packets = classify().waiting();
        if (packets != null && packets.count() > 0) {
            classify().close();
        } else {
            super.close();
        }
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
                ShardKey.of(shard), MAX_PARALLELISM, parallelism);
    }
}
