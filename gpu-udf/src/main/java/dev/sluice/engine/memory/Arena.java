package dev.sluice.engine.memory;

import dev.sluice.engine.image.BuildMeter;
import dev.sluice.engine.image.ImageLayout;
import dev.sluice.engine.image.MemoryBudgetException;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Allocates blocks of words in a {@link MutableImage}, and writes all words of it. References
 * between blocks are word offsets, so that the words are an image at every moment. A released block
 * goes to a list of free blocks of its size. Sizes are 4, 5, 6 and 7 words times a power of two;
 * blocks start at even offsets, so that one 64-bit load reads a pair of words.
 *
 * <p>An arena may have two buffers of the same content ({@link #addBuffer}): readers look into the
 * one while the other is written, and {@link #switchBuffer} copies to the other what was written to
 * the first before it goes on there. Not thread-safe.
 */
public final class Arena {
    private static final int MAX_WORDS = Integer.MAX_VALUE - 8;
    private static final int SMALLEST = 4;

    /** If more than one word in so many was written, a buffer is copied as a whole. */
    private static final int WHOLE_SHARE = 8;

    private final String algorithm;
    private final long budgetBytes;
    private final @Nullable BuildMeter meter;

    /**
     * Offset of the first free block of each size, 0 for none; a free block's first word has the
     * offset of the next.
     */
    private final int[] free = new int[128];

    /** The buffer that is written. */
    private MutableImage current = new MutableImage(new int[1024], ImageLayout.BODY_AT);

    /** The words of the buffer that is written. */
    private int[] words = current.words;

    /** Writes to this buffer since the last switch; null: there is one buffer only. */
    private @Nullable WriteLog written;

    /** The buffer that is not written; the same as {@link #current} where there is one only. */
    private MutableImage other = current;

    private boolean readsAhead;
    private final ReadAhead ahead = new ReadAhead();

    /** Is told of words that are written, see {@link #record}. */
    public interface Recorder {
        /** The word at an offset was written. */
        void word(int at, int value);

        /** So many words from an offset on were written. */
        default void run(int[] words, int at, int count) {
            for (int k = at; k < at + count; k++) {
                word(k, words[k]);
            }
        }
    }

    private @Nullable Recorder recorder;

    /**
     * An empty arena.
     *
     * @param algorithm named in the error when the budget does not suffice
     * @param budgetBytes bytes that a buffer may grow to
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
            throw new MemoryBudgetException(algorithm, 4 * (current.size + count), budgetBytes);
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
        long end = (long) current.size + capacity;
        if (4 * end > budgetBytes || end > MAX_WORDS) {
            throw new MemoryBudgetException(algorithm, 4 * end, budgetBytes);
        }
        if (end > words.length) {
            long most = Math.min(MAX_WORDS, Math.max(end, budgetBytes / 4));
            long grown = Math.min(Math.max(end, words.length + (words.length >> 1)), most);
            words = Arrays.copyOf(words, (int) grown);
            current.words = words;
        }
        at = current.size;
        current.size = (int) end;
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
            current.words = words;
        }
    }

    /** Returns whether there is room for blocks of so many words together, whatever their sizes. */
    public boolean hasRoom(long count) {
        long most = Math.min(MAX_WORDS, budgetBytes / 4);
        return current.size + count + count / 4
                <= most; // a block may be a quarter larger than asked
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
        if (written != null) {
            written.add(at);
        } else if (current.dirtyLines != null) {
            current.dirtyLines.add(at >>> MutableImage.LINE_BITS);
        }
        if (recorder != null) {
            recorder.word(at, value);
        }
    }

    /** From now on tells a recorder of every word that is written; null: tells nobody. */
    public void record(@Nullable Recorder to) {
        recorder = to;
    }

    /** To be called after words were written otherwise than by {@link #set}. */
    public void changed(int at, int count) {
        if (recorder != null) {
            recorder.run(words, at, count);
        }
        if (written != null) {
            written.addRun(at, count);
        } else if (current.dirtyLines != null) {
            current.dirtyLines.addRun(at, count);
        }
    }

    /**
     * The buffer that is written. While it is the only one, its dirty lines are up to date after
     * every write, else after {@link #publishDirtyLines}.
     */
    public MutableImage buffer() {
        return current;
    }

    /** Adds a second buffer of the same content, for {@link #switchBuffer}, and returns it. */
    public MutableImage addBuffer() {
        written = new WriteLog();
        other = current.copy();
        return other;
    }

    /**
     * Copies to the other buffer what was written to this one since the last switch, and goes on
     * writing there. So the work to find out what a change of rules writes is done once, and only
     * the words are written twice. During the call readers may look into this buffer, but not into
     * the other.
     *
     * @param to the buffer that is not written now
     * @throws IllegalStateException if there is one buffer only
     */
    public void switchBuffer(MutableImage to) {
        WriteLog log = written;
        if (log == null) {
            throw new IllegalStateException("there is no second buffer");
        }
        if (to.words.length < words.length) {
            to.words = words.clone();
        } else if (log.words() > current.size / WHOLE_SHARE) {
            System.arraycopy(words, 0, to.words, 0, current.size);
        } else {
            log.repeat(words, to.words);
        }
        to.size = current.size;
        if (to.dirtyLines != null) {
            log.addLinesTo(to.dirtyLines);
        }
        log.clear();
        other = current;
        current = to;
        words = to.words;
    }

    /**
     * Switches on or off that {@link #readAhead} and {@link #touch} read in the other buffer. Pays
     * if that buffer gets the same change while the lines are still in the cache.
     */
    public void readsAhead(boolean on) {
        readsAhead = on;
    }

    /**
     * Reads a word that will be needed soon, in both buffers, so that the cache misses of several
     * such reads overlap.
     *
     * @param beside a word from outside the arena that was read for the same purpose
     */
    public void readAhead(int at, int beside) {
        ahead.see(beside);
        ahead.see(words[at]);
        touch(at);
    }

    /** Reads a word in the other buffer, so that its line is in the cache after the switch. */
    public void touch(int at) {
        if (readsAhead && at < other.words.length) {
            ahead.see(other.words[at]);
        }
    }

    /**
     * Adds what was written since the last switch to the dirty lines of this buffer. To be called
     * when a version is complete; no effect where there is one buffer only.
     */
    public void publishDirtyLines() {
        if (written != null && current.dirtyLines != null) {
            written.addLinesTo(current.dirtyLines);
        }
    }

    /** Words in use or released for reuse. */
    public int size() {
        return current.size;
    }

    /** The words of the buffer that is written; another array after the arena has grown. */
    public int[] words() {
        return words;
    }

    /** Bytes in use or released for reuse. */
    public long bytes() {
        return 4L * current.size;
    }

    /** A copy of the words in use. */
    public int[] toArray() {
        return Arrays.copyOf(words, current.size);
    }
}
