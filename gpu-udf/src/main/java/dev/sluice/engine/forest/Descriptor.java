package dev.sluice.engine.forest;

import dev.sluice.engine.image.WordWriter;

/**
 * The two words that lead to a node or leaf, as one long while building.
 *
 * <pre>
 * word 0   offset of the child table, or of the leaf
 * word 1   31..14 bound: best position below, without its lowest bits
 *          13..9 shift   8..4 header word   3..0 width of the window, 0 for a leaf
 * </pre>
 */
final class Descriptor {
    static final int WIDTH_MASK = 0xf;
    static final int POSITION_SHIFT = 4;
    static final int SHIFT_SHIFT = 9;
    static final int BOUND_SHIFT = 14;
    static final int FIVE_BITS = 0x1f;

    private static final int BOUND_BITS = 32 - BOUND_SHIFT;

    /** Bound of what leads to nothing: never below any verdict. */
    static final int NO_RULE = (1 << BOUND_BITS) - 1;

    /** Leads to nothing: its bound is never below any verdict. */
    static final long EMPTY = (long) NO_RULE << BOUND_SHIFT;

    private Descriptor() {}

    /** How far positions are shifted so that they fit a bound, {@link #EMPTY}'s kept free. */
    static int boundShift(int rules) {
        return Math.max(
                0, 32 - Integer.numberOfLeadingZeros(Math.max(1, rules)) - (BOUND_BITS - 1));
    }

    static long leaf(int offset, int bound) {
        return (long) offset << 32 | (long) bound << BOUND_SHIFT;
    }

    static long node(int table, int bound, int shift, int position, int width) {
        return bound == NO_RULE
                ? EMPTY
                : (long) table << 32
                        | (long) bound << BOUND_SHIFT
                        | (long) shift << SHIFT_SHIFT
                        | (long) position << POSITION_SHIFT
                        | width;
    }

    /** The descriptor at an offset of an image. */
    static long at(int[] words, int offset) {
        return (long) words[offset] << 32 | words[offset + 1] & 0xffffffffL;
    }

    /** Offset of the child table, or of the leaf. */
    static int offset(long descriptor) {
        return (int) (descriptor >>> 32);
    }

    static int width(long descriptor) {
        return (int) descriptor & WIDTH_MASK;
    }

    static int position(long descriptor) {
        return (int) descriptor >>> POSITION_SHIFT & FIVE_BITS;
    }

    static int shift(long descriptor) {
        return (int) descriptor >>> SHIFT_SHIFT & FIVE_BITS;
    }

    static int bound(long descriptor) {
        return (int) descriptor >>> BOUND_SHIFT;
    }

    static void write(WordWriter out, int at, long descriptor) {
        out.set(at, (int) (descriptor >>> 32));
        out.set(at + 1, (int) descriptor);
    }
}
