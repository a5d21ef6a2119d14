package dev.sluice.engine.tuplespace;

import dev.sluice.engine.image.Image;
import dev.sluice.engine.lookup.Kernel;
import dev.sluice.engine.lookup.LaunchShape;
import dev.sluice.engine.lookup.SharedMemoryLayout;

/** Kernels that several algorithms over tuple tables share. */
public final class TupleSpaceKernels {
    /** Searches the tables of an image in order. */
    public static final String TUPLE = "classify_tuple";

    private TupleSpaceKernels() {}

    /** A kernel as the papers have it: each block searches one table for its headers. */
    public static Kernel ofPaper(String name) {
        return Kernel.ofPaper(name, TupleSpaceKernels::aBlockATuple);
    }

    private static LaunchShape aBlockATuple(Image image) {
        return new LaunchShape(
                SharedMemoryLayout.THREADS,
                SharedMemoryLayout.THREADS,
                Math.max(1, image.words()[TupleSpaceLayout.TUPLES_AT]),
                4 * SharedMemoryLayout.PAPER_TUPLE_WORDS,
                true);
    }
}
