package dev.sluice.engine.image;

/**
 * Counts what one build does and holds, and stops it when it passes what its budget allows: so many
 * bytes beside the image that it writes, and so many words of work. Work is counted in 64-bit words
 * that are read or written one after the other; a step to a place far away counts as {@link #JUMP}
 * of them. Builds ask before they allocate or begin ({@link #require}, {@link #requireWork}), and
 * count while they go, so that a refusal depends on the rules and the budget alone, never on a
 * clock or on how much of the heap others use. One a build; not thread-safe.
 */
public final class BuildMeter {
    /** Words that a step to a place far away counts for: a cache line. */
    public static final int JUMP = 8;

    /** Work that every build may do, in words: a fraction of a second. */
    public static final long LEAST_WORDS = 1L << 29;

    /** Work that a build may do for each byte of its budget, in words. */
    public static final long WORDS_A_BYTE = 8;

    private final String algorithm;
    private final long budgetBytes;
    private final long mostWords;
    private long words;
    private long held;
    private long peak;

    /**
     * Nothing done, nothing held.
     *
     * @param algorithm named in the refusal
     * @param budgetBytes bytes of the image, and again of what the build holds beside it
     */
    public BuildMeter(String algorithm, long budgetBytes) {
        this.algorithm = algorithm;
        this.budgetBytes = budgetBytes;
        this.mostWords = mostWords(budgetBytes);
    }

    /** Returns the work that a build within a budget may do, in words. */
    public static long mostWords(long budgetBytes) {
        return LEAST_WORDS + WORDS_A_BYTE * Math.min(budgetBytes, Long.MAX_VALUE / 16);
    }

    /** The algorithm that builds. */
    public String algorithm() {
        return algorithm;
    }

    /** Bytes of the image, and again of what is held beside it. */
    public long budgetBytes() {
        return budgetBytes;
    }

    /**
     * Counts work that was done, or is about to be.
     *
     * @throws MemoryBudgetException if it is more than the budget is worth
     */
    public void work(long count) {
        words += count;
        if (words > mostWords) {
            throw MemoryBudgetException.ofWork(algorithm, words, mostWords, budgetBytes);
        }
    }

    /** Counts work that was done within a bound of its own; it is never refused. */
    public void bounded(long count) {
        words += count;
    }

    /**
     * Asks whether there is so much work left, without counting it.
     *
     * @throws MemoryBudgetException if there is not
     */
    public void requireWork(long count) {
        if (words + count > mostWords) {
            throw MemoryBudgetException.ofWork(algorithm, words + count, mostWords, budgetBytes);
        }
    }

    /**
     * Takes bytes beside the image; to be called before they are allocated.
     *
     * @throws MemoryBudgetException if the build would hold more than its budget
     */
    public void hold(long bytes) {
        require(bytes);
        held += bytes;
        peak = Math.max(peak, held);
    }

    /** Bytes that were held are garbage from now on. */
    public void release(long bytes) {
        held -= bytes;
    }

    /**
     * Asks whether so many bytes may be held beside those that are, without taking them.
     *
     * @throws MemoryBudgetException if not
     */
    public void require(long bytes) {
        if (bytes > room()) {
            throw MemoryBudgetException.whileBuilding(algorithm, held + bytes, budgetBytes);
        }
    }

    /** Bytes that may still be held. */
    public long room() {
        return budgetBytes - held;
    }

    /** Returns the work that may still be done, in words. */
    public long workLeft() {
        return mostWords - words;
    }

    /** Returns the work so far, in words. */
    public long words() {
        return words;
    }

    /** Most bytes that were held at a time. */
    public long peakBytes() {
        return peak;
    }
}
