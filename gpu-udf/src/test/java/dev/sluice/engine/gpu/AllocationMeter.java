package dev.sluice.engine.gpu;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;

/**
 * Bytes that threads allocate, and those of them that a stand-in for something else allocates, as
 * the real thing would not. Allocates nothing itself after a thread's first call.
 */
final class AllocationMeter {
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    private final ThreadLocal<long[]> own = ThreadLocal.withInitial(() -> new long[1]);

    /** Bytes that the calling thread has allocated. */
    static long all() {
        return THREADS.getCurrentThreadAllocatedBytes();
    }

    /** Bytes that the calling thread has allocated between {@link #all} and {@link #end}. */
    long inside() {
        return own.get()[0];
    }

    /**
     * What the calling thread has allocated since was the stand-in's.
     *
     * @param began what {@link #all} said then
     */
    void end(long began) {
        own.get()[0] += all() - began;
    }
}
