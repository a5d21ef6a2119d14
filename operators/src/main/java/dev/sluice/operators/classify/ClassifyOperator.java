package dev.sluice.operators.classify;

import dev.sluice.engine.Engine;
import dev.sluice.engine.RuleSetVersion;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.operators.statistics.HitCounter;
import dev.sluice.operators.statistics.RuleHits;
import dev.sluice.operators.statistics.StatisticsOptions;
import dev.sluice.operators.stream.EngineLookup;
import dev.sluice.schemas.codec.DeadLetter;
import dev.sluice.schemas.codec.MalformedMessageException;
import dev.sluice.schemas.codec.PacketMessages;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.apache.flink.api.common.externalresource.ExternalResourceInfo;
import org.apache.flink.api.common.operators.MailboxExecutor;
import org.apache.flink.api.common.typeinfo.PrimitiveArrayTypeInfo;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.runtime.state.StateInitializationContext;
import org.apache.flink.runtime.state.StateSnapshotContext;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.StreamOperatorParameters;
import org.apache.flink.streaming.api.operators.TwoInputStreamOperator;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.util.OutputTag;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Classifies keyed packet messages under broadcast rules: what ties {@link BatchPipeline} and the
 * engine to Flink.
 *
 * <p>Input 1: (flow shard, message of the packets topic), keyed by flow shard. Input 2: messages of
 * the rules topic, broadcast. Output: (flow shard, message of the verdicts topic), in the order of
 * the packets. Side outputs {@link #DEAD_LETTERS} and {@link #HITS}.
 *
 * <p>Threads: everything here runs in the task's mailbox thread. While the pipeline has as many
 * batches in flight as it may, that thread runs mails instead of taking input, which Flink turns
 * into back-pressure. Before a barrier, and at the end of input, the pipeline is drained, so that
 * the state is the rules alone; what was counted is then handed out, too.
 */
public final class ClassifyOperator extends AbstractStreamOperator<Tuple2<Integer, byte[]>>
        implements TwoInputStreamOperator<
                Tuple2<Integer, byte[]>, byte[], Tuple2<Integer, byte[]>> {
    /** Rule transactions that were dropped, as DeadLetter messages; from the first subtask only. */
    public static final OutputTag<byte[]> DEAD_LETTERS =
            new OutputTag<>(
                    "classify-dead-letters", PrimitiveArrayTypeInfo.BYTE_PRIMITIVE_ARRAY_TYPE_INFO);

    /** What hit each rule since the last barrier, if the options ask for it. */
    public static final OutputTag<RuleHits> HITS = new OutputTag<>("rule-hits", RuleHits.TYPE);

    private static final long serialVersionUID = 1L;
    private static final String EXTERNAL_RESOURCE = "gpu";
    private static final String EXTERNAL_INDEX = "index";
    private static final Logger LOG = LoggerFactory.getLogger(ClassifyOperator.class);

    private final ClassifyOptions options;
    private final @Nullable RuleBootstrap bootstrap;
    private final StatisticsOptions statistics;
    private final transient MailboxExecutor mailbox;

    private transient RuleState ruleState;
    private transient Engine engine;
    private transient ExecutorService worker;
    private transient FlushClock clock;
    private transient BatchPipeline pipeline;
    private transient ClassifyMetrics counts;
    private transient @Nullable HitCounter hits;

    ClassifyOperator(
            StreamOperatorParameters<Tuple2<Integer, byte[]>> parameters,
            ClassifyOptions options,
            @Nullable RuleBootstrap bootstrap,
            StatisticsOptions statistics) {
        super(parameters);
        this.options = options;
        this.bootstrap = bootstrap;
        this.statistics = statistics;
        this.mailbox = parameters.getMailboxExecutor();
    }

    @Override
    public void initializeState(StateInitializationContext context) throws Exception {
        super.initializeState(context);
        ruleState = new RuleState(context.getOperatorStateStore());
    }

    @Override
    public void open() throws Exception {
        super.open();
        String name = getRuntimeContext().getTaskInfo().getTaskNameWithSubtasks();
        engine =
                Engine.open(
                        options.engine().withGpusGiven(devicesGiven()),
                        getRuntimeContext().getTaskInfo().getIndexOfThisSubtask());
        worker =
                Executors.newSingleThreadExecutor(
                        run -> new Thread(run, "classify worker of " + name));
        clock = new FlushClock("batch clock of " + name);
        hits = statistics.on() ? new HitCounter(statistics) : null;
        pipeline =
                new BatchPipeline(
                        options, new FlinkMailbox(), worker, clock, hits, new FlinkOutput());
        counts = new ClassifyMetrics(getMetricGroup(), engine, pipeline::inFlight);
        if (ruleState.current() == null && bootstrap != null) {
            LOG.info("waiting for the first complete rule set");
            ruleState.await(bootstrap);
        }
        RuleSet first = ruleState.current();
        if (first != null) {
            putInForce(first);
        }
    }

    /**
     * Numbers of the devices that Flink's external resource gave the task; none where the options
     * decide, whatever the resource is then.
     */
    private List<Integer> devicesGiven() {
        if (options.engine().decidesDevices()) {
            return List.of();
        }
        List<Integer> given = new ArrayList<>();
        for (ExternalResourceInfo info :
                getRuntimeContext().getExternalResourceInfos(EXTERNAL_RESOURCE)) {
            info.getProperty(EXTERNAL_INDEX).map(Integer::valueOf).ifPresent(given::add);
        }
        Collections.sort(given);
        return given;
    }

    private void putInForce(RuleSet next) {
        long start = System.nanoTime();
        RuleSetVersion compiled = engine.load(next);
        pipeline.use(new EngineLookup(engine, compiled));
        counts.ruleSetInForce(next.version());
        LOG.info(
                "rule-set version {} of '{}' in force: {} rules compiled in {} ms; {}",
                next.version(),
                next.name(),
                next.size(),
                (System.nanoTime() - start) / 1_000_000,
                compiled.explanation());
    }

    @Override
    public void processElement1(StreamRecord<Tuple2<Integer, byte[]>> element) throws Exception {
        pipeline.add(PacketMessages.decode(element.getValue().f1, options.shards()));
    }

    @Override
    public void processElement2(StreamRecord<byte[]> element) throws Exception {
        RuleSet committed;
        try {
            committed = ruleState.accept(element.getValue());
        } catch (MalformedMessageException e) {
            dropped(e);
            return;
        }
        if (committed != null) {
            pipeline.flush(); // the batch that is filling need not wait for the compiler
            putInForce(committed);
        }
    }

    private void dropped(MalformedMessageException e) {
        counts.transactionDropped();
        LOG.warn("a rule transaction was dropped: {}: {}", e.reason(), e.detail());
        if (getRuntimeContext().getTaskInfo().getIndexOfThisSubtask() == 0) {
            byte[] letter = new DeadLetter(e.reason(), e.detail(), null, null).encode();
            output.collect(DEAD_LETTERS, new StreamRecord<>(letter));
        }
    }

    @Override
    public void prepareSnapshotPreBarrier(long checkpointId) throws Exception {
        drain();
    }

    /** Emits all verdicts on the packets that came, and what was counted of them. */
    private void drain() throws InterruptedException {
        pipeline.drain();
        HitCounter counter = hits;
        if (counter != null) {
            counter.drain(this::emitHits);
        }
    }

    private void emitHits(RuleHits sums) {
        output.collect(HITS, new StreamRecord<>(sums));
    }

    @Override
    public void snapshotState(StateSnapshotContext context) throws Exception {
        super.snapshotState(context);
        ruleState.snapshot();
    }

    @Override
    public void finish() throws Exception {
        drain();
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

    /** Ends the threads, then gives back what a device holds. What open did not reach is null. */
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
        if (engine != null) {
            engine.close();
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
        public void submitted(int size, int capacity) {
            counts.batchSubmitted(size, capacity);
            HitCounter counter = hits;
            if (counter != null) {
                counter.takeFull(ClassifyOperator.this::emitHits);
            }
        }
    }
}
