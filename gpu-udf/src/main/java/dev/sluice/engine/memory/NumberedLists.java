package dev.sluice.engine.memory;

import dev.sluice.engine.image.BuildMeter;
import java.util.Arrays;

/**
 * Distinct lists of numbers, each with a number of its own: 0, 1, 2 ... in the order in which they
 * came. They lie one behind the other in one array. Not thread-safe.
 */
public class NumberedLists {
    /** Bytes of a list beside its items: where it begins, and its place among the hashes. */
    private static final long ENTRY_BYTES = 40;

    private static final long MULTIPLIER = 0x9e3779b97f4a7c15L;
    private static final int SMALLEST = 256;

    private final BuildMeter meter;

    /** Number of a list + 1 by its hash; where two have one hash, by the next free number. */
    private final LongIntMap numbers = new LongIntMap();

    private int[] items = new int[SMALLEST];

    /** Starts of the lists, and the end of the last one. */
    private int[] starts = new int[SMALLEST];

    private int count;
    private long held;

    /** No lists yet; those that come count as held. */
    public NumberedLists(BuildMeter meter) {
        this.meter = meter;
    }

    /**
     * The number of a list, which is taken if it is new.
     *
     * @param from has the list, from index {@code at} to index {@code to}
     * @throws dev.sluice.engine.image.MemoryBudgetException if a new one passes the meter's budget
     */
    public int number(int[] from, int at, int to) {
        int length = to - at;
        long key = length;
        for (int i = at; i < to; i++) {
            key = (key ^ from[i]) * MULTIPLIER;
            key ^= key >>> 32;
        }
        for (int known = numbers.get(key); known != 0; known = numbers.get(++key)) {
            int start = starts[known - 1];
            if (Arrays.equals(items, start, starts[known], from, at, to)) {
                return known - 1;
            }
        }
        int end = starts[count] + length;
        hold(ENTRY_BYTES + (long) Integer.BYTES * length);
        if (end > items.length) {
            items = Arrays.copyOf(items, Math.max(end, 2 * items.length));
        }
        if (count + 2 > starts.length) {
            starts = Arrays.copyOf(starts, 2 * starts.length);
        }
        System.arraycopy(from, at, items, starts[count], length);
        starts[++count] = end;
        numbers.put(key, count);
        return count - 1;
    }

    private void hold(long bytes) {
        meter.hold(bytes);
        held += bytes;
    }

    /** Gives up what the lists hold. */
    public void forget() {
        meter.release(held);
        held = 0;
    }

    /** Number of lists. */
    public int count() {
        return count;
    }

    /**
     * Copies a list.
     *
     * @param into room for it
     * @return its length
     */
    public int read(int list, int[] into) {
        int length = starts[list + 1] - starts[list];
        System.arraycopy(items, starts[list], into, 0, length);
        return length;
    }

    /** A copy of a list. */
    public int[] list(int list) {
        return Arrays.copyOfRange(items, starts[list], starts[list + 1]);
    }

    /** All lists, one behind the other. */
    public int[] items() {
        return Arrays.copyOf(items, starts[count]);
    }
}
