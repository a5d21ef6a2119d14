package dev.sluice.operators.classify;

import dev.sluice.engine.ServedVersion;
import dev.sluice.operators.statistics.HitCounter;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Looks batches up and encodes their verdicts, in the order in which the batches are submitted.
 *
 * <p>Where a device looks up, several batches are under way at once: the worker starts on every
 * batch that is there before it waits for the eldest. How many that can be is the caller's choice,
 * by the number of batches that it submits before the listener hears of the eldest. On the CPU a
 * look-up is over when it has started. Where the states of connections decide, one batch is under
 * way at a time, since its verdicts decide about the packets behind it.
 *
 * <p>Threads: {@link #submit} is called by one thread; the rest runs in the executor, which must
 * run its tasks one after another in their order.
 */
final class LookupWorker {
    private final Executor executor;
    private final VerdictEncoder encoder;
    private final @Nullable ConnectionJudge connections;
    private final @Nullable HitCounter hits;
    private final @Nullable Shadow shadow;
    private final BiConsumer<MicroBatch, @Nullable Throwable> finished;

    /** Batches that the worker has not started on. */
    private final Queue<MicroBatch> waiting = new ConcurrentLinkedQueue<>();

    /** Batches whose look-up has started, eldest first; used in the executor alone. */
    private final Deque<InFlightBatch> inFlight = new ArrayDeque<>();

    /**
     * A worker.
     *
     * @param connections tells the states of connections; null: nobody does
     * @param hits counts the verdicts; null: nobody does
     * @param shadow compares the verdicts with its own; null: nobody does
     * @param finished hears in the executor of each batch, in the order in which they were
     *     submitted: it has its verdicts, encoded, or could not be looked up
     */
    LookupWorker(
            Executor executor,
            VerdictEncoder encoder,
            @Nullable ConnectionJudge connections,
            @Nullable HitCounter hits,
            @Nullable Shadow shadow,
            BiConsumer<MicroBatch, @Nullable Throwable> finished) {
        this.executor = executor;
        this.encoder = encoder;
        this.connections = connections;
        this.hits = hits;
        this.shadow = shadow;
        this.finished = finished;
    }

    /** Takes a batch over; the caller does not touch it until the listener hears of it. */
    void submit(MicroBatch batch) {
        waiting.add(batch);
        executor.execute(this::startNext);
    }

    /** Starts on the next batch; where none waits behind it, ends all that are under way. */
    private void startNext() {
        MicroBatch batch = waiting.remove(); // there is one run of this method for each batch
        // Workers that hold the device's memory and wait for more would wait for one another.
        while (!inFlight.isEmpty() && (batch.isTracked() || batch.wouldWait())) {
            finish(inFlight.remove());
        }
        try {
            if (connections != null && batch.isTracked()) {
                connections.begin(batch);
            }
            inFlight.add(new InFlightBatch(batch, batch.submit()));
        } catch (Throwable failure) {
            while (!inFlight.isEmpty()) {
                finish(inFlight.remove());
            }
            finished.accept(batch, failure);
        }
        while (!inFlight.isEmpty() && (batch.isTracked() || waiting.isEmpty())) {
            finish(inFlight.remove());
        }
    }

    private void finish(InFlightBatch eldest) {
        MicroBatch batch = eldest.batch();
        Throwable failure = null;
        try {
            eldest.pending().await();
            if (connections != null && batch.isTracked()) {
                connections.judge(batch);
            }
            encode(batch);
            if (shadow != null) {
                shadow.compare(batch);
            }
        } catch (Throwable thrown) {
            failure = thrown;
        }
        finished.accept(batch, failure);
    }

    /**
     * Hands the verdicts to the blocks and encodes what can be; a block that has them all is
     * counted before.
     */
    private void encode(MicroBatch batch) {
        int at = 0;
        for (MicroBatch.Part part : batch.parts) {
            PendingBlock block = part.block();
            int stages = batch.rules().earlierStages();
            block.take(batch.verdicts, at, part.from(), part.count(), stages);
            at += part.count();
            if (part.endsBlock()) {
                count(block, batch.rules());
            }
            int end = part.from() + part.count();
            encoder.encode(block, batch.rules(), part.from(), end, batch.encoded);
            while (batch.encodedShards.size() < batch.encoded.size()) {
                batch.encodedShards.add(block.block.shard());
            }
            if (part.endsBlock()) {
                block.encoded = true;
            }
        }
    }

    private void count(PendingBlock block, ServedVersion rules) {
        HitCounter counter = hits;
        if (counter == null) {
            return;
        }
        int from = 0;
        for (PendingBlock.Run run : block.runs(rules)) {
            count(counter, block, from, run.end(), run.rules());
            from = run.end();
        }
    }

    private static void count(
            HitCounter counter, PendingBlock block, int from, int end, ServedVersion rules) {
        counter.count(block.block, block.verdicts, from, end - from, rules, false);
        for (int stage = 0; stage < rules.earlierStages(); stage++) {
            counter.count(block.block, block.earlier[stage], from, end - from, rules, true);
        }
    }

    /**
     * Waits for the batches under way and gives the memory of all others back; the listener hears
     * of none of them. To be called when the executor has ended.
     */
    void discard() {
        for (InFlightBatch batch : inFlight) {
            batch.pending().await();
        }
        waiting.forEach(MicroBatch::drop);
    }
}
