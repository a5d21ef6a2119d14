package dev.sluice.engine.lookup;

import java.util.ArrayDeque;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Objects that are used again: there are as many as were in use at once at most, so that a batch
 * that needs one makes none. Thread-safe; its lock is held for a moment.
 */
public final class Spares<T> {
    private final Supplier<? extends T> maker;

    /** Objects that nobody uses; guarded by this. */
    private final ArrayDeque<T> idle = new ArrayDeque<>();

    /**
     * None so far.
     *
     * @param maker makes one when all are in use
     */
    public Spares(Supplier<? extends T> maker) {
        this.maker = maker;
    }

    /** One that nobody uses. */
    public T take() {
        T spare = poll();
        return spare == null ? maker.get() : spare;
    }

    private synchronized @Nullable T poll() {
        return idle.pollLast(); // the one that caches still hold
    }

    /** Takes one back; who gives it does not touch it any more. */
    public synchronized void give(T spare) {
        idle.addLast(spare);
    }
}
