package dev.sluice.engine.memory;

import dev.sluice.engine.image.ImageLayout;
import dev.sluice.engine.image.MemoryBudgetException;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Memory of an image that changes: blocks are allocated and released, and references are word
 * offsets, so that the words are an image at every moment. Blocks come in even sizes of four steps
 * to a doubling, and start at even offsets, so that a pair of words is one load. Not thread-safe.
 */
public final class Arena {
    private static final int MAX_WORDS = Integer.MAX_VALUE - 8;
    private static final int SMALLEST = 4;

    /** Words that were written, as a share of all, beyond which the whole is copied. */
    private static final int WHOLE_SHARE = 8;

    private final String algorithm;
    private final long budgetBytes;

    /** First free block of each size class; its first word names the next. */
    private final int[] free = new int[128];

    private MutableImage memory = new MutableImage(new int[1024], ImageLayout.BODY_AT);

    /** The memory's words. */
    private int[] words = memory.words;

    /** What was written since the other memory was left; null: there is no other. */
    private @Nullable WriteLog written;

    /** The memory that was written before, where there are two. */
    private MutableImage left = memory;

    private boolean readsAhead;
    private final ReadAhead ahead = new ReadAhead();

    /** Takes the words that are written while it is asked to. */
    public interface Recorder {
        /** A word was written. */
        void word(int at, int value);
    }

    private @Nullable Recorder recorder;

    /**
     * An empty arena.
     *
     * @param algorithm named where the budget is passed
     */
    public Arena(String algorithm, long budgetBytes) {
        this.algorithm = algorithm;
        this.budgetBytes = budgetBytes;
    }

    private static int sizeClass(int count) {
        int c = Math.max(SMALLEST, count + 3 & ~3);
        int shift = Math.max(0, 29 - Integer.numberOfLeadingZeros(c));
        int steps = c + (1 << shift) - 1 >>> shift;
        return 4 * shift + steps - SMALLEST;
    }

    private static long capacity(int sizeClass) {
        return (long) (SMALLEST + (sizeClass & 3)) << (sizeClass >>> 2);
    }

    /**
     * A block of at least so many words, all 0.
     *
     * @throws MemoryBudgetException if the arena would pass its budget
     */
    public int allocate(long count) {
        if (4 * count > budgetBytes || count > MAX_WORDS) {
            throw new MemoryBudgetException(algorithm, 4 * (memory.size + count), budgetBytes);
        }
        int sizeClass = sizeClass((int) count);
        int at = free[sizeClass];
        int capacity = (int) Math.min(MAX_WORDS, capacity(sizeClass));
        if (at != 0) {
            free[sizeClass] = words[at];
            Arrays.fill(words, at, at + capacity, 0);
            changed(at, capacity);
            return at;
        }
        long end = (long) memory.size + capacity;
        if (4 * end > budgetBytes || end > MAX_WORDS) {
            throw new MemoryBudgetException(algorithm, 4 * end, budgetBytes);
        }
        if (end > words.length) {
            long grown = Math.min(Math.max(end, words.length + (words.length >> 1)), MAX_WORDS);
            words = Arrays.copyOf(words, (int) grown);
            memory.words = words;
        }
        at = memory.size;
        memory.size = (int) end;
        return at;
    }

    /** Whether blocks of so many words together surely fit the budget. */
    public boolean hasRoom(long count) {
        long most = Math.min(MAX_WORDS, budgetBytes / 4);
        return memory.size + count + count / 4
                <= most; // a block may be a quarter larger than asked
    }

    /** Gives a block back; its count is the one that it was allocated with. */
    public void release(int at, long count) {
        int sizeClass = sizeClass((int) count);
        set(at, free[sizeClass]);
        free[sizeClass] = at;
    }

    /** A larger block with the same content; the old one is released. */
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
        } else if (memory.lacking != null) {
            memory.lacking.add(at >>> MutableImage.LINE_BITS);
        }
        if (recorder != null) {
            recorder.word(at, value);
        }
    }

    /** Tells every word that is written to a recorder, or to none. */
    public void record(@Nullable Recorder to) {
        recorder = to;
    }

    /** Notes that words were written without {@link #set}. */
    public void changed(int at, int count) {
        if (recorder != null) {
            for (int k = at; k < at + count; k++) {
                recorder.word(k, words[k]);
            }
        }
        if (written != null) {
            written.add(at, count);
        } else if (memory.lacking != null) {
            memory.lacking.add(at, count);
        }
    }

    /**
     * The memory that is written. While it is the only one, it knows its changes at once, else
     * after {@link #noteLacking}.
     */
    public MutableImage memory() {
        return memory;
    }

    /**
     * From now on a second memory of the same content exists, and {@link #moveTo} goes from one to
     * the other.
     */
    public MutableImage alternate() {
        written = new WriteLog();
        left = memory.copy();
        return left;
    }

    /**
     * Goes on in the other memory, after it got what was written to this one: what is written twice
     * is some words a change, what decides where they go is done once. Readers may look into this
     * memory meanwhile, not into the other.
     */
    public void moveTo(MutableImage other) {
        WriteLog log = written;
        if (log == null) {
            throw new IllegalStateException("there is no second memory");
        }
        if (other.words.length < words.length) {
            other.words = words.clone();
        } else if (log.words() > memory.size / WHOLE_SHARE) {
            System.arraycopy(words, 0, other.words, 0, memory.size);
        } else {
            log.repeat(words, other.words);
        }
        other.size = memory.size;
        if (other.lacking != null) {
            log.lines(other.lacking);
        }
        log.clear();
        left = memory;
        memory = other;
        words = other.words;
    }

    /** Whether {@link #readAhead} reads in the other memory. */
    public void readsAhead(boolean soon) {
        readsAhead = soon;
    }

    /**
     * Reads a word in both memories: their lines are in the cache when the change that is made here
     * gets to the other one, and the misses pass at the same time.
     *
     * @param beside what was read beside the memory for the same reason
     */
    public void readAhead(int at, int beside) {
        ahead.see(beside);
        ahead.see(words[at]);
        touch(at);
    }

    /** Reads in the other memory what is read here now. */
    public void touch(int at) {
        if (readsAhead && at < left.words.length) {
            ahead.see(left.words[at]);
        }
    }

    /**
     * Notes what was written for who keeps a copy of this memory elsewhere; to be called where
     * there are two, when a version is complete.
     */
    public void noteLacking() {
        if (written != null && memory.lacking != null) {
            written.lines(memory.lacking);
        }
    }

    /** Words in use or released for reuse. */
    public int size() {
        return memory.size;
    }

    /** The memory; replaced when the arena grows. */
    public int[] words() {
        return words;
    }

    /** Bytes in use or released for reuse. */
    public long bytes() {
        return 4L * memory.size;
    }

    /** The memory, cut to its size. */
    public int[] toArray() {
        return Arrays.copyOf(words, memory.size);
    }
}
