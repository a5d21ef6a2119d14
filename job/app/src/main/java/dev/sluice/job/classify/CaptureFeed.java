package dev.sluice.job.classify;

import static dev.sluice.job.capture.CaptureEnd.Kind.CUT_SHORT;

import dev.sluice.job.capture.CaptureBatch;
import dev.sluice.job.capture.CaptureEnd;
import dev.sluice.job.capture.CaptureReader;
import dev.sluice.job.capture.Captures;
import dev.sluice.job.capture.ReadShare;
import dev.sluice.policy.TextFiles;
import dev.sluice.policy.io.SluiceException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.apache.flink.util.ExceptionUtils;
import org.jspecify.annotations.Nullable;

/**
 * Reader of captures, one after the other, into a few reused batches, in a thread of its own.
 *
 * <p>The reader passes a batch on when it is full, at the end of its capture, and when no more
 * input is available for now. The consumer gives each batch back. {@link #next} is of one thread;
 * {@link #giveBack} and {@link #stop} may be called by any.
 */
public final class CaptureFeed implements AutoCloseable {
    private static final int BATCHES = 6;

    private final List<CaptureSource> sources;
    private final boolean follow;
    private final ReadShare share;
    private final BlockingQueue<CaptureBatch> free = new ArrayBlockingQueue<>(BATCHES);
    private final BlockingQueue<CaptureBatch> full = new ArrayBlockingQueue<>(BATCHES);
    private final List<CaptureEnd> ends = new CopyOnWriteArrayList<>();
    private final Thread reader;
    private CaptureBatch filling; // the reader's alone
    private int capture; // the reader's alone
    private volatile boolean stopped;
    private volatile boolean finished;
    private volatile @Nullable Throwable failure;

    /**
     * Starts to read.
     *
     * @param follow whether to wait for more at the end of each capture, until {@link #stop}
     * @param batches makes an empty batch
     */
    public CaptureFeed(
            List<CaptureSource> sources, boolean follow, Supplier<CaptureBatch> batches) {
        this.sources = List.copyOf(sources);
        this.follow = follow;
        share =
                new ReadShare(
                        follow ? List.of() : sources.stream().map(CaptureSource::path).toList());
        filling = batches.get();
        for (int i = 1; i < BATCHES; i++) {
            free.add(batches.get());
        }
        reader = new Thread(this::read, "captures");
        reader.setDaemon(true);
        reader.start();
    }

    private void read() {
        try {
            for (capture = 0; capture < sources.size() && !stopped; capture++) {
                read(sources.get(capture));
            }
        } catch (InterruptedIOException e) {
            stopped = true; // the feed is closed, and nobody takes further batches
        } catch (RuntimeException | Error e) {
            failure = e; // thrown in the thread that takes the batches
        } finally {
            finished = true;
        }
    }

    private void read(CaptureSource source) throws InterruptedIOException {
        filling.clear(capture);
        GrowingFile file = follow ? new GrowingFile(source.path()) : null;
        try (LiveInput input =
                        new LiveInput(
                                share.count(source.open()), file, () -> stopped, this::handOver);
                CaptureReader packets = Captures.open(input)) {
            while (packets.next()) {
                filling.add(packets);
                if (filling.isFull()) {
                    handOver();
                }
            }
            handOver();
            if (!input.isLeft()) {
                CaptureEnd end = packets.end();
                ends.add(
                        input.cut().isEmpty()
                                ? end
                                : new CaptureEnd(
                                        CUT_SHORT,
                                        end.offset(),
                                        input.cut(),
                                        end.packets(),
                                        end.lone(),
                                        end.evicted()));
            }
        } catch (InterruptedIOException e) {
            throw e;
        } catch (IOException e) {
            handOver();
            throw new SluiceException(TextFiles.describe("capture", source.path(), e), e);
        }
    }

    private void handOver() throws InterruptedIOException {
        if (filling.packets() == 0) {
            return;
        }
        try {
            full.put(filling);
            filling = free.take();
            filling.clear(capture);
        } catch (InterruptedException e) {
            throw new InterruptedIOException("no one takes packets any more");
        }
    }

    /**
     * Returns the next packets, if some arrive within a time.
     *
     * @return a batch to be given back; null: none for now
     * @throws SluiceException if a capture cannot be read, after all packets before the failure
     */
    public @Nullable CaptureBatch next(long millis) throws InterruptedException {
        boolean last = finished; // read first: all batches passed on before are in the queue
        CaptureBatch batch = last ? full.poll() : full.poll(millis, TimeUnit.MILLISECONDS);
        if (batch == null && last) {
            rethrow(failure);
        }
        return batch;
    }

    /** Throws the failure of a thread of this package; null: there is none. */
    static void rethrow(@Nullable Throwable failure) {
        if (failure != null) {
            ExceptionUtils.rethrow(failure);
        }
    }

    /** Returns the share of the captures that was read, from 0 to 1; NaN if unknown. */
    public double share() {
        return share.part();
    }

    /** Takes back a batch that {@link #next} returned. */
    public void giveBack(CaptureBatch batch) {
        free.add(batch);
    }

    /** Tells whether all captures were read and all batches taken. */
    public boolean isFinished() {
        return finished && full.isEmpty() && failure == null;
    }

    /** Tells whether no batch is available for now. */
    boolean isDrained() {
        return full.isEmpty();
    }

    /** Stops reading at the present position. */
    public void stop() {
        stopped = true;
    }

    /**
     * Returns how the captures ended, in their order, as far as they were read to their end. A
     * capture interrupted by {@link #stop} is not among them.
     */
    public List<CaptureEnd> ends() {
        return List.copyOf(ends);
    }

    /** Stops reading, without waiting for an input that sends nothing. */
    @Override
    public void close() {
        stopped = true;
        reader.interrupt();
    }
}
