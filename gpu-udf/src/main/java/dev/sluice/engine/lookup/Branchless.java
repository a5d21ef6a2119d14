package dev.sluice.engine.lookup;

/**
 * Comparisons whose result is a number, 1 for true and 0 for false unless a method says otherwise,
 * computed without a branch. Look-ups use them to append to a list, {@code list[n] = i; n +=
 * lessThan(a, b)}, where a branch would often be mispredicted, and in loops that the JIT turns into
 * vector instructions. The methods are so small that the JIT always inlines them. Thread-safe.
 */
public final class Branchless {
    private Branchless() {}

    /**
     * 1 if {@code a < b}, else 0. The difference {@code a - b} must not overflow, which holds if
     * both are negative or neither is: ranks, positions, counts. Otherwise the result is wrong.
     */
    public static int lessThan(int a, int b) {
        return a - b >>> 31;
    }

    /** 1 if a number is negative, else 0. */
    public static int isNegative(int value) {
        return value >>> 31;
    }

    /** 1 if a number is 0 or positive, else 0. */
    public static int isNotNegative(int value) {
        return ~value >>> 31;
    }

    /** 1 if a number is positive, 0 if it is 0 or negative; for {@link Integer#MIN_VALUE} 1. */
    public static int isPositive(int value) {
        return -value >>> 31;
    }

    /** All bits if a number is negative, else 0: to let another number through or not. */
    public static int maskIfNegative(int value) {
        return value >> 31;
    }

    /** 1 if a number is not 0, else 0. */
    public static int isNotZero(int value) {
        return (value | -value) >>> 31;
    }

    /** 1 if a 64-bit number is not 0, else 0. */
    public static int isNotZero(long value) {
        return (int) ((value | -value) >>> 63);
    }
}
