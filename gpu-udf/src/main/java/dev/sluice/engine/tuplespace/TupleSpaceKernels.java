package dev.sluice.engine.tuplespace;

import dev.sluice.engine.image.Image;
import dev.sluice.engine.lookup.Kernel;
import dev.sluice.engine.lookup.LaunchShape;

/** Kernels that several algorithms over tuple tables share. */
public final class TupleSpaceKernels {
    /** Searches the tables of an image in order. */
    public static final String TUPLE = "classify_tuple";

    /** Searches the tables of a memory that changes. */
    public static final String LIVE_TUPLE = "live_tuple";

    /** Words of a table that a block of the papers' kernels copies to shared memory. */
    private static final int PAPER_TABLE_WORDS = 11_264;

    private TupleSpaceKernels() {}

    /** A kernel as the papers have it: each block searches one table for its headers. */
    public static Kernel ofPaper(String name) {
        return Kernel.ofPaper(name, TupleSpaceKernels::aBlockATable);
    }

    private static LaunchShape aBlockATable(Image image) {
        return new LaunchShape(
                LaunchShape.THREADS,
                LaunchShape.THREADS,
                Math.max(1, image.words()[TupleSpaceLayout.CLASSES_AT]),
                4 * PAPER_TABLE_WORDS,
                true);
    }
}
