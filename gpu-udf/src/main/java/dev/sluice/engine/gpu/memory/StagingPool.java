package dev.sluice.engine.gpu.memory;

import dev.sluice.engine.gpu.driver.GpuDriver;
import dev.sluice.engine.gpu.driver.GpuException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The staging buffers of a device. The pool grows while batches find every buffer taken, up to a
 * bound; beyond the bound a batch waits.
 *
 * <p>Thread-safe. The pool's lock is the only one that a batch takes while the pool does not grow;
 * no other lock is taken and nothing is copied under it.
 */
public final class StagingPool {
    private static final Logger LOG = LoggerFactory.getLogger(StagingPool.class);

    /**
     * Size of a pool.
     *
     * @param buffers buffers to begin with
     * @param most buffers that the pool grows to: batches that are under way at most
     * @param headers headers that a buffer takes at most
     * @param headerWords words of a header at most, where that many are taken; of larger headers a
     *     buffer takes fewer
     */
    public record Size(int buffers, int most, int headers, int headerWords) {
        private int words() {
            return Math.multiplyExact(headers, headerWords);
        }
    }

    private final DeviceContext context;
    private final Residency residency;
    private final Size size;

    /** All buffers; none while the device is not open. Who has a buffer may read it. */
    private volatile List<StagingBuffer> all = List.of();

    private final ReentrantLock lock = new ReentrantLock();
    private final DeviceContext.Held held = lock::unlock;

    /** A buffer was given back, or the device is open or given up. */
    private final Condition given = lock.newCondition();

    /** Held by the thread that makes a buffer more; taken before all other locks of the pool. */
    private final ReentrantLock growth = new ReentrantLock();

    /** Most buffers that there may be: fewer once the machine had no memory for one more. */
    private volatile int most;

    /** Buffers that nobody has; guarded by the lock. */
    private final List<StagingBuffer> free = new ArrayList<>();

    /**
     * True if the device is being opened anew, so that waiting is worth it; guarded by the lock.
     */
    private boolean reopening;

    /** An empty pool, until {@link #offer}. */
    StagingPool(DeviceContext context, Residency residency, Size size) {
        this.context = context;
        this.residency = residency;
        this.size = size;
        this.most = size.most;
    }

    /** Headers that a buffer takes at most, of a number of words each: a multiple of 32. */
    public int headers(int headerWords) {
        return Math.min(size.headers, size.words() / Math.max(1, headerWords) / 32 * 32);
    }

    /** Most buffers that there may be. */
    public int most() {
        return most;
    }

    /** Number of buffers that there are now. */
    public int count() {
        return all.size();
    }

    /**
     * The stream of a buffer. To be called by who has a buffer.
     *
     * @param number of the buffer, less than {@link #count}
     */
    public GpuDriver.Stream stream(int number) {
        return all.get(number).stream();
    }

    /**
     * Takes a buffer; waits while none is free, or while the device is opened anew.
     *
     * @throws GpuException if the device failed and was not opened anew
     */
    public StagingBuffer take() {
        StagingBuffer made = poll();
        if (made != null) {
            return made;
        }
        lock.lock();
        try (held) {
            while (free.isEmpty()) {
                requireOpen();
                given.awaitUninterruptibly();
            }
            return takeFree();
        }
    }

    /**
     * Takes a buffer; waits for one for a time at most.
     *
     * @return null if none came, or the thread was interrupted
     * @throws GpuException if the device failed and was not opened anew
     */
    public @Nullable StagingBuffer take(long nanos) {
        StagingBuffer made = poll();
        if (made != null) {
            return made;
        }
        lock.lock();
        try (held) {
            long left = nanos;
            while (free.isEmpty()) {
                requireOpen();
                if (left <= 0) {
                    return null;
                }
                left = given.awaitNanos(left);
            }
            return takeFree();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return null;
        }
    }

    /** Fails where waiting for a buffer is in vain. The caller has the lock. */
    private void requireOpen() {
        if (all.isEmpty() && !reopening) {
            throw new GpuException(0, "device " + context.number() + " is not open");
        }
    }

    /** The caller has the lock, and there is one. */
    private StagingBuffer takeFree() {
        if (context.broken()) {
            throw new GpuException(0, "device " + context.number() + " failed before");
        }
        return free.remove(free.size() - 1);
    }

