package dev.sluice.engine.memory;

import dev.sluice.engine.image.BuildMeter;
import dev.sluice.engine.image.ImageLayout;
import dev.sluice.engine.image.MemoryBudgetException;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Memory in which blocks of words are allocated and written. References between blocks are word
 * offsets, so that the words are an image at every moment. A released block goes to a list of free
 * blocks of its size. Sizes are 4, 5, 6 and 7 words times a power of two; blocks start at even
 * offsets, so that one 64-bit load reads a pair of words. Not thread-safe.
 */
public final class Arena {
    private static final int MAX_WORDS = Integer.MAX_VALUE - 8;
    private static final int SMALLEST = 4;

    private final String algorithm;
    private final long budgetBytes;
    private final @Nullable BuildMeter meter;

    /**
     * Offset of the first free block of each size, 0 for none; a free block's first word has the
     * offset of the next.
     */
    private final int[] free = new int[128];

    private int[] words = new int[1024];

    /** Words in use or released for reuse. */
    private int size = ImageLayout.BODY_AT;

    /** Is told of words that are written, see {@link #record}. */
    private @Nullable GrowingWords recorder;

    /**
     * An empty arena.
     *
     * @param algorithm named in the error when the budget does not suffice
     * @param budgetBytes bytes that it may grow to
     */
    public Arena(String algorithm, long budgetBytes) {
        this(algorithm, budgetBytes, null);
    }

    /**
     * An empty arena for a build that ends, and is counted.
     *
     * @param meter is told of the work, and of what is held beside the arena
     */
    public Arena(BuildMeter meter) {
        this(meter.algorithm(), meter.budgetBytes(), meter);
    }

    private Arena(String algorithm, long budgetBytes, @Nullable BuildMeter meter) {
        this.algorithm = algorithm;
        this.budgetBytes = budgetBytes;
        this.meter = meter;
    }

    /**
     * Counts work of a build: words one after the other, {@link BuildMeter#JUMP} for a place far
     * away. No effect for a structure that goes on changing.
     *
     * @throws MemoryBudgetException if it is more than the budget is worth
     */
    public void work(long count) {
        if (meter != null) {
            meter.work(count);
        }
    }

    /**
     * Counts bytes that a build takes beside the arena. No effect for a structure that goes on
     * changing.
     *
     * @throws MemoryBudgetException if the build holds more than its budget
     */
    public void hold(long bytes) {
        if (meter != null) {
            meter.hold(bytes);
        }
    }

    /** Bytes that {@link #hold} counted are garbage from now on. */
    public void unhold(long bytes) {
        if (meter != null) {
            meter.release(bytes);
        }
    }

    /** Index of the smallest block size that has room for a number of words. */
    private static int sizeIndex(int count) {
        int c = Math.max(SMALLEST, count + 3 & ~3);
        int shift = Math.max(0, 29 - Integer.numberOfLeadingZeros(c));
        int steps = c + (1 << shift) - 1 >>> shift;
        return 4 * shift + steps - SMALLEST;
    }

    /** Returns the capacity of a block of a size, in words. */
    private static long capacity(int sizeIndex) {
        return (long) (SMALLEST + (sizeIndex & 3)) << (sizeIndex >>> 2);
    }

    /**
     * Allocates a block of at least so many words, all 0, and returns its offset.
     *
     * @throws MemoryBudgetException if the arena would grow beyond its budget
     */
    public int allocate(long count) {
        if (4 * count > budgetBytes || count > MAX_WORDS) {
            throw new MemoryBudgetException(algorithm, 4 * (size + count), budgetBytes);
        }
        int sizeIndex = sizeIndex((int) count);
        int at = free[sizeIndex];
        int capacity = (int) Math.min(MAX_WORDS, capacity(sizeIndex));
        if (at != 0) {
            free[sizeIndex] = words[at];
            Arrays.fill(words, at, at + capacity, 0);
            changed(at, capacity);
            return at;
        }
        long end = (long) size + capacity;
        if (4 * end > budgetBytes || end > MAX_WORDS) {
            throw new MemoryBudgetException(algorithm, 4 * end, budgetBytes);
        }
        if (end > words.length) {
            long most = Math.min(MAX_WORDS, Math.max(end, budgetBytes / 4));
            long grown = Math.min(Math.max(end, words.length + (words.length >> 1)), most);
            words = Arrays.copyOf(words, (int) grown);
        }
        at = size;
        size = (int) end;
        return at;
    }

    /**
     * Makes room for so many words at once, as far as the budget allows, so that growing to them
     * copies nothing.
     */
    public void reserve(long count) {
        int room = (int) Math.min(count, Math.min(MAX_WORDS, budgetBytes / 4));
        if (room > words.length) {
            words = Arrays.copyOf(words, room);
        }
    }

    /** Returns whether there is room for blocks of so many words together, whatever their sizes. */
    public boolean hasRoom(long count) {
        long most = Math.min(MAX_WORDS, budgetBytes / 4);
        return size + count + count / 4 <= most; // a block may be a quarter larger than asked
    }

    /**
     * Gives a block back.
     *
     * @param count the number of words that it was allocated with
     */
    public void release(int at, long count) {
        int sizeIndex = sizeIndex((int) count);
        set(at, free[sizeIndex]);
        free[sizeIndex] = at;
    }

    /** Moves a block's content to a new, larger one, whose offset it returns. */
    public int grow(int at, long count, long newCount) {
        int to = allocate(newCount);
        System.arraycopy(words, at, words, to, (int) count);
        changed(to, (int) count);
        release(at, count);
        return to;
    }

    /** Writes a word. */
    public void set(int at, int value) {
        words[at] = value;
        if (recorder != null) {
            recorder.written(at, 1);
        }
    }

    /** From now on notes every word that is written. */
    public void record(GrowingWords to) {
        recorder = to;
    }

    /** To be called after words were written otherwise than by {@link #set}. */
    public void changed(int at, int count) {
        if (recorder != null) {
            recorder.written(at, count);
        }
    }

    /** Words in use or released for reuse. */
    public int size() {
        return size;
    }

    /** The words; another array after the arena has grown. */
    public int[] words() {
        return words;
    }

    /** Bytes in use or released for reuse. */
    public long bytes() {
        return 4L * size;
    }

    /** A copy of the words in use. */
    public int[] toArray() {
        return Arrays.copyOf(words, size);
    }
}
