package dev.sluice.engine.rfc;

import dev.sluice.engine.image.BuildMeter;
import dev.sluice.engine.memory.LongIntMap;
import java.util.Arrays;

/**
 * Distinct ascending lists of rules, each with a number: 0, 1, 2 ... in the order in which they
 * came. A list takes 4 bytes a rule, so it is much smaller than a bit for each rule of the set
 * where it names few of them. Not thread-safe.
 */
final class RuleLists implements RuleRows {
    /** Bytes of a list beside its rules: where it begins, and its place among the hashes. */
    private static final long ENTRY_BYTES = 40;

    private static final long MULTIPLIER = 0x9e3779b97f4a7c15L;
    private static final int SMALLEST = 256;

    private final BuildMeter meter;

    /** Number of a list + 1 by its hash; where two have one hash, by the next free number. */
    private final LongIntMap numbers = new LongIntMap();

    private int[] rules = new int[SMALLEST];

    /** Where each list begins, and where the last one ends. */
    private int[] starts = new int[SMALLEST];

    private int count;
    private long held;

    /** No lists yet; those that come count as held. */
    RuleLists(BuildMeter meter) {
        this.meter = meter;
    }

    /** The number of the list that stands in {@code from}, from index {@code at} to its end. */
    int number(int[] from, int at) {
        int length = from.length - at;
        long key = length;
        for (int i = at; i < from.length; i++) {
            key = (key ^ from[i]) * MULTIPLIER;
            key ^= key >>> 32;
        }
        for (int known = numbers.get(key); known != 0; known = numbers.get(++key)) {
            int start = starts[known - 1];
            if (Arrays.equals(rules, start, starts[known], from, at, from.length)) {
                return known - 1;
            }
        }
        int end = starts[count] + length;
        hold(ENTRY_BYTES + (long) Integer.BYTES * length);
        if (end > rules.length) {
            rules = Arrays.copyOf(rules, Math.max(end, 2 * rules.length));
        }
        if (count + 2 > starts.length) {
            starts = Arrays.copyOf(starts, 2 * starts.length);
        }
        System.arraycopy(from, at, rules, starts[count], length);
        starts[++count] = end;
        numbers.put(key, count);
        return count - 1;
    }

    private void hold(long bytes) {
        meter.hold(bytes);
        held += bytes;
    }

    /** Gives up what the lists hold. */
    void forget() {
        meter.release(held);
        held = 0;
    }

    @Override
    public int count() {
        return count;
    }

    @Override
    public int read(int row, int[] into) {
        int length = starts[row + 1] - starts[row];
        System.arraycopy(rules, starts[row], into, 0, length);
        return length;
    }
}
