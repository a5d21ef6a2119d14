package dev.sluice.engine.lookup;

/**
 * Layout of a block's shared memory, in words.
 *
 * <pre>
 * look-ups      first word of each thread's header | second word of each | ... | then each
 *               thread's notes, if its look-up makes some, in the same order
 * paper_linear  so many rules of a rule table
 * paper_tuple   cells of a tuple | their first rows | the tuple's filter
 * </pre>
 */
public final class SharedMemoryLayout {
    /** Threads of a block, and distance of two words of a header. */
    public static final int THREADS = 256;

    /** Rules that a block of the papers' linear search copies. */
    public static final int PAPER_RULES = 128;

    /** Largest part of a tuple that a block of the papers' tuple search copies, in words. */
    public static final int PAPER_TUPLE_WORDS = 11_264;

    private SharedMemoryLayout() {}
}
