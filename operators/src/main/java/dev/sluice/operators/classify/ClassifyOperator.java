package dev.sluice.operators.classify;

import dev.sluice.engine.Compiler;
import dev.sluice.engine.gpu.GpuClassifier;
import dev.sluice.engine.gpu.GpuPool;
import dev.sluice.engine.lookup.BatchClassifier;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.operators.rules.RuleTransactions;
import dev.sluice.schemas.codec.DeadLetter;
import dev.sluice.schemas.codec.MalformedMessageException;
import dev.sluice.schemas.codec.PacketBlock;
import dev.sluice.schemas.codec.PacketMessages;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.ToLongFunction;
import org.apache.flink.api.common.externalresource.ExternalResourceInfo;
import org.apache.flink.api.common.operators.MailboxExecutor;
import org.apache.flink.api.common.state.BroadcastState;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.typeinfo.PrimitiveArrayTypeInfo;
import org.apache.flink.api.common.typeinfo.Types;
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

    private transient RuleTransactions transactions;
    private transient BroadcastState<Integer, byte[]> committedState;
    private transient BroadcastState<Integer, byte[]> openState;
    private transient volatile @Nullable CompiledRules rules;
    private transient boolean committedChanged;

    private transient @Nullable MicroBatch filling;
    private transient Deque<MicroBatch> idle;
    private transient int inFlight;
    private transient long batchNumber;

    /** Share of the last batch that was full; read by the metrics. */
    private transient volatile double batchFill;

    private transient VerdictEncoder encoder;
    private transient ThreadPoolExecutor worker;

    /** Batches that the worker has not started on. */
    private transient Queue<MicroBatch> waiting;

    /** Batches under way on a device, eldest first; the worker's. */
    private transient Deque<Airborne> airborne;

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
        transactions = new RuleTransactions();
        committedState =
                context.getOperatorStateStore().getBroadcastState(messages("rules-in-force"));
        openState = context.getOperatorStateStore().getBroadcastState(messages("open-transaction"));
        for (byte[] message : ordered(committedState)) {
            transactions.accept(message);
        }
        for (byte[] message : ordered(openState)) {
            transactions.accept(message);
        }
    }

    private static MapStateDescriptor<Integer, byte[]> messages(String name) {
        return new MapStateDescriptor<>(
                name, Types.INT, PrimitiveArrayTypeInfo.BYTE_PRIMITIVE_ARRAY_TYPE_INFO);
    }

    private static List<byte[]> ordered(BroadcastState<Integer, byte[]> state) throws Exception {
        TreeMap<Integer, byte[]> sorted = new TreeMap<>();
        for (Map.Entry<Integer, byte[]> entry : state.entries()) {
            sorted.put(entry.getKey(), entry.getValue());
        }
        return new ArrayList<>(sorted.values());
    }

    @Override
    public void open() throws Exception {
        super.open();
        String name = getRuntimeContext().getTaskInfo().getTaskNameWithSubtasks();
        idle = new ArrayDeque<>();
        encoder = new VerdictEncoder(options.format());
        airborne = new ArrayDeque<>();
        waiting = new ConcurrentLinkedQueue<>();
        worker =
                new ThreadPoolExecutor(
                        1,
                        1,
                        0,
                        TimeUnit.SECONDS,
                        new LinkedBlockingQueue<>(),
                        run -> new Thread(run, "classify worker of " + name));
        gpu =
                GpuPool.shared()
                        .use(devices(), getRuntimeContext().getTaskInfo().getIndexOfThisSubtask());
        clock = new FlushClock("batch clock of " + name);
        headers = getMetricGroup().counter("headers");
        batches = getMetricGroup().counter("batches");
        droppedTransactions = getMetricGroup().counter("droppedRuleTransactions");
        getMetricGroup().gauge("batchesInFlight", () -> inFlight);
        getMetricGroup().gauge("batchFill", () -> batchFill);
        deviceMetrics();
        getMetricGroup()
                .gauge("ruleSetVersion", () -> rules == null ? -1L : rules.rules().version());
        if (transactions.current() == null && bootstrap != null) {
            LOG.info("waiting for the first complete rule set");
            bootstrap.await(transactions);
            committedChanged = true;
        }
        RuleSet restored = transactions.current();
        if (restored != null) {
            putInForce(restored);
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
        CompiledRules current = rules;
        GpuClassifier on = current == null ? null : current.gpu();
        return on == null ? 0 : figure.applyAsLong(on);
    }

    private void putInForce(RuleSet next) {
        long start = System.nanoTime();
        Compiler.Compiled compiled = new Compiler(options.engine()).compileExplained(next);
        GpuPool.Use device = gpu;
        CompiledRules before = rules;
        rules =
                new CompiledRules(
                        next,
                        compiled.classifier(),
                        device == null
                                ? null
                                : device.classifier(
                                        compiled.classifier(), next, options.engine().offload()));
        if (before != null) {
            before.retire();
        }
        idle.clear();
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
        CompiledRules current = rules;
        if (current == null) {
            throw new IllegalStateException(
                    "a packet came before the first rule set: start the operator with a bootstrap or from a savepoint");
        }
        PacketBlock block = PacketMessages.decode(element.getValue().f1, options.shards());
        PendingBlock pending = new PendingBlock(block);
        for (int from = 0; from < block.count(); ) {
            MicroBatch batch = filling;
            if (batch == null) {
                batch = startBatch(current);
            }
            from += batch.append(pending, from);
            if (batch.isFull()) {
                flush();
            }
        }
    }

    private MicroBatch startBatch(CompiledRules current) throws InterruptedException {
        while (inFlight >= options.inFlight()) {
            mailbox.yield();
        }
        MicroBatch batch = idle.poll();
        if (batch == null) {
            batch = new MicroBatch(current, options.batchSize());
        }
        batch.start();
        filling = batch;
        long number = ++batchNumber;
        clock.after(
                options.maxDelayMicros(),
                () -> mailbox.execute(() -> flushIf(number), "batch delay"));
        return batch;
    }

    /** Hands the batch over if it is still the one that the clock was started for. */
    private void flushIf(long number) {
        if (batchNumber == number) {
            flush();
        }
    }

    private void flush() {
        MicroBatch batch = filling;
        if (batch == null) {
            return;
        }
        filling = null;
        inFlight++;
        batch.rules.started();
        batchFill = (double) batch.size() / batch.headers.capacity();
        headers.inc(batch.size());
        batches.inc();
        waiting.add(batch);
        worker.execute(() -> work(batch));
    }

    /** A batch that the worker has started on. */
    private record Airborne(MicroBatch batch, BatchClassifier.Flight flight) {}

    /**
     * Runs in the worker: starts on a batch, and lands the eldest while as many are under way as
     * may be, or nothing else is there to start on.
     */
    private void work(MicroBatch batch) {
        waiting.remove(batch);
        try {
            airborne.add(new Airborne(batch, batch.submit()));
        } catch (Throwable t) {
            Throwable thrown = t;
            while (!airborne.isEmpty()) {
                land(airborne.remove());
            }
            mailbox.execute(() -> emit(batch, thrown), "verdicts");
        }
        while (!airborne.isEmpty()
                && (airborne.size() >= options.inFlight() || worker.getQueue().isEmpty())) {
            land(airborne.remove());
        }
    }

    /** Runs in the worker. A failure becomes the task's, by way of the mail. */
    private void land(Airborne landing) {
        MicroBatch batch = landing.batch;
        Throwable failure = null;
        try {
            landing.flight.await();
            int at = 0;
            for (MicroBatch.Part part : batch.parts) {
                PendingBlock block = part.block();
                System.arraycopy(
                        batch.verdicts.rules(), at, block.verdicts, part.from(), part.count());
                at += part.count();
                if (part.from() + part.count() == block.verdicts.length) {
                    encoder.encode(block, batch.rules.rules(), batch.encoded);
                    while (batch.encodedShards.size() < batch.encoded.size()) {
                        batch.encodedShards.add(block.block.shard());
                    }
                }
            }
        } catch (Throwable t) {
            failure = t;
        }
        Throwable thrown = failure;
        mailbox.execute(() -> emit(batch, thrown), "verdicts");
    }

    @SuppressWarnings("ReferenceEquality") // the very image that the batch was laid out for
    private void emit(MicroBatch batch, @Nullable Throwable failure) {
        inFlight--;
        batch.rules.ended();
        if (failure != null) {
            throw new IllegalStateException("a batch of headers could not be classified", failure);
        }
        for (int i = 0; i < batch.encoded.size(); i++) {
            output.collect(
                    new StreamRecord<>(
                            Tuple2.of(batch.encodedShards.get(i), batch.encoded.get(i))));
        }
        if (batch.rules == rules) {
            batch.clear();
            idle.add(batch);
        }
    }

    @Override
    public void processElement2(StreamRecord<byte[]> element) throws Exception {
        RuleSet committed;
        try {
            committed = transactions.accept(element.getValue());
        } catch (MalformedMessageException e) {
            dropped(e);
            return;
        }
        if (committed != null) {
            flush(); // headers that came before stay under the rules before
            putInForce(committed);
            committedChanged = true;
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

    private void drain() throws InterruptedException {
        flush();
        while (inFlight > 0) {
            mailbox.yield();
        }
        CompiledRules current = rules;
        GpuClassifier on = current == null ? null : current.gpu();
        if (on != null) {
            on.rest();
        }
    }

    @Override
    public void prepareSnapshotPreBarrier(long checkpointId) throws Exception {
        drain();
    }

    @Override
    public void snapshotState(StateSnapshotContext context) throws Exception {
        super.snapshotState(context);
        if (committedChanged) {
            replace(committedState, transactions.committedMessages());
            committedChanged = false;
        }
        replace(openState, transactions.openMessages());
    }

    private static void replace(BroadcastState<Integer, byte[]> state, List<byte[]> messages)
            throws Exception {
        state.clear();
        for (int i = 0; i < messages.size(); i++) {
            state.put(i, messages.get(i));
        }
    }

    @Override
    public void finish() throws Exception {
        drain();
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

    /** What is under way lands before the device goes. */
    private void closeDevice() {
        for (Airborne landing : airborne) {
            landing.flight.await();
        }
        MicroBatch unsent = filling;
        if (unsent != null) {
            unsent.drop();
        }
        waiting.forEach(MicroBatch::drop);
        CompiledRules last = rules;
        GpuClassifier on = last == null ? null : last.gpu();
        if (on != null) {
            on.close();
        }
        GpuPool.Use device = gpu;
        if (device != null) {
            device.close();
        }
    }
}
