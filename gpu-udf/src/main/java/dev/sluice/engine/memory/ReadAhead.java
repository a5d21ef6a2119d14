package dev.sluice.engine.memory;

/**
 * Takes what is read only so that its line is in the cache when it is needed: misses that would
 * come one after the other pass together. Java has no prefetch, and a read whose value goes nowhere
 * is left out by the compiler, so the values are summed. Not thread-safe.
 */
public final class ReadAhead {
    private int sum;

    /** A value that was read ahead. */
    public void see(int value) {
        sum += value;
    }

    @Override
    public String toString() {
        return "read ahead: " + sum;
    }
}
