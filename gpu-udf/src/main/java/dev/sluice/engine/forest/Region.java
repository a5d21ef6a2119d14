package dev.sluice.engine.forest;

import dev.sluice.schemas.header.Field;

/**
 * Known bits of all headers that reach a node: those of each header word, and the values of those
 * of the ports. Immutable.
 *
 * @param masks known bits a layout position
 * @param ports values of the known bits of the ports
 */
record Region(int[] masks, int ports) {
    private static final int HALF = 16;
    private static final int HALF_MASK = 0xffff;

    /** Of all headers. */
    static Region all(int words) {
        return new Region(new int[words], 0);
    }

    /**
     * The region of a child.
     *
     * @param ports layout position of the ports
     */
    Region child(Window window, int child, int ports) {
        int[] below = masks.clone();
        below[window.position()] |= window.mask() << window.shift();
        int value = window.position() == ports ? child << window.shift() : 0;
        return new Region(below, this.ports | value);
    }

    /** How many of the highest bits of a port are known. */
    static int knownBits(int portsMask, boolean source) {
        int half = source ? portsMask >>> HALF : portsMask & HALF_MASK;
        return Integer.numberOfLeadingZeros(~(half << HALF));
    }

    /** The lowest value that a port has here, as far as its highest bits tell. */
    int lowest(int portsMask, boolean source) {
        int bits = knownBits(portsMask, source);
        int value = (source ? Field.SRC_PORT : Field.DST_PORT).extract(ports);
        return bits == 0 ? 0 : value & HALF_MASK << HALF - bits & HALF_MASK;
    }
}
