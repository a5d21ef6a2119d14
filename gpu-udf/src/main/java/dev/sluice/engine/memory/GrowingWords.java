package dev.sluice.engine.memory;

import org.jspecify.annotations.Nullable;

/**
 * Words that one writer adds to, and of which one reader keeps a copy elsewhere. Who looks into the
 * words, or into the copy, finds nothing wrong where it sees a later state of some of them: so
 * reader and writer need no lock.
 *
 * <p>The writer notes the runs of words that it writes ({@link #written}) and makes them known,
 * with the array that has them ({@link #publish}). The reader reads {@link #end}, then {@link
 * #size}, then {@link #words}: the array has all runs before the end. It takes these runs and reads
 * their words, which may be newer; what was written since comes with a later run, too.
 *
 * <p>Runs that were taken are garbage. Where nobody takes any, 8 bytes a run are kept.
 */
public final class GrowingWords {
    private static final int CHUNK_RUNS = 1022;

    private static final class Chunk {
        final long[] runs = new long[CHUNK_RUNS];

        /** Written before the end passes this chunk. */
        @Nullable Chunk next;
    }

    // The writer's.
    private Chunk tail = new Chunk();
    private int filled;
    private long added;

    /** Offset behind the last run, while that may still become longer. */
    private int openEnd = -1;

    // Published, the end last.
    private volatile int[] words;
    private int size;
    private volatile long end;

    // The reader's.
    private Chunk head = tail;
    private int read;
    private long taken;

    /** Words as they are now, of which nobody has a copy. */
    public GrowingWords(int[] words, int size) {
        this.words = words;
        this.size = size;
    }

    /** Notes a run, to be called by the writer after it wrote the words. */
    public void written(int at, int count) {
        if (at == openEnd) {
            tail.runs[filled - 1] += count;
            openEnd += count;
            return;
        }
        if (filled == CHUNK_RUNS) {
            Chunk more = new Chunk();
            tail.next = more;
            tail = more;
            filled = 0;
        }
        tail.runs[filled++] = (long) at << 32 | count;
        openEnd = at + count;
        added++;
    }

    /**
     * Makes known what was written; to be called by the writer.
     *
     * @param array has all words
     * @param used words in use; those behind are 0
     */
    @SuppressWarnings("ReferenceEquality") // another array, whatever it holds
    public void publish(int[] array, int used) {
        if (words != array) {
            words = array;
        }
        size = used;
        openEnd = -1;
        end = added;
    }

    /** Number of runs that are known. */
    public long end() {
        return end;
    }

    /** Words in use: no run before an end that was read before lies behind them. */
    public int size() {
        return size;
    }

    /** The words, to be read after {@link #size}; another array after they have grown. */
    public int[] words() {
        return words;
    }

    /** Number of runs that the reader took. */
    public long taken() {
        return taken;
    }

    /**
     * The next run; to be called by the reader while {@link #taken} is less than an {@link #end}.
     *
     * @return offset of the first word in the upper 32 bits, number of words in the lower ones
     */
    public long take() {
        if (read == CHUNK_RUNS) {
            Chunk next = head.next;
            if (next == null) {
                throw new IllegalStateException("no run is known behind the one taken last");
            }
            head = next;
            read = 0;
        }
        taken++;
        return head.runs[read++];
    }

    /** Takes all runs that are known: the reader copies the whole. */
    public void takeAll() {
        for (long known = end; taken < known; ) {
            take();
        }
    }
}
