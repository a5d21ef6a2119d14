package dev.sluice.job.classify;

import dev.sluice.job.capture.CaptureBatch;
import dev.sluice.job.hits.CaptureHits;
import dev.sluice.job.replay.LineBytes;
import dev.sluice.policy.io.SluiceException;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.function.Consumer;
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
    private final BlockingQueue<Piece> free = new ArrayBlockingQueue<>(PIECES);
    private final BlockingQueue<Piece> full = new ArrayBlockingQueue<>(PIECES + 1);
    private final Thread writer;
    private volatile @Nullable Throwable failure;

    /** Packets and their verdicts; without packets, the end of the queue. */
    private static final class Piece {
        private final int[] found = new int[CaptureHits.BATCH];
        private @Nullable CaptureBatch batch;
    }

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
            free.add(new Piece());
        }
        writer = new Thread(this::write, "verdicts");
        writer.setDaemon(true);
        writer.start();
    }

    /**
     * Takes packets over; blocks while the queue is full.
     *
     * @param batch given back once it is written
     * @param found the verdict of each of its headers; copied
     * @throws RuntimeException the output's failure, if writing failed
     */
    public void take(CaptureBatch batch, int[] found) throws InterruptedException {
        requireWritten();
        Piece piece = free.take();
        piece.batch = batch;
        System.arraycopy(found, 0, piece.found, 0, batch.headers().size());
        full.put(piece);
    }

    private void requireWritten() {
        CaptureFeed.rethrow(failure);
    }

    private void write() {
        try {
            attempt(() -> to.write(VerdictText.titles()));
            while (true) {
                Piece next = full.poll();
                if (next == null) {
                    attempt(to::flush);
                    next = full.take();
                }
                Piece piece = next;
                CaptureBatch batch = piece.batch;
                if (batch == null) {
                    attempt(to::flush);
                    return;
                }
                attempt(() -> to.write(text.lines(batch, piece.found)));
                giveBack.accept(batch);
                free.add(piece);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // happens only at the process's end
        }
    }

    /** Writes, unless writing has failed before; packets are then only given back. */
    private void attempt(Runnable writing) {
        if (failure == null) {
            try {
                writing.run();
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
        try {
            full.put(new Piece());
            writer.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new SluiceException("interrupted; not all verdicts are written", e);
        }
        requireWritten();
    }
}
