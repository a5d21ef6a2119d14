package dev.sluice.operators.classify;

import dev.sluice.engine.EngineOptions;
import dev.sluice.operators.connections.TrackerOptions;
import dev.sluice.operators.rules.serving.RuleStreamState;
import dev.sluice.operators.rules.serving.VersionService;
import dev.sluice.operators.rules.topic.RuleMessages;
import dev.sluice.operators.rules.topic.RuleSource;
import dev.sluice.operators.shadow.ShadowOptions;
import dev.sluice.operators.statistics.GroupedHits;
import dev.sluice.operators.statistics.HitCounter;
import dev.sluice.operators.statistics.HitGroups;
import dev.sluice.operators.statistics.HitRows;
import dev.sluice.operators.statistics.JobCounts;
import dev.sluice.operators.statistics.StatisticsOptions;
import dev.sluice.schemas.codec.DeadLetter;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.apache.flink.api.common.TaskInfo;
import org.apache.flink.api.common.operators.MailboxExecutor;
import org.apache.flink.api.common.typeinfo.PrimitiveArrayTypeInfo;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.runtime.state.KeyedStateBackend;
import org.apache.flink.runtime.state.StateInitializationContext;
import org.apache.flink.runtime.state.StateSnapshotContext;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.api.operators.StreamOperatorParameters;
import org.apache.flink.streaming.api.operators.TwoInputStreamOperator;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.util.OutputTag;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Classifies keyed packet messages under broadcast rules: what ties {@link BatchPipeline} and the
 * rule stream of the process to Flink.
 *
 * <p>Input 1: (flow shard, message of the packets topic), keyed by flow shard. Input 2, in
 * processing time alone: messages of the rules topic, broadcast, as {@link RuleMessages}. Output:
 * (flow shard, message of the verdicts topic), in the order of the packets. Side outputs {@link
 * #DEAD_LETTERS}, {@link #HITS}, {@link #CONNECTIONS} and {@link #SHADOW}.
 *
 * <p>Threads: everything here runs in the task's mailbox thread. While the pipeline has as many
 * batches in flight as it may, that thread runs mails instead of taking input, which Flink turns
 * into back-pressure. It never decodes rules or builds: a {@link VersionService} does, for all
 * subtasks of the process. Packets whose rules are not known wait in keyed state ({@link
 * PacketGate}). Before a barrier, and at the end of input, the pipeline is drained, so that the
 * state is the rules and what waits for them; what was counted is then handed out, too.
 *
 * <p>Which rules judge a packet, {@link TimeMode} says. In event time packets are the only input:
 * the rule history is read, and in a live job followed, beside the job; the state is where the
 * history ends, and, keyed, the largest time of each flow shard.
 *
 * <p>Watermarks end here: they align the sources, and say nothing of verdicts.
 */
public final class ClassifyOperator extends AbstractStreamOperator<Tuple2<Integer, byte[]>>
        implements OneInputStreamOperator<Tuple2<Integer, byte[]>, Tuple2<Integer, byte[]>>,
                TwoInputStreamOperator<Tuple2<Integer, byte[]>, byte[], Tuple2<Integer, byte[]>> {
    /**
     * Faults of rule transactions and versions, as DeadLetter messages; from the first subtask
     * only.
     */
    public static final OutputTag<byte[]> DEAD_LETTERS =
            new OutputTag<>(
                    "classify-dead-letters", PrimitiveArrayTypeInfo.BYTE_PRIMITIVE_ARRAY_TYPE_INFO);

    /** Hits of each rule since the last barrier, if the options ask for them. */
    public static final OutputTag<GroupedHits> HITS =
            new OutputTag<>("rule-hits", GroupedHits.TYPE);

    /** Keys and messages of rows of connections, if the options ask for them. */
    public static final OutputTag<Tuple2<byte[], byte[]>> CONNECTIONS =
            new OutputTag<>(
                    "connections",
                    Types.TUPLE(
                            PrimitiveArrayTypeInfo.BYTE_PRIMITIVE_ARRAY_TYPE_INFO,
                            PrimitiveArrayTypeInfo.BYTE_PRIMITIVE_ARRAY_TYPE_INFO));

    /** Counts of packets that the shadow has compared since the last barrier, if there is one. */
    public static final OutputTag<byte[]> SHADOW =
            new OutputTag<>("shadow-counts", PrimitiveArrayTypeInfo.BYTE_PRIMITIVE_ARRAY_TYPE_INFO);

    /** Title of the {@link JobCounts} of verdicts, by the name of their status. */
    public static final String VERDICTS = "verdicts";

    private static final long serialVersionUID = 1L;
    private static final Logger LOG = LoggerFactory.getLogger(ClassifyOperator.class);

    private final ClassifyOptions options;
    private final @Nullable RuleSource rules;
    private final StatisticsOptions statistics;
    private final @Nullable ShadowOptions shadowOptions;
    private final transient MailboxExecutor mailbox;

    private transient RuleState ruleState;

    /** Null in processing time. */
    private transient @Nullable ShardTimes shardTimes;

    /** Null where connections are not tracked. */
    private transient @Nullable ShardConnections connections;

    private transient WaitingPackets waiting;
    private transient JobCounts verdicts;
    private transient TimeMode mode;
    private transient PacketGate gate;
    private transient ExecutorService worker;
    private transient FlushClock clock;
    private transient BatchPipeline pipeline;
    private transient ClassifyMetrics counts;
    private transient @Nullable HitCounter hits;
    private transient HitGroups hitGroups;
    private transient @Nullable Shadow shadow;

    /** State for the checkpoint whose barrier is next. */
    private transient @Nullable RuleStreamState toWrite;

    /** When that barrier came. */
    private transient long barrierNanos;

    ClassifyOperator(
            StreamOperatorParameters<Tuple2<Integer, byte[]>> parameters,
            ClassifyOptions options,
            @Nullable RuleSource rules,
            StatisticsOptions statistics,
            @Nullable ShadowOptions shadowOptions) {
        super(parameters);
        this.options = options;
        this.rules = rules;
        this.statistics = statistics;
        this.shadowOptions = shadowOptions;
        this.mailbox = parameters.getMailboxExecutor();
    }

    @Override
    public void initializeState(StateInitializationContext context) throws Exception {
        super.initializeState(context);
        KeyedStateBackend<Integer> backend = getKeyedStateBackend();
        waiting = new WaitingPackets(backend);
        ruleState = new RuleState(context.getOperatorStateStore());
        verdicts = new JobCounts(VERDICTS, getRuntimeContext(), context.getOperatorStateStore());
        TrackerOptions tracker = options.tracker();
        if (tracker != null) {
            connections =
                    new ShardConnections(tracker, options.countsLive(), options.rows(), backend);
        }
        if (options.rulesTime().event()) {
            shardTimes = new ShardTimes(context.getKeyedStateStore(), backend);
        }
    }

    @Override
    public void open() throws Exception {
        super.open();
        TaskInfo task = getRuntimeContext().getTaskInfo();
        String name =
                "%s, subtask %d of %d"
                        .formatted(
                                getOperatorConfig().getOperatorName(),
                                task.getIndexOfThisSubtask() + 1,
                                task.getNumberOfParallelSubtasks());
        worker = Executors.newSingleThreadExecutor(run -> new Thread(run, "worker of " + name));
        clock = new FlushClock("batch clock of " + name);
        hits = statistics.on() ? new HitCounter(statistics) : null;
        hitGroups = new HitGroups(task.getMaxNumberOfParallelSubtasks());
        BatchPipeline.Mailbox mails = new FlinkMailbox();
        ShardConnections tracked = connections;
        ConnectionJudge judge =
                tracked == null ? null : new ConnectionJudge(tracked, options.batchSize());
        EngineOptions engine =
                options.engine()
                        .withGpusGiven(
                                TaskPlace.devicesGiven(options.engine(), getRuntimeContext()));
        if (shadowOptions != null) {
            shadow =
                    new Shadow(
                            shadowOptions,
                            streamKey(engine),
                            getOperatorConfig().getOperatorName(),
                            engine,
                            mails::executeIfOpen,
                            () -> gate.rulesChanged());
        }
        pipeline =
                new BatchPipeline(
                        options, mails, worker, clock, judge, hits, shadow, new FlinkOutput());
        counts =
                new ClassifyMetrics(
                        getMetricGroup(),
                        options.maxDelayMicros(),
                        this::figures,
                        pipeline::inFlight,
                        verdicts);
        if (tracked != null) {
            counts.connections(tracked, options.countsLive());
        }
        mode =
                mode(
                        new TimeMode.Task(
                                streamKey(engine),
                                new VersionService.Start(
                                        getOperatorConfig().getOperatorName(),
                                        engine,
                                        task.getIndexOfThisSubtask(),
                                        rules),
                                mails,
                                pipeline,
                                counts,
                                this::emit,
                                () -> gate.rulesChanged()));
        gate =
                new PacketGate(
                        name,
                        waiting,
                        mode,
                        pipeline,
                        mails,
                        shard -> setCurrentKey(ShardKey.of(shard)),
                        options,
                        clock);
        counts.waiting(waiting, gate::isHolding);
        mode.begin();
        if (shadow != null) {
            shadow.metrics(getMetricGroup());
            shadow.begin();
        }
    }

    private TimeMode mode(TimeMode.Task task) throws Exception {
        ShardTimes shards = shardTimes;
        return shards == null
                ? new ProcessingTime(task, ruleState.takeRestored())
                : new EventTime(task, options.rulesTime(), ruleState.takeRestored(), shards);
    }

    private VersionService.Figures figures() {
        TimeMode open = mode;
        return open == null ? VersionService.Figures.NONE : open.figures();
    }

    private boolean isFirstSubtask() {
        return getRuntimeContext().getTaskInfo().getIndexOfThisSubtask() == 0;
    }

    private VersionService.Key streamKey(EngineOptions engine) {
        return TaskPlace.streamKey(
                getContainingTask().getEnvironment(), getOperatorID().toString(), engine);
    }

    private void emit(List<DeadLetter> letters) {
        for (DeadLetter letter : letters) {
            output.collect(DEAD_LETTERS, new StreamRecord<>(letter.encode()));
        }
    }

    /** Version of the rules that the next packet is judged by; -1 before the first. */
    long version() {
        return pipeline.version();
    }

    /** Version of the shadow that the next batch is compared by; -1: none. */
    long shadowVersion() {
        return shadow == null ? -1 : shadow.version();
    }

    /** Packets that wait for rules. */
    WaitingPackets waiting() {
        return waiting;
    }

    @Override
    public void processElement(StreamRecord<Tuple2<Integer, byte[]>> element) throws Exception {
        processElement1(element);
    }

    @Override
    public void processElement1(StreamRecord<Tuple2<Integer, byte[]>> element) throws Exception {
        gate.take(element.getValue().f0, element.getValue().f1);
    }

    @Override
    public void processElement2(StreamRecord<byte[]> element) throws Exception {
        RuleMessages.forEach(element.getValue(), mode::message);
    }

    @Override
    public void processWatermark(Watermark mark) {
        // It aligned the sources, and says nothing of verdicts.
    }

    @Override
    public void prepareSnapshotPreBarrier(long checkpointId) throws Exception {
        barrierNanos = System.nanoTime();
        drain();
        toWrite = mode.beforeBarrier();
    }

    /** Emits all verdicts on the packets that came, and what was counted of them. */
    private void drain() throws InterruptedException {
        gate.drain();
        HitCounter counter = hits;
        if (counter != null) {
            counter.drain(this::emitHits);
        }
        if (shadow != null) {
            shadow.drain(this::emitShadow);
        }
    }

    private void emitShadow(byte[] count) {
        output.collect(SHADOW, new StreamRecord<>(count));
    }

    private void emitConnection(Tuple2<byte[], byte[]> row) {
        output.collect(CONNECTIONS, new StreamRecord<>(row));
    }

    private void emitHits(HitRows rows) {
        hitGroups.split(rows, hits -> output.collect(HITS, new StreamRecord<>(hits)));
    }

    @Override
    public void snapshotState(StateSnapshotContext context) throws Exception {
        super.snapshotState(context);
        RuleStreamState state = toWrite;
        if (state == null) {
            throw new IllegalStateException("a checkpoint whose barrier was not announced");
        }
        ruleState.write(isFirstSubtask() ? state : RuleStreamState.EMPTY);
        verdicts.write();
        if (connections != null) {
            connections.write(shard -> setCurrentKey(ShardKey.of(shard)));
        }
        toWrite = null;
        long since = barrierNanos; // a mail runs before the next packets
        mailbox.execute(() -> counts.wentOn(System.nanoTime() - since), "checkpoint");
    }

    @Override
    public void finish() throws Exception {
        gate.awaitAll();
        drain();
        if (connections != null) {
            connections.lastRows().forEach(this::emitConnection);
        }
        mode.finish();
        super.finish();
    }

    @Override
    public void close() throws Exception {
        try {
            release();
        } finally {
            super.close();
        }
    }

    /** Ends the threads, then leaves the rule stream. What open did not reach is null. */
    private void release() throws InterruptedException {
        if (clock != null) {
            clock.close();
        }
        if (worker != null) {
            worker.shutdownNow();
            if (!worker.awaitTermination(10, TimeUnit.SECONDS)) {
                LOG.warn("a batch does not end; its device stays open");
                return;
            }
        }
        if (pipeline != null) {
            pipeline.discard();
        }
        if (mode != null) {
            mode.close();
        }
        if (shadow != null) {
            shadow.close();
        }
    }

    /** Flink's mailbox as the pipeline sees it. */
    private final class FlinkMailbox implements BatchPipeline.Mailbox {
        @Override
        public void execute(Runnable mail) {
            mailbox.execute(mail::run, "classify");
        }

        @Override
        public void runNext() throws InterruptedException {
            mailbox.yield();
        }
    }

    /** Flink's output and metrics as the pipeline sees them. */
    private final class FlinkOutput implements BatchPipeline.Output {
        @Override
        public void emit(int shard, byte[] message) {
            output.collect(new StreamRecord<>(Tuple2.of(shard, message)));
        }

        @Override
        public void connection(Tuple2<byte[], byte[]> row) {
            emitConnection(row);
        }

        @Override
        public void answered(int packets, long nanos) {
            counts.blockAnswered(packets, nanos);
        }

        @Override
        public void submitted(int size, int capacity) {
            counts.batchSubmitted(size, capacity);
            HitCounter counter = hits;
            if (counter != null) {
                counter.takeFull(ClassifyOperator.this::emitHits);
            }
            if (shadow != null) {
                shadow.takeFull(ClassifyOperator.this::emitShadow);
            }
        }
    }
}
