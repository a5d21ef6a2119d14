package dev.sluice.engine.testing;

import java.util.function.LongSupplier;

/**
 * What a thread allocates once it is warm. The virtual machine allocates by itself now and then on
 * the thread that it serves: where it gives up code that it compiled, objects that this code had
 * done without are made after all. That happens once and not again, so work is repeated in windows
 * until one is quiet; what a batch allocates, each of them shows.
 */
public final class SteadyAllocation {
    /** Windows that are measured one after another, at most. */
    private static final int WINDOWS = 4;

    private SteadyAllocation() {}

    /**
     * Repeats work on the calling thread, {@code rounds} times a window, until one is quiet.
     *
     * @param allocated bytes that the calling thread has allocated until now
     * @param quiet a window with fewer bytes is
     * @return bytes of the window in which the fewest were allocated
     */
    public static long leastBytes(LongSupplier allocated, long quiet, int rounds, Runnable work) {
        long least = Long.MAX_VALUE;
        for (int window = 0; window < WINDOWS && least >= quiet; window++) {
            long before = allocated.getAsLong();
            for (int r = 0; r < rounds; r++) {
                work.run();
            }
            least = Math.min(least, allocated.getAsLong() - before);
        }
        return least;
    }
}
