package dev.sluice.engine.memory;

/**
 * Takes the values of words that are read only to bring their cache lines in before they are
 * needed, so that several cache misses overlap. Java has no prefetch instruction, and the JIT
 * leaves out a read whose value is not used; so the values are summed. Not thread-safe.
 */
public final class ReadAhead {
    private int sum;

    /** Takes a value that was read ahead. */
    public void see(int value) {
        sum += value;
    }

    @Override
    public String toString() {
        return "read ahead: " + sum;
    }
}
