package dev.sluice.engine.memory;

import org.jspecify.annotations.Nullable;

/**
 * Runs of words that were written to a memory, in order, for one who keeps a copy of it elsewhere.
 *
 * <p>One writer adds runs and then makes them known by {@link #publish}; one reader takes them, as
 * far as they are known. The two need no lock: what the writer wrote to the memory before {@link
 * #publish} is seen by who reads {@link #end} after. Chunks that were read are garbage, so a reader
 * that takes nothing lets the log grow by 8 bytes a run.
 */
public final class WrittenRuns {
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

    private volatile long end;

    // The reader's.
    private Chunk head = tail;
    private int read;
    private long taken;

    /** Adds a run, to be called by the writer after it wrote the words. */
    public void add(int at, int count) {
        if (filled == CHUNK_RUNS) {
            Chunk more = new Chunk();
            tail.next = more;
            tail = more;
            filled = 0;
        }
        tail.runs[filled++] = (long) at << 32 | count;
        added++;
    }

    /** Makes the runs that were added known; to be called by the writer. */
    public void publish() {
        end = added;
    }

    /** Number of runs that are known. */
    public long end() {
        return end;
    }

    /** Number of runs that {@link #take} has returned; to be called by the reader. */
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
}
