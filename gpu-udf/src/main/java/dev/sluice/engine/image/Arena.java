package dev.sluice.engine.image;

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
    private static final int LINE_BITS = 4;

    /** Words of a line, the unit of changes. */
    public static final int LINE = 1 << LINE_BITS;

    private final String algorithm;
    private final long budgetBytes;

    /** First free block of each size class; its first word names the next. */
    private final int[] free = new int[128];

    private int[] words = new int[1024];
    private int size = Image.BODY_AT;

    /** One bit a line that has changed, and the lines; null while nobody asks. */
    private long @Nullable [] changedLines;

    private int[] changes = {};
    private int changeCount;

    /** Takes the words that are written while it is asked to. */
    public interface Recorder {
        /** A word was written. */
        void word(int at, int value);
    }

    private @Nullable Recorder recorder;

    private @Nullable Arena twin;
    private boolean follows;
    private final ReadAhead ahead = new ReadAhead();

    /**
     * Names an arena in which the same changes follow, as a rule at the same offsets: {@link
     * #touch} reads there ahead.
     */
    public void twin(Arena other) {
        twin = other;
    }

    /** Whether the twin's changes follow so soon that lines stay in the cache until then. */
    public void twinFollows(boolean soon) {
        follows = soon;
    }

    /**
     * Reads a word of the twin, so that its line is in the cache when the change that is made here
     * is made there: both misses pass at the same time.
     */
    public void touch(int at) {
        Arena other = twin;
        if (follows && other != null && at < other.words.length) {
            ahead.see(other.words[at]);
        }
    }

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
            throw new MemoryBudgetException(algorithm, 4 * (size + count), budgetBytes);
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
        long end = (long) size + capacity;
        if (4 * end > budgetBytes || end > MAX_WORDS) {
            throw new MemoryBudgetException(algorithm, 4 * end, budgetBytes);
        }
        if (end > words.length) {
            long grown = Math.min(Math.max(end, words.length + (words.length >> 1)), MAX_WORDS);
            words = Arrays.copyOf(words, (int) grown);
        }
        at = size;
        size = (int) end;
        return at;
    }

    /** Whether blocks of so many words together surely fit the budget. */
    public boolean hasRoom(long count) {
        long most = Math.min(MAX_WORDS, budgetBytes / 4);
        return size + count + count / 4 <= most; // a block may be a quarter larger than asked
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
        if (changedLines != null) {
            mark(at >>> LINE_BITS);
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
        if (changedLines != null && count > 0) {
            for (int line = at >>> LINE_BITS; line <= at + count - 1 >>> LINE_BITS; line++) {
                mark(line);
            }
        }
    }

    private void mark(int line) {
        long[] marks = changedLines;
        if (marks == null) {
            return;
        }
        if (line >>> 6 >= marks.length) {
            marks = Arrays.copyOf(marks, (line >>> 6) + (line >>> 7) + 64);
            changedLines = marks;
        }
        if ((marks[line >>> 6] >>> line & 1) == 0) {
            marks[line >>> 6] |= 1L << line;
            if (changeCount == changes.length) {
                changes = Arrays.copyOf(changes, 2 * changeCount + 64);
            }
            changes[changeCount++] = line;
        }
    }

    /** Keeps account of changes from now on, for who keeps a copy elsewhere. */
    public void track() {
        changedLines = new long[(size >>> LINE_BITS + 6) + 64];
        changeCount = 0;
    }

    /** Lines of {@link #LINE} words that have changed since the last call of {@link #settle}. */
    public int changeCount() {
        return changeCount;
    }

    /** Number of a line that has changed. */
    public int change(int index) {
        return changes[index];
    }

    /** The copy elsewhere has all changes. */
    public void settle() {
        long[] marks = changedLines;
        for (int c = 0; marks != null && c < changeCount; c++) {
            marks[changes[c] >>> 6] = 0;
        }
        changeCount = 0;
    }

    /** Words in use or released for reuse. */
    public int size() {
        return size;
    }

    /** The memory; replaced when the arena grows. */
    public int[] words() {
        return words;
    }

    /** Bytes in use or released for reuse. */
    public long bytes() {
        return 4L * size;
    }

    /** The memory, cut to its size. */
    public int[] toArray() {
        return Arrays.copyOf(words, size);
    }
}
