package dev.sluice.engine.forest;

import dev.sluice.engine.image.WordWriter;

/**
 * The two words that lead to a node or leaf ({@link DescriptorLayout}), as one long while building.
 */
final class Descriptor {
    /** Leads to nothing: its bound is never below any verdict. */
    static final long EMPTY = (long) DescriptorLayout.NO_RULE << DescriptorLayout.BOUND_SHIFT;

    private Descriptor() {}

    /** How far positions are shifted so that they fit a bound, {@link #EMPTY}'s kept free. */
    static int boundShift(int rules) {
        return Math.max(
                0,
                32
                        - Integer.numberOfLeadingZeros(Math.max(1, rules))
                        - (DescriptorLayout.BOUND_BITS - 1));
    }

    static long leaf(int offset, int bound) {
        return (long) offset << 32 | (long) bound << DescriptorLayout.BOUND_SHIFT;
    }

    static long node(int table, boolean rest, int bound, Window window) {
        return bound == DescriptorLayout.NO_RULE
                ? EMPTY
                : (long) (rest ? table | 1 << DescriptorLayout.REST_SHIFT : table) << 32
                        | (long) bound << DescriptorLayout.BOUND_SHIFT
                        | (long) window.shift() << DescriptorLayout.SHIFT_SHIFT
                        | (long) window.position() << DescriptorLayout.POSITION_SHIFT
                        | window.width();
    }

    /** The descriptor at an offset of an image. */
    static long at(int[] words, int offset) {
        return (long) words[offset + DescriptorLayout.TABLE] << 32
                | words[offset + DescriptorLayout.NODE] & 0xffffffffL;
    }

    /** Offset of the child table, or of the leaf. */
    static int offset(long descriptor) {
        return (int) (descriptor >>> 32) & DescriptorLayout.OFFSET_MASK;
    }

    /** Returns whether the node has a rest. */
    static boolean hasRest(long descriptor) {
        return descriptor < 0;
    }

    static boolean isLeaf(long descriptor) {
        return ((int) descriptor & DescriptorLayout.WIDTH_MASK) == 0;
    }

    static Window window(long descriptor) {
        int node = (int) descriptor;
        return new Window(
                node >>> DescriptorLayout.POSITION_SHIFT & DescriptorLayout.FIVE_BITS,
                node >>> DescriptorLayout.SHIFT_SHIFT & DescriptorLayout.FIVE_BITS,
                node & DescriptorLayout.WIDTH_MASK);
    }

    static int bound(long descriptor) {
        return (int) descriptor >>> DescriptorLayout.BOUND_SHIFT;
    }

    static void write(WordWriter out, int at, long descriptor) {
        out.set(at + DescriptorLayout.TABLE, (int) (descriptor >>> 32));
        out.set(at + DescriptorLayout.NODE, (int) descriptor);
    }
}
