package dev.sluice.engine.lookup;

import dev.sluice.schemas.header.HeaderBatch;
import java.nio.IntBuffer;

/**
 * Pinned memory that the headers of one batch are written to directly, without a copy in the heap;
 * then the batch is submitted or dropped, once: afterwards this may be another batch's. Not
 * thread-safe, but may go from thread to thread.
 */
public interface StagedHeaders {
    /** The memory: word w of header i at w * {@link #stride} + i. */
    IntBuffer words();

    /** Distance of two words of a header: also the most headers. */
    int stride();

    /**
     * Starts on the headers. The memory is given back when the verdicts are there.
     *
     * @param count headers that were written
     * @param spare takes the headers where the CPU has to answer
     */
    PendingVerdicts submit(int count, HeaderBatch spare, VerdictBatch verdicts);

    /** Gives the memory back without a look-up. */
    void drop();
}
