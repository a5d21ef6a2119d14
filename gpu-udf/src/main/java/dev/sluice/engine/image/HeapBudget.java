package dev.sluice.engine.image;

/**
 * Memory that the heap allows a build, whatever budget options give: a quarter of its largest size.
 * An image takes up to twice its bytes while it grows or is copied, and a build holds at most the
 * budget once more beside it ({@link BuildMeter}); the last quarter is for rules, headers and what
 * else the process has. So a build ends by its own count, not by an {@link OutOfMemoryError} that
 * may hit any thread of the process.
 */
public final class HeapBudget {
    private static final long SHARE = 4;

    /** A heap that is worth a new try, however little is missing. */
    private static final long LEAST_GIGABYTES = 8;

    private HeapBudget() {}

    /** Largest size of the heap in bytes. */
    public static long heapBytes() {
        return Runtime.getRuntime().maxMemory();
    }

    /** Bytes that an image may have at most, whatever the options say. */
    public static long bytes() {
        return heapBytes() / SHARE;
    }

    /** A budget, cut to what the heap allows. */
    public static long within(long budgetBytes) {
        return Math.min(budgetBytes, bytes());
    }

    /** Returns whether the heap, and not the options, bounds a budget. */
    static boolean bounds(long budgetBytes) {
        return budgetBytes >= bytes();
    }

    /**
     * Returns a sentence that says how to give a build more than a budget. A heap is named of which
     * a quarter is enough, as far as is known.
     *
     * @param neededBytes bytes that the build needs at least
     */
    static String remedy(long neededBytes, long budgetBytes) {
        if (!bounds(budgetBytes)) {
            return "raise --memory-budget";
        }
        long gigabytes = Math.max(LEAST_GIGABYTES, (SHARE * neededBytes >> 30) + 1);
        String raised =
                "the heap of %,d bytes allows no larger one: raise it, as in SLUICE_JAVA_OPTS=-Xmx%dg"
                        .formatted(heapBytes(), gigabytes);
        return neededBytes < 1L << 30 ? raised : raised + ", and --memory-budget";
    }
}
