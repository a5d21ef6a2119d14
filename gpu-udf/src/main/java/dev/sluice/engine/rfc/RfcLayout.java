package dev.sluice.engine.rfc;

import dev.sluice.engine.image.ImageLayout;
import dev.sluice.schemas.header.HeaderLayout;

/**
 * Own words of an RFC image, and the words of a step's record.
 *
 * <pre>
 * own words    records of the steps | their number
 * chunk        kind 0 | mode | table | position | shift | mask | upper shift | upper mask
 *              | bits of the lower run | step above + 1, 0 without | form of the pieces
 * combination  kind 1 to 3 | mode | table | step, stride of each input | 0 | form of the pieces
 * pieces       log2 of their entries | words | elements | 1 if elements have 32 bits | accessory
 * </pre>
 *
 * <p>A step's entry of the last table is a position + 1, 0 for none; those of the others are
 * classes.
 */
public final class RfcLayout {
    /** Offset of the step records. */
    public static final int STEPS_AT = ImageLayout.OWN_AT;

    /** Number of steps. */
    public static final int COUNT_AT = ImageLayout.OWN_AT + 1;

    /** Size of a step's record in words. */
    public static final int RECORD = 16;

    /**
     * Steps of an image, at most: two chunks a header word, and as many that combine them, less
     * one.
     */
    static final int MOST_STEPS = 4 * HeaderLayout.MOST_WORDS;

    /** {@link #CHUNK} or number of inputs. */
    public static final int KIND = 0;

    /** {@link #PLAIN_16}, {@link #PLAIN_32} or {@link #BITMAP}. */
    public static final int MODE = 1;

    /** Offset of the table, or of the first of its pieces. */
    public static final int TABLE = 2;

    // A chunk: position in the layout; the lower run; the upper run.
    /** Position of the word in the layout, {@link #NO_POSITION} for an empty chunk. */
    public static final int POSITION = 3;

    public static final int SHIFT = 4;
    public static final int MASK = 5;
    public static final int UPPER_SHIFT = 6;
    public static final int UPPER_MASK = 7;
    public static final int LOWER_BITS = 8;

    /** A chunk below an earlier table: that table's step + 1, else 0. */
    public static final int ABOVE = 9;

    // A combination: step and stride of each input; the last one's stride is 1.
    /** First of the inputs. */
    public static final int INPUTS = 3;

    /** Size of an input in words. */
    public static final int INPUT = 2;

    public static final int FIRST_STEP = INPUTS;
    public static final int FIRST_STRIDE = INPUTS + 1;
    public static final int SECOND_STEP = INPUTS + INPUT;
    public static final int SECOND_STRIDE = INPUTS + INPUT + 1;
    public static final int THIRD_STEP = INPUTS + 2 * INPUT;

    // A table in pieces.
    /** Log2 of the entries of a piece. */
    public static final int PIECE_BITS = 10;

    public static final int PIECE_WORDS = 11;

    /** Values that fit behind a piece's bitmap. */
    public static final int ELEMENTS = 12;

    /** 1 if elements have 32 bits, 0 if they have 16. */
    public static final int WIDE = 13;

    /** Offset of the accessory table. */
    public static final int ACCESSORY = 14;

    // Kinds.
    public static final int CHUNK = 0;
    public static final int ONE_INPUT = 1;
    public static final int TWO_INPUTS = 2;
    public static final int THREE_INPUTS = 3;

    // Modes.
    public static final int PLAIN_16 = 0;
    public static final int PLAIN_32 = 1;
    public static final int BITMAP = 2;

    public static final int NO_POSITION = -1;

    private RfcLayout() {}
}
