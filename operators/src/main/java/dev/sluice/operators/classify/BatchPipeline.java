package dev.sluice.operators.classify;

import dev.sluice.engine.ServedVersion;
import dev.sluice.operators.statistics.HitCounter;
import dev.sluice.schemas.codec.PacketBlock;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.apache.flink.api.java.tuple.Tuple2;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes packet blocks, fills batches with their headers, has the batches looked up and emits the
 * verdicts of each block, in the order in which the blocks came.
 *
 * <p>A batch takes headers of any number of blocks, whatever their keys, and is handed to the
 * worker when it is full, or in time for its verdicts to leave when its delay is over; a block may
 * lie in several batches. All headers of a batch are looked up under the rules that were in force
 * when its first header came.
 *
 * <p>At most {@link ClassifyOptions#inFlight} batches are submitted to the worker and not emitted.
 * When there are so many, {@link #add} runs mails until one is emitted: the caller is held back,
 * and with it Flink's input.
 *
 * <p>Threads: all methods are called, and all verdicts emitted, in the mailbox thread. The worker,
 * which looks up and encodes, and the timer have threads of their own; what these do to the
 * pipeline, they do by mails.
 */
final class BatchPipeline {
    private static final Logger LOG = LoggerFactory.getLogger(BatchPipeline.class);

    /** The thread that the pipeline belongs to, seen from other threads and from itself. */
    interface Mailbox {
        /** Has the mailbox thread run this later; called by any thread. */
        void execute(Runnable mail);

        /** As {@link #execute}; but a task that has ended needs nothing more. */
        default void executeIfOpen(Runnable mail) {
            try {
                execute(mail);
            } catch (RejectedExecutionException e) {
                LOG.debug("the task has ended meanwhile", e);
            }
        }

        /** Runs the next mail, waiting until there is one; called in the mailbox thread. */
        void runNext() throws InterruptedException;
    }

    /** Receiver of verdicts; called in the mailbox thread. */
    interface Output {
        /** Takes a message of verdicts on packets of a flow shard. */
        void emit(int shard, byte[] message);

        /** Takes the key and the message of a row of a connection. */
        void connection(Tuple2<byte[], byte[]> row);

        /**
         * Hears that a batch was handed to the worker.
         *
         * @param headers headers in the batch
         * @param capacity headers that it had room for
         */
        void submitted(int headers, int capacity);

        /**
         * Hears that all verdicts on a block were emitted.
         *
         * @param packets of the block
         * @param nanos since the block was taken
         */
        void answered(int packets, long nanos);
    }

    /** A batch goes no earlier than by one part of its delay in so many. */
    private static final int WAY_SHARE = 4;

    private final ClassifyOptions options;
    private final Mailbox mailbox;
    private final FlushTimer timer;
    private final Output output;
    private final LookupWorker worker;
    private final @Nullable Shadow shadow;

    /** The rules that the next batch is looked up under; null before the first. */
    private @Nullable ServedVersion rules;

    /** Rules for the next block, where they came while a block was taken in. */
    private @Nullable ServedVersion forNextBlock;

    /** True while a block is being added. */
    private boolean adding;

    private @Nullable MicroBatch filling;

    /** Batches to be filled again, laid out for the rules in force. */
    private final Deque<MicroBatch> idle = new ArrayDeque<>();

    /** Blocks that hold versions, in their order; until they are emitted. */
    private final Deque<PendingBlock> holding = new ArrayDeque<>();

    /** Batches that the worker has and that are not emitted; each holds its rules. */
    private final Deque<MicroBatch> inFlight = new ArrayDeque<>();

    /** Batches that were ever started: the number of the one that is filling, if one is. */
    private long batchNumber;

    /** Median time from a partial batch's flush to the emission of its verdicts. */
    private final QuantileEstimate way;

    /** When the newest batch was started. */
    private long startedNanos;

    /**
     * True while the timer is set. All batches share one timer, whatever the delay: if it fires for
     * a batch that was submitted before, it is set again for the present one.
     */
    private boolean timerSet;

    /**
     * A pipeline without rules.
     *
     * @param executor runs the look-ups; it must run its tasks one after another in their order
     * @param connections tells the states of connections, in the executor; null: nobody does
     * @param hits counts the verdicts, in the executor; null: nobody does. When {@link #drain} has
     *     returned, it counts nothing before the next block
     * @param shadow judges the packets, too; null: nobody does
     */
    BatchPipeline(
            ClassifyOptions options,
            Mailbox mailbox,
            Executor executor,
            FlushTimer timer,
            @Nullable ConnectionJudge connections,
            @Nullable HitCounter hits,
            @Nullable Shadow shadow,
            Output output) {
        this.options = options;
        this.mailbox = mailbox;
        this.timer = timer;
        this.way =
                new QuantileEstimate(
                        50, TimeUnit.MICROSECONDS.toNanos(options.maxDelayMicros()) / WAY_SHARE);
        this.output = output;
        this.shadow = shadow;
        this.worker =
                new LookupWorker(
                        executor,
                        new VerdictEncoder(options.format(), options.fields()),
                        connections,
                        hits,
                        shadow,
                        (batch, failure) -> mailbox.execute(() -> emit(batch, failure)));
    }

    /**
     * Puts rules in force for the blocks to come; headers that came before stay under the rules
     * before, which are closed when the last of them is emitted. A mail may call this while a block
     * is taken in: all headers of a block are looked up under the same rules.
     */
    void use(ServedVersion next) {
        ServedVersion passedOver = forNextBlock;
        if (passedOver != null) {
            forNextBlock = null;
            passedOver.close();
        }
        if (adding) {
            forNextBlock = next;
            return;
        }
        flush();
        ServedVersion before = rules;
        warnOfStates(before, next);
        if (before == null || !before.layout().equals(next.layout())) {
            idle.clear();
        }
        rules = next;
        if (before != null) {
            before.close();
        }
    }

    /** Says where rules come that ask for no states, though connections are tracked. */
    private void warnOfStates(@Nullable ServedVersion before, ServedVersion next) {
        if (options.tracker() != null
                && !options.tracks(next)
                && (before == null || before.connectionBits() != 0)) {
            LOG.warn(
                    "version {} of the rules asks for no state of connections, so none is tracked; if its policy does, publish it with --conntrack",
                    next.version());
        }
    }

    /** Tells whether rules were ever put in force. */
    boolean hasRules() {
        return rules != null;
    }

    /**
     * Tells whether packets may be judged: there are rules, and those of the shadow if it has any.
     */
    boolean isReady() {
        return rules != null && (shadow == null || shadow.isDecided());
    }

    /** Version of the rules in force; -1 before the first. */
    long version() {
        ServedVersion current = rules;
        return current == null ? -1 : current.version();
    }

    /**
     * Takes a block; runs mails while too many batches are in flight.
     *
     * @throws IllegalStateException if no rules were ever put in force
     */
    void add(PacketBlock block) throws InterruptedException {
        PendingBlock pending = new PendingBlock(block);
        adding = true;
        try {
            append(pending, 0, block.count());
        } finally {
            adding = false;
        }
        ServedVersion next = forNextBlock;
        if (next != null) {
            forNextBlock = null;
            use(next);
        }
    }

    /**
     * Takes a block whose {@link PendingBlock#runs} say which version judges which packets; runs
     * mails while too many batches are in flight. The block is released when it is emitted. Not to
     * be used together with {@link #use}.
     */
    void add(PendingBlock pending) throws InterruptedException {
        List<PendingBlock.Run> runs = pending.runs;
        if (runs == null) {
            throw new IllegalArgumentException("a block of which no version is known");
        }
        holding.add(pending);
        int from = 0;
        for (PendingBlock.Run run : runs) {
            change(run.rules());
            append(pending, from, run.end());
            from = run.end();
        }
    }

    /** Puts the version of a run in force, unless it is. */
    @SuppressWarnings("ReferenceEquality") // verdicts are numbers of the very rules
    private void change(ServedVersion next) {
        if (rules != next) {
            next.retain();
            use(next);
        }
    }

    private void append(PendingBlock pending, int first, int end) throws InterruptedException {
        for (int from = first; from < end; ) {
            MicroBatch batch = filling;
            if (batch == null) {
                batch = startBatch();
            }
            from += batch.append(pending, from, end);
            if (batch.isFull()) {
                flush();
            }
        }
        // A block that fills its batches needs no timer, and under load most do.
        if (filling != null && !timerSet) {
            setTimer(patienceMicros());
        }
    }

    private MicroBatch startBatch() throws InterruptedException {
        ServedVersion current = rules;
        if (current == null) {
            throw new IllegalStateException("a packet came before the first rule set");
        }
        while (inFlight.size() >= options.inFlight()) {
            mailbox.runNext();
        }
        MicroBatch batch = idle.poll();
        if (batch == null) {
            batch = new MicroBatch(current.layout(), options.batchSize());
        }
        batch.start(current, options.tracks(current));
        if (shadow != null) {
            shadow.start(batch);
        }
        filling = batch;
        batchNumber++;
        startedNanos = System.nanoTime();
        return batch;
    }

    /**
     * How long a batch waits for headers: so that its verdicts leave when its delay is over, it
     * goes earlier by what its way usually takes.
     */
    private long patienceMicros() {
        return options.maxDelayMicros() - TimeUnit.NANOSECONDS.toMicros(way.nanos());
    }

    private void setTimer(long micros) {
        timerSet = true;
        long number = batchNumber;
        timer.after(micros, () -> mailbox.execute(() -> timeIsOver(number)));
    }

    /** Hands over the batch that the timer was set for, or waits on for a younger one. */
    private void timeIsOver(long number) {
        timerSet = false;
        MicroBatch batch = filling;
        if (batch == null) {
            return;
        }
        long dueNanos = startedNanos + TimeUnit.MICROSECONDS.toNanos(patienceMicros());
        long leftMicros = TimeUnit.NANOSECONDS.toMicros(dueNanos - System.nanoTime());
        if (batchNumber == number || leftMicros <= 0) {
            batch.dueNanos = dueNanos;
            flush();
        } else {
            setTimer(leftMicros);
        }
    }

    /** Hands the batch that is filling to the worker, if there is one. */
    void flush() {
        MicroBatch batch = filling;
        if (batch == null) {
            return;
        }
        filling = null;
        batch.rules().retain();
        inFlight.add(batch);
        output.submitted(batch.size(), batch.headers.capacity());
        worker.submit(batch);
    }

    private void emit(MicroBatch batch, @Nullable Throwable failure) {
        inFlight.remove();
        batch.rules().close();
        batch.leaveShadow();
        if (failure != null) {
            throw new IllegalStateException("a batch of headers could not be classified", failure);
        }
        for (int i = 0; i < batch.encoded.size(); i++) {
            output.emit(batch.encodedShards.get(i), batch.encoded.get(i));
        }
        batch.connections.forEach(output::connection);
        long now = System.nanoTime();
        if (batch.dueNanos != 0) {
            way.took(now - batch.dueNanos);
        }
        for (MicroBatch.Part part : batch.parts) {
            if (part.endsBlock()) {
                output.answered(part.block().verdicts.length, now - part.block().takenNanos);
            }
        }
        while (!holding.isEmpty() && holding.element().encoded) {
            holding.remove().release();
        }
        ServedVersion current = rules;
        if (current != null
                && batch.headers.layout().equals(current.layout())
                && idle.size() < options.inFlight()) {
            batch.clear();
            idle.add(batch);
        }
    }

    /** Emits everything that was taken in. The device is told that nothing comes for a while. */
    void drain() throws InterruptedException {
        flush();
        while (!inFlight.isEmpty()) {
            mailbox.runNext();
        }
        ServedVersion current = rules;
        if (current != null) {
            current.rest();
        }
    }

    /** Batches handed to the worker and not emitted; for metrics, from any thread. */
    int inFlight() {
        return inFlight.size();
    }

    /**
     * Gives the memory of all batches back without emitting them, and closes all rules. To be
     * called when the executor has ended; afterwards nothing of the rules' look-ups is in use.
     */
    void discard() {
        worker.discard();
        MicroBatch unsent = filling;
        if (unsent != null) {
            unsent.drop();
            unsent.leaveShadow();
        }
        inFlight.forEach(batch -> batch.rules().close());
        inFlight.forEach(MicroBatch::leaveShadow);
        Stream.of(rules, forNextBlock).filter(Objects::nonNull).forEach(ServedVersion::close);
        holding.forEach(PendingBlock::release);
        holding.clear();
    }
}
