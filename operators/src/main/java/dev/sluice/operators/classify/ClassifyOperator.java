package dev.sluice.operators.classify;

import dev.sluice.engine.Compiler;
import dev.sluice.engine.gpu.GpuClassifier;
import dev.sluice.engine.gpu.GpuPool;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.schemas.codec.DeadLetter;
import dev.sluice.schemas.codec.MalformedMessageException;
import dev.sluice.schemas.codec.PacketMessages;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.ToLongFunction;
import org.apache.flink.api.common.externalresource.ExternalResourceInfo;
import org.apache.flink.api.common.operators.MailboxExecutor;
import org.apache.flink.api.common.typeinfo.PrimitiveArrayTypeInfo;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.MetricGroup;
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
 * Classifies keyed packet messages under broadcast rules.
 *
 * <p>Input 1: (flow shard, message of the packets topic), keyed by flow shard. Input 2: messages of
 * the rules topic, broadcast. Output: (flow shard, message of the verdicts topic), in the order of
 * the packets. Side output {@link #DEAD_LETTERS}.
 *
 * <p>Threads: everything here runs in the task's mailbox thread, but for the worker, which looks
 * batches up, several at once on a GPU, and mails them back in their order. At most {@code
 * inFlight} batches are with the worker; when it has them, the mailbox thread yields, which is
 * back-pressure. A batch holds one rule set from its first header on. Before a barrier, and at the
 * end of input, everything in flight is emitted, so the state holds the rules alone.
 */
public final class ClassifyOperator extends AbstractStreamOperator<Tuple2<Integer, byte[]>>
        implements TwoInputStreamOperator<
                Tuple2<Integer, byte[]>, byte[], Tuple2<Integer, byte[]>> {
    /** Rule transactions that were dropped, as DeadLetter messages; from the first subtask only. */
    public static final OutputTag<byte[]> DEAD_LETTERS =
            new OutputTag<>(
                    "classify-dead-letters", PrimitiveArrayTypeInfo.BYTE_PRIMITIVE_ARRAY_TYPE_INFO);

    private static final long serialVersionUID = 1L;
    private static final String EXTERNAL_RESOURCE = "gpu";
    private static final String EXTERNAL_INDEX = "index";
    private static final Logger LOG = LoggerFactory.getLogger(ClassifyOperator.class);

    private final ClassifyOptions options;
    private final @Nullable RuleBootstrap bootstrap;
    private final transient MailboxExecutor mailbox;

    private transient RuleState ruleState;
    private transient BatchPipeline pipeline;
    private transient volatile @Nullable EngineLookup rules;

    /** Share of the last batch that was full; read by the metrics. */
    private transient volatile double batchFill;

    private transient ExecutorService worker;
    private transient GpuPool.@Nullable Use gpu;
    private transient FlushClock clock;
    private transient Counter headers;
    private transient Counter batches;
    private transient Counter droppedTransactions;

    ClassifyOperator(
            StreamOperatorParameters<Tuple2<Integer, byte[]>> parameters,
            ClassifyOptions options,
            @Nullable RuleBootstrap bootstrap) {
        super(parameters);
        this.options = options;
        this.bootstrap = bootstrap;
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
        clock = new FlushClock("batch clock of " + name);
        worker =
                Executors.newSingleThreadExecutor(
                        run -> new Thread(run, "classify worker of " + name));
        gpu =
                GpuPool.shared()
                        .use(devices(), getRuntimeContext().getTaskInfo().getIndexOfThisSubtask());
        pipeline = new BatchPipeline(options, new TaskMailbox(), worker, clock, new TaskOutput());
        headers = getMetricGroup().counter("headers");
        batches = getMetricGroup().counter("batches");
        droppedTransactions = getMetricGroup().counter("droppedRuleTransactions");
        getMetricGroup().gauge("batchesInFlight", pipeline::inFlight);
        getMetricGroup().gauge("batchFill", () -> batchFill);
        deviceMetrics();
        getMetricGroup()
                .gauge("ruleSetVersion", () -> rules == null ? -1L : rules.rules().version());
        if (ruleState.current() == null && bootstrap != null) {
            LOG.info("waiting for the first complete rule set");
            ruleState.await(bootstrap);
        }
        RuleSet first = ruleState.current();
        if (first != null) {
            putInForce(first);
        }
    }

    /** The devices that Flink gave the task, else those that the options name. */
    private GpuPool.Selection devices() {
        List<Integer> given = new ArrayList<>();
        for (ExternalResourceInfo info :
                getRuntimeContext().getExternalResourceInfos(EXTERNAL_RESOURCE)) {
            info.getProperty(EXTERNAL_INDEX).map(Integer::valueOf).ifPresent(given::add);
        }
        Collections.sort(given);
        return options.engine().withGpusGiven(given).gpu();
    }

    private void deviceMetrics() {
        MetricGroup group = getMetricGroup().addGroup("gpu");
        group.gauge("batches", () -> ofDevice(GpuClassifier::batches));
        group.gauge("headers", () -> ofDevice(GpuClassifier::headers));
        group.gauge("cpuBatches", () -> ofDevice(GpuClassifier::cpuBatches));
        group.gauge("fallBacks", () -> ofDevice(GpuClassifier::fallBacks));
        group.gauge("resting", () -> ofDevice(g -> g.resting() ? 1 : 0));
        group.gauge("flightMicros", () -> ofDevice(GpuClassifier::flightMicros));
        group.gauge("batchesUnderWay", () -> ofDevice(g -> g.device().busy()));
        group.gauge("imageBytes", () -> ofDevice(g -> g.device().imageBytes()));
    }

    /** A figure of the rules in force on a device, 0 where the CPU classifies. */
    private long ofDevice(ToLongFunction<GpuClassifier> figure) {
        EngineLookup current = rules;
        GpuClassifier on = current == null ? null : current.gpu();
        return on == null ? 0 : figure.applyAsLong(on);
    }

    private void putInForce(RuleSet next) {
        long start = System.nanoTime();
        Compiler.Compiled compiled = new Compiler(options.engine()).compileExplained(next);
        GpuPool.Use device = gpu;
        EngineLookup lookup =
                new EngineLookup(
                        next,
                        compiled.classifier(),
                        device == null
                                ? null
                                : device.classifier(
                                        compiled.classifier(), next, options.engine().offload()));
        rules = lookup;
        pipeline.use(lookup);
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
        droppedTransactions.inc();
        LOG.warn("a rule transaction was dropped: {}: {}", e.reason(), e.detail());
        if (getRuntimeContext().getTaskInfo().getIndexOfThisSubtask() == 0) {
            byte[] letter = new DeadLetter(e.reason(), e.detail(), null, null).encode();
            output.collect(DEAD_LETTERS, new StreamRecord<>(letter));
        }
    }

    @Override
    public void prepareSnapshotPreBarrier(long checkpointId) throws Exception {
        pipeline.drain();
    }

    @Override
    public void snapshotState(StateSnapshotContext context) throws Exception {
        super.snapshotState(context);
        ruleState.snapshot();
    }

    @Override
    public void finish() throws Exception {
        pipeline.drain();
        super.finish();
    }

    @Override
    public void close() throws Exception {
        if (clock != null) {
            clock.close();
        }
        if (worker != null) {
            worker.shutdownNow();
            if (!worker.awaitTermination(10, TimeUnit.SECONDS)) {
                LOG.warn("a batch does not end; its device stays open");
            } else {
                closeDevice();
            }
        }
        super.close();
    }

    private void closeDevice() {
        if (pipeline != null) {
            pipeline.discard();
        }
        EngineLookup last = rules;
        GpuClassifier on = last == null ? null : last.gpu();
        if (on != null) {
            on.close();
        }
        GpuPool.Use device = gpu;
        if (device != null) {
            device.close();
        }
    }

    /** Flink's mailbox as the pipeline sees it. */
    private final class TaskMailbox implements BatchPipeline.Mailbox {
        @Override
        public void execute(Runnable mail) {
            mailbox.execute(mail::run, "classify");
        }

        @Override
        public void runNext() throws InterruptedException {
            mailbox.yield();
        }
    }

    /** Flink's output, and the metrics of batches. */
    private final class TaskOutput implements BatchPipeline.Output {
        @Override
        public void emit(int shard, byte[] message) {
            output.collect(new StreamRecord<>(Tuple2.of(shard, message)));
        }

        @Override
        public void handedOver(int size, int capacity) {
            batchFill = (double) size / capacity;
            headers.inc(size);
            batches.inc();
        }
    }
}
