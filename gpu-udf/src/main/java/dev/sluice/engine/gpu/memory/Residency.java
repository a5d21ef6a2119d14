package dev.sluice.engine.gpu.memory;

import java.util.function.Supplier;

/**
 * The kernels that stay on a device, as memory has to know them. The driver may wait for every
 * kernel there while it takes or frees memory, and a kernel that stays does not end by itself for a
 * long time; so such kernels leave before and come back after. Thread-safe.
 */
public interface Residency {
    /**
     * Lets all kernels that stay leave, once they have ended the batches that they were given, and
     * keeps them away until {@link #resume} by the same thread. Never throws for a device that
     * fails: the failure is noted in the context.
     */
    void suspend();

    /** Ends {@link #suspend}: the next batch starts a kernel again. */
    void resume();

    /** Returns what a call of the driver gives while the kernels are away. */
    default <T> T whileAway(Supplier<T> call) {
        suspend();
        try {
            return call.get();
        } finally {
            resume();
        }
    }

    /** Calls the driver while the kernels are away. */
    default void runWhileAway(Runnable call) {
        whileAway(
                () -> {
                    call.run();
                    return true;
                });
    }

    /** Ends the kernels that stay for an image, which is about to go. No batch may be under way. */
    void end(DeviceImage image);
}