    /**
     * Takes a buffer if one is free, or can be made, and the device works. Waits for no batch.
     *
     * @return null if there is none
     */
    public @Nullable StagingBuffer poll() {
        StagingBuffer taken = pollFree();
        return taken != null || full() ? taken : grow();
    }

    /**
     * Takes a buffer for a batch that only begins to fill. Such batches have half of the buffers at
     * most: the other half serves batches that are submitted, whose buffers come back without
     * anybody's help.
     *
     * @return null if there is none, or none to spare
     */
    public @Nullable StagingBuffer pollEarly() {
        lock.lock();
        try (held) {
            int spare = free.size() + most - all.size();
            if (2 * spare < most) {
                return null;
            }
        }
        return poll();
    }

    /**
     * Makes one buffer more, for the caller, unless one came back meanwhile.
     *
     * @throws GpuException if the device fails
     */
    private @Nullable StagingBuffer grow() {
        growth.lock();
        try {
            StagingBuffer returned = pollFree();
            Lock shared = context.shared();
            // Whoever holds the lifetime alone opens the device anew, or closes it.
            if (returned != null || !shared.tryLock()) {
                return returned;
            }
            try {
                int there = all.size();
                return context.broken() || there == 0 || there >= most ? pollFree() : add();
            } finally {
                shared.unlock();
            }
        } finally {
            growth.unlock();
        }
    }

    /** The caller has {@link #growth} and the shared lifetime, and the device is open. */
    private @Nullable StagingBuffer add() {
        List<StagingBuffer> before = all;
        StagingBuffer made;
        residency.suspend();
        try {
            made = StagingBuffer.of(context.device(), before.size(), size.words(), size.headers);
        } catch (GpuException e) {
            if (!e.isOutOfMemory()) {
                throw e;
            }
            most = before.size();
            LOG.info(
                    "device {} has {} staging buffers and no memory for one more: {}",
                    context.number(),
                    before.size(),
                    e.getMessage());
            return null;
        } finally {
            residency.resume();
        }
        List<StagingBuffer> more = new ArrayList<>(before);
        more.add(made);
        lock.lock();
        try (held) {
            all = List.copyOf(more);
        }
        return made;
    }

    private @Nullable StagingBuffer pollFree() {
        lock.lock();
        try (held) {
            return context.broken() || free.isEmpty() ? null : free.remove(free.size() - 1);
        }
    }

    /** Gives a buffer back. */
    public void give(StagingBuffer buffer) {
        lock.lock();
        try (held) {
            free.add(buffer);
            given.signal();
        }
    }

    /** Buffers that batches have. */
    public int busy() {
        lock.lock();
        try (held) {
            return all.size() - free.size();
        }
    }

    /** Returns whether there is no buffer to take now, and none can be made. */
    public boolean full() {
        lock.lock();
        try (held) {
            return free.isEmpty() && (all.isEmpty() || all.size() >= most);
        }
    }

    /** Returns whether there are buffers, be they taken: not while the device is opened anew. */
    public boolean open() {
        return !all.isEmpty();
    }

    /**
     * Takes all buffers out, which are lost with the context, for the device to be opened anew. Who
     * asks for one waits from now on, until {@link #offer}.
     *
     * @return false if batches still have some: then nothing changes
     */
    boolean drain() {
        lock.lock();
        try (held) {
            if (free.size() < all.size()) {
                return false;
            }
            free.clear();
            all = List.of();
            reopening = true;
            return true;
        }
    }

    /**
     * Makes the buffers of a device that was just opened; nobody gets one before {@link #offer}.
     */
    List<StagingBuffer> make() {
        List<StagingBuffer> made = new ArrayList<>();
        for (int b = 0; b < size.buffers; b++) {
            made.add(StagingBuffer.of(context.device(), b, size.words(), size.headers));
        }
        return made;
    }

    /** Lets batches take buffers; none: the device did not open, and who waits for one fails. */
    void offer(List<StagingBuffer> made) {
        lock.lock();
        try (held) {
            all = List.copyOf(made);
            free.addAll(made);
            reopening = false;
            given.signalAll();
        }
    }

    /** Gives the buffers' memory back. No batch may be under way. */
    void close() {
        for (StagingBuffer buffer : all) {
            buffer.close(context.device());
        }
    }
}
