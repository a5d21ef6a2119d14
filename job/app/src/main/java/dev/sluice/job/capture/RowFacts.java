package dev.sluice.job.capture;

import org.jspecify.annotations.Nullable;

/**
 * Facts of a batch's headers that the rows of connections tell, and the refused packets that the
 * headers' connections began with. Reused from batch to batch. Not thread-safe.
 */
public final class RowFacts {
    private final long[] numbers;
    private final @Nullable String[] interfaces;
    private final int[] captures;
    private final long[] refused;

    RowFacts(int capacity) {
        numbers = new long[capacity];
        interfaces = new String[capacity];
        captures = new int[capacity];
        refused = new long[capacity];
    }

    void add(int header, long number, @Nullable String interfaceName) {
        numbers[header] = number;
        interfaces[header] = interfaceName;
        refused[header] = 0;
    }

    /** Returns the number of a header's packet in its capture, from 1. */
    public long number(int header) {
        return numbers[header];
    }

    /** Returns the interface that a header's packet was captured on; null: not known. */
    public @Nullable String interfaceName(int header) {
        return interfaces[header];
    }

    /**
     * Notes that a header's connection began with a packet that was refused.
     *
     * @param capture index of that packet's capture
     * @param number of that packet in it
     */
    public void refused(int header, int capture, long number) {
        captures[header] = capture;
        refused[header] = number;
    }

    /** Returns the number of the refused packet that a header's connection began with; 0: none. */
    public long refusedPacket(int header) {
        return refused[header];
    }

    /** Returns the index of that packet's capture. */
    public int refusedCapture(int header) {
        return captures[header];
    }
}
