package dev.sluice.job.lab.bench;

import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/**
 * Keeps updates to a share of the headers that are looked up, from both sides: the writer waits
 * until enough headers were looked up, and readers wait until the writer has kept up, so that what
 * is measured is the rate at which the two meet. Thread-safe.
 */
public final class MeetingPoint {
    /** Much less than a batch takes. */
    private static final long PAUSE_NANOS = 10_000;

    private final double share;
    private final long slackHeaders;
    private final AtomicLong headers = new AtomicLong();
    private final AtomicLong updates = new AtomicLong();
    private final AtomicLong readersWaited = new AtomicLong();
    private final AtomicLong writerWaited = new AtomicLong();

    /**
     * Nothing looked up, nothing changed.
     *
     * @param share updates for each header
     * @param slackHeaders headers that readers may be ahead
     */
    public MeetingPoint(double share, long slackHeaders) {
        this.share = share;
        this.slackHeaders = slackHeaders;
    }

    /** Whether readers are not so far ahead that they have to wait. */
    public boolean mayLookUp() {
        return share * (headers.get() - slackHeaders) <= updates.get();
    }

    /** Counts headers that were looked up. */
    public void lookedUp(long count) {
        headers.addAndGet(count);
    }

    /** Counts rules that were changed. */
    public void updated(long count) {
        updates.addAndGet(count);
    }

    /** Has a reader wait for the writer, or for the end. */
    public void awaitWriter(BooleanSupplier ended) {
        await(() -> mayLookUp() || ended.getAsBoolean(), readersWaited);
    }

    /** Has the writer wait for readers, or for the end. */
    public void awaitReaders(BooleanSupplier ended) {
        await(() -> updates.get() <= share * headers.get() || ended.getAsBoolean(), writerWaited);
    }

    private static void await(BooleanSupplier until, AtomicLong waited) {
        if (until.getAsBoolean()) {
            return;
        }
        long start = System.nanoTime();
        while (!until.getAsBoolean()) {
            LockSupport.parkNanos(PAUSE_NANOS);
        }
        waited.addAndGet(System.nanoTime() - start);
    }

    /** Headers that were looked up. */
    public long headers() {
        return headers.get();
    }

    /** Rules that were changed. */
    public long updates() {
        return updates.get();
    }

    /** Time that readers waited for the writer, all together. */
    public long readersWaitedNanos() {
        return readersWaited.get();
    }

    /** Time that the writer waited for readers. */
    public long writerWaitedNanos() {
        return writerWaited.get();
    }
}
