package dev.sluice.engine.rfc;

import dev.sluice.engine.image.Image;

/** Own words of an RFC image, and the words of a step's record. */
final class RfcLayout {
    /** Offset of the step records. */
    static final int STEPS_AT = Image.OWN_AT;

    /** Number of steps. */
    static final int COUNT_AT = Image.OWN_AT + 1;

    /** Words of a step's record. */
    static final int RECORD = 16;

    /** {@link #CHUNK} or number of inputs. */
    static final int KIND = 0;

    /** {@link #PLAIN_16}, {@link #PLAIN_32} or {@link #BITMAP}. */
    static final int MODE = 1;

    static final int TABLE = 2;

    // A chunk: position in the layout, -1 for an empty one; the lower run; the upper run.
    static final int POSITION = 3;
    static final int SHIFT = 4;
    static final int MASK = 5;
    static final int UPPER_SHIFT = 6;
    static final int UPPER_MASK = 7;
    static final int LOWER_BITS = 8;

    /** A chunk below an earlier table: that table's step + 1, else 0. */
    static final int ABOVE = 9;

    // A combination: step and stride of each input.
    static final int INPUTS = 3;

    // A bitmap table.
    static final int PIECE_BITS = 10;
    static final int PIECE_WORDS = 11;
    static final int ELEMENTS = 12;
    static final int WIDE = 13;
    static final int ACCESSORY = 14;

    static final int CHUNK = 0;
    static final int PLAIN_16 = 0;
    static final int PLAIN_32 = 1;
    static final int BITMAP = 2;

    private RfcLayout() {}
}
