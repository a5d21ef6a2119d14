package dev.sluice.engine.forest;

/**
 * Adjacent bits of a header word, by which a node chooses a child.
 *
 * @param position layout position of the word
 * @param shift bits to the right of the window
 * @param width its bits
 */
record Window(int position, int shift, int width) {
    /** Most bits of a window. */
    static final int MAX_WIDTH = 10;

    /** The window's bits, without those to their right. */
    int mask() {
        return (1 << width) - 1;
    }

    /** Number of children. */
    int children() {
        return 1 << width;
    }

    /** The window without its lowest bit. */
    Window narrower() {
        return new Window(position, shift + 1, width - 1);
    }
}
