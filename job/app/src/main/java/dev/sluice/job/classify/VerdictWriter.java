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
 * Writes verdicts in a thread of its own, so that reading, looking up and writing go on side by
 * side and share what cores there are. What was taken is flushed as soon as nothing more waits to
 * be written. {@link #take} and {@link #close} are of one thread.
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

    /** Packets and their verdicts; without packets: there are no more. */
    private static final class Piece {
        private final int[] found = new int[CaptureHits.BATCH];
        private @Nullable CaptureBatch batch;
    }

    /**
     * Begins with the line of titles.
     *
     * @param to stays open
     * @param giveBack is handed each batch again that was taken, in the writer's thread
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
     * Takes packets over, waiting where the writing is behind.
     *
     * @param batch given back once it is written
     * @param found the verdict of each of its headers; copied
     * @throws RuntimeException if writing failed, as the output failed
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
            Thread.currentThread().interrupt(); // nobody does that but the process's end
        }
    }

    /** Writes, unless that has failed before: then packets are only given back. */
    private void attempt(Runnable writing) {
        if (failure == null) {
            try {
                writing.run();
            } catch (RuntimeException | Error e) {
                failure = e; // of the thread that has the verdicts
            }
        }
    }

    /**
     * Waits until all that was taken is written and flushed.
     *
     * @throws RuntimeException if writing failed, as the output failed
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
