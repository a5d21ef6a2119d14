package dev.sluice.engine.forest;

/**
 * The two words that lead to a node or leaf of a forest.
 *
 * <pre>
 * word 0   31 whether the node has a rest   30..0 offset of the child table, or of the leaf
 * word 1   31..14 bound: best position below, without its lowest bits
 *          13..9 shift   8..4 header word   3..0 width of the window, 0 for a leaf
 * </pre>
 */
final class DescriptorLayout {
    /** True if there is a rest, and the offset. */
    static final int TABLE = 0;

    /** Bound, shift, header word and width. */
    static final int NODE = 1;

    /** Size of a descriptor in words. */
    static final int WORDS = 2;

    /** Offset of the child table, or of the leaf. */
    static final int OFFSET_MASK = Integer.MAX_VALUE;

    /** The bit that says whether the node has a rest. */
    static final int REST_SHIFT = 31;

    static final int WIDTH_MASK = 0xf;
    static final int POSITION_SHIFT = 4;
    static final int SHIFT_SHIFT = 9;
    static final int BOUND_SHIFT = 14;

    /** Of a shift and of the position of a header word. */
    static final int FIVE_BITS = 0x1f;

    static final int BOUND_BITS = 32 - BOUND_SHIFT;

    /** Bound of what leads to nothing: never below any verdict. */
    static final int NO_RULE = (1 << BOUND_BITS) - 1;

    private DescriptorLayout() {}
}
