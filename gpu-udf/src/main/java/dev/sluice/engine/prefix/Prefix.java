package dev.sluice.engine.prefix;

import dev.sluice.engine.rules.Match;
import org.jspecify.annotations.Nullable;

/**
 * A prefix of up to 128 bits, left-aligned.
 *
 * @param high first 64 bits; bits behind the length are 0
 * @param low next 64 bits
 * @param length bits that count
 */
public record Prefix(long high, long low, int length) implements Comparable<Prefix> {
    /** The prefix of an address in some header words that a match names, null if it is none. */
    public static @Nullable Prefix of(Match match, int[] words) {
        long[] value = new long[2];
        int length = 0;
        boolean ended = false;
        for (int i = 0; i < words.length; i++) {
            int mask = match.mask(words[i]);
            int ones = Integer.numberOfLeadingZeros(~mask);
            if (ones < 32 && mask << ones != 0 || ended && mask != 0) {
                return null;
            }
            ended |= ones < 32;
            length += ones;
            value[i >> 1] |= (match.value(words[i]) & 0xffffffffL) << ((i & 1) == 0 ? 32 : 0);
        }
        return new Prefix(value[0], value[1], length);
    }

    /** By value, then by length: a prefix comes directly before the prefixes within it. */
    @Override
    public int compareTo(Prefix other) {
        int c = Long.compareUnsigned(high, other.high);
        if (c == 0) {
            c = Long.compareUnsigned(low, other.low);
        }
        return c == 0 ? Integer.compare(length, other.length) : c;
    }

    /** Returns whether another prefix lies within this one. */
    public boolean covers(Prefix other) {
        if (other.length < length) {
            return false;
        }
        if (length <= 64) {
            return length == 0 || (high ^ other.high) >>> 64 - length == 0;
        }
        return high == other.high && (low ^ other.low) >>> 128 - length == 0;
    }

    /** The 32 bits from bit 32 {@code index} on; index 0 to 3. */
    public int word(int index) {
        long half = index < 2 ? high : low;
        return (int) ((index & 1) == 0 ? half >>> 32 : half);
    }
}
