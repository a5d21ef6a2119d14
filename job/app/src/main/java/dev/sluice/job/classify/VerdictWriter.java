package dev.sluice.job.classify;

import dev.sluice.engine.lookup.VerdictBatch;
import dev.sluice.job.capture.CaptureBatch;
import dev.sluice.job.hits.CaptureHits;
import dev.sluice.job.replay.LineBytes;
import dev.sluice.policy.io.SluiceException;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.apache.flink.util.concurrent.ExecutorThreadFactory;
import org.jspecify.annotations.Nullable;

/**
 * Writer of verdicts in a thread of its own, so that reading, classification and writing run in
 * parallel.
 *
 * <p>The writer flushes as soon as its queue is empty. {@link #take} and {@link #close} are of one
 * thread.
 */
public final class VerdictWriter implements AutoCloseable {
    private static final int PIECES = 4;
    private final LineBytes.Output to;
    private final VerdictText text;
    private final Consumer<CaptureBatch> giveBack;
    private final BlockingQueue<VerdictBatch> free = new ArrayBlockingQueue<>(PIECES);
    private final BlockingQueue<Runnable> queue = new LinkedBlockingQueue<>();
    private final ExecutorService writer =
            new ThreadPoolExecutor(
                    1, 1, 0, TimeUnit.SECONDS, queue, new ExecutorThreadFactory("verdicts"));
    private volatile @Nullable Throwable failure;

    /**
     * Starts with the header line.
     *
     * @param to stays open
     * @param giveBack receives each written batch, in the writer's thread
     */
    public VerdictWriter(LineBytes.Output to, VerdictText text, Consumer<CaptureBatch> giveBack) {
        this.to = to;
        this.text = text;
        this.giveBack = giveBack;
        for (int i = 0; i < PIECES; i++) {
            free.add(new VerdictBatch(CaptureHits.BATCH));
        }
        writer.execute(() -> write(text::titles));
    }

    /**
     * Takes packets over; blocks while the queue is full.
     *
     * @param batch given back once it is written
     * @param found the verdict of each of its headers; copied
     * @throws RuntimeException the output's failure, if writing failed
     */
    public void take(CaptureBatch batch, VerdictBatch found) throws InterruptedException {
        requireWritten();
        VerdictBatch copy = free.take();
        int headers = batch.headers().size();
        System.arraycopy(found.rules(), 0, copy.rules(), 0, headers);
        for (int stage = 0; stage < text.earlierStages(); stage++) {
            System.arraycopy(found.earlier(stage), 0, copy.earlier(stage), 0, headers);
        }
        writer.execute(
                () -> {
                    write(() -> text.lines(batch, copy));
                    giveBack.accept(batch);
                    free.add(copy);
                });
    }

    private void requireWritten() {
        CaptureFeed.rethrow(failure);
    }

    /** Writes, unless writing has failed before; packets are then only given back. */
    private void write(Supplier<LineBytes> lines) {
        if (failure == null) {
            try {
                to.write(lines.get());
                if (queue.isEmpty()) {
                    to.flush();
                }
            } catch (RuntimeException | Error e) {
                failure = e; // thrown in the thread that takes verdicts
            }
        }
    }

    /**
     * Waits until all taken verdicts are written and flushed.
     *
     * @throws RuntimeException the output's failure, if writing failed
     */
    @Override
    public void close() {
        writer.shutdown();
        try {
            writer.awaitTermination(Long.MAX_VALUE, TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new SluiceException("interrupted; not all verdicts are written", e);
        }
        requireWritten();
    }
}
