package dev.sluice.engine.rfc;

import dev.sluice.engine.image.Image;

/** Own words of an RFC image, and the words of a step's record. */
public final class RfcLayout {
    /** Offset of the step records. */
    public static final int STEPS_AT = Image.OWN_AT;

    /** Number of steps. */
    public static final int COUNT_AT = Image.OWN_AT + 1;

    /** Words of a step's record. */
    public static final int RECORD = 16;

    /** {@link #CHUNK} or number of inputs. */
    public static final int KIND = 0;

    /** {@link #PLAIN_16}, {@link #PLAIN_32} or {@link #BITMAP}. */
    public static final int MODE = 1;

    public static final int TABLE = 2;

    // A chunk: position in the layout, -1 for an empty one; the lower run; the upper run.
    public static final int POSITION = 3;
    public static final int SHIFT = 4;
    public static final int MASK = 5;
    public static final int UPPER_SHIFT = 6;
    public static final int UPPER_MASK = 7;
    public static final int LOWER_BITS = 8;

    /** A chunk below an earlier table: that table's step + 1, else 0. */
    public static final int ABOVE = 9;

    // A combination: step and stride of each input.
    public static final int INPUTS = 3;

    // A bitmap table.
    public static final int PIECE_BITS = 10;
    public static final int PIECE_WORDS = 11;
    public static final int ELEMENTS = 12;
    public static final int WIDE = 13;
    public static final int ACCESSORY = 14;

    public static final int CHUNK = 0;
    public static final int PLAIN_16 = 0;
    public static final int PLAIN_32 = 1;
    public static final int BITMAP = 2;

    private RfcLayout() {}
}
