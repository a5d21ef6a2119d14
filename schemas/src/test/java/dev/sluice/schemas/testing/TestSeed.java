package dev.sluice.schemas.testing;

import java.util.Random;

/**
 * Where random tests get their seeds: from {@code -Dsluice.test.seed=N}, so that a run can be had
 * again. Without it the seeds are fixed, and every run tests the same; {@code random} draws one.
 * {@link SeedReport} names the seed of a test that fails.
 *
 * <p>Thread-safe.
 */
public final class TestSeed {
    /** Names the seed, or {@code random}. */
    public static final String PROPERTY = "sluice.test.seed";

    /** Under this seed, which is the default, {@link #of} gives back its number. */
    static final long FIXED = 0;

    private static final long BASE = parse(System.getProperty(PROPERTY, ""));

    private TestSeed() {}

    /** The seed of this run: {@code ./sluice test --seed N} gives the same random values again. */
    public static long base() {
        return BASE;
    }

    /**
     * A seed of its own for a test.
     *
     * @param number tells apart the seeds that tests use in one run
     */
    public static long of(long number) {
        return of(BASE, number);
    }

    /** A source of random values of its own for a test. */
    public static Random random(long number) {
        return new Random(of(number));
    }

    static long of(long base, long number) {
        if (base == FIXED) {
            return number;
        }
        long z = (base * 0x9e3779b97f4a7c15L ^ number) * 0xbf58476d1ce4e5b9L;
        return (z ^ z >>> 31) >>> 1;
    }

    static long parse(String text) {
        if (text.isBlank()) {
            return FIXED;
        }
        if (text.equals("random")) {
            return 1 + (System.nanoTime() ^ ProcessHandle.current().pid() << 40) % 1_000_000_000L
                    & Long.MAX_VALUE;
        }
        try {
            return Long.parseLong(text);
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException(
                    "-D" + PROPERTY + "=" + text + ": neither a whole number nor 'random'", e);
        }
    }
}
