package dev.sluice.engine.image;

import java.util.Arrays;

/** Growing memory for an image under construction, within a budget. Not thread-safe. */
public final class WordWriter {
    private static final int MAX_WORDS = Integer.MAX_VALUE - 8;

    private final long budgetBytes;
    private final String algorithm;
    private int[] words = new int[1024];
    private int size = ImageLayout.BODY_AT;

    /**
     * An image that may grow to a number of bytes.
     *
     * @param algorithm named where the budget is passed
     */
    public WordWriter(String algorithm, long budgetBytes) {
        this.algorithm = algorithm;
        this.budgetBytes = budgetBytes;
    }

    /**
     * Reserves words, all 0, and returns the offset of the first.
     *
     * @throws MemoryBudgetException if the image would pass its budget
     */
    public int reserve(long count) {
        long end = size + count;
        if (4 * end > budgetBytes || end > MAX_WORDS) {
            throw new MemoryBudgetException(algorithm, 4 * end, budgetBytes);
        }
        if (end > words.length) {
            long most = Math.min(MAX_WORDS, Math.max(end, budgetBytes / 4));
            words = Arrays.copyOf(words, (int) Math.min(most, Math.max(end, words.length * 2L)));
        }
        int at = size;
        size = (int) end;
        return at;
    }

    /** As {@link #reserve}, the offset of the first a multiple of a number. */
    public int reserveAligned(long count, int multiple) {
        reserve(-size & multiple - 1);
        return reserve(count);
    }

    /**
     * Appends words, and returns the offset of the first.
     *
     * @param multiple the offset is a multiple of this power of two
     * @throws MemoryBudgetException if the image would pass its budget
     */
    public int append(int[] from, int multiple) {
        int at = reserveAligned(from.length, multiple);
        System.arraycopy(from, 0, words, at, from.length);
        return at;
    }

    /** Takes back all words from an offset on. */
    public void dropFrom(int at) {
        Arrays.fill(words, at, size, 0);
        size = at;
    }

    /** Writes a word. */
    public void set(int at, int value) {
        words[at] = value;
    }

    /** Reads a word back. */
    public int get(int at) {
        return words[at];
    }

    /** Bytes that the image may take. */
    public long budgetBytes() {
        return budgetBytes;
    }

    /** Words so far. */
    public int size() {
        return size;
    }

    /** The memory, cut to its size. */
    public int[] toArray() {
        return Arrays.copyOf(words, size);
    }
}
