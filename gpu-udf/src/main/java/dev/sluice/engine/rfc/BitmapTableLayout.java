package dev.sluice.engine.rfc;

/**
 * Layout of a piece of a {@link BitmapTable}, in words.
 *
 * <pre>
 * piece  bitmap, 2^k / 32 words | elements of 16 or 32 bits | (last 32 bits: accessory address)
 * </pre>
 *
 * <p>The accessory address is there in pieces of more runs than elements.
 */
final class BitmapTableLayout {
    /** Elements of 16 bits whose place the accessory address takes. */
    static final int NARROW_TAKEN = 2;

    /** Elements of 32 bits whose place the accessory address takes. */
    static final int WIDE_TAKEN = 1;

    /** Log2 of the bits of a bitmap's word. */
    static final int WORD_BITS = 5;

    /** Elements of a piece that has an accessory address. */
    static int elementsLeft(int elements, boolean wide) {
        return elements - (wide ? WIDE_TAKEN : NARROW_TAKEN);
    }

    private BitmapTableLayout() {}
}
