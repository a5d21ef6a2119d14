package dev.sluice.engine.image;

import dev.sluice.schemas.header.HeaderLayout;

/**
 * Layout of the head of every image, in words. What lies behind it is the algorithm's.
 *
 * <pre>
 *  word 0  magic "SLUI"        4  rules              8..15  algorithm's own
 *       1  format version      5  words in all
 *       2  algorithm code      6  checksum of words 8 to the end
 *       3  header words 0..31  7  header words 32..63
 * </pre>
 */
public final class ImageLayout {
    /** "SLUI". */
    static final int MAGIC = 0x49554c53;

    static final int FORMAT = 2;

    static final int MAGIC_AT = 0;
    static final int FORMAT_AT = 1;

    /** Code of the algorithm that reads the image. */
    public static final int ALGORITHM_AT = 2;

    /** Header words 0 to 31 that look-ups need, a bit each. */
    public static final int LAYOUT_AT = 3;

    static final int RULES_AT = 4;
    static final int WORDS_AT = 5;
    static final int CHECKSUM_AT = 6;

    /** Header words 32 to 63 that look-ups need, a bit each. */
    public static final int LAYOUT_HIGH_AT = 7;

    /** First of the words that each algorithm uses as it likes. */
    public static final int OWN_AT = 8;

    /** Number of those words. */
    static final int OWN_WORDS = 8;

    /** First word behind the head. */
    public static final int BODY_AT = OWN_AT + OWN_WORDS;

    private ImageLayout() {}

    /** The layout that the head of an image states. */
    public static HeaderLayout layout(int[] words) {
        return HeaderLayout.ofWordBits(
                (long) words[LAYOUT_HIGH_AT] << 32 | words[LAYOUT_AT] & 0xffffffffL);
    }
}
