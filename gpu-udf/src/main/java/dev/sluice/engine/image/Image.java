package dev.sluice.engine.image;

import dev.sluice.schemas.header.HeaderLayout;

/**
 * A compiled rule set: flat memory of 32-bit words that holds no address, only word offsets from
 * its start, so that the same bytes serve any backend. Immutable by agreement after {@link #seal}.
 */
public final class Image {
    /** "SLUI". */
    static final int MAGIC = 0x49554c53;

    static final int FORMAT = 2;

    private static final int MAGIC_AT = 0;
    private static final int FORMAT_AT = 1;
    private static final int ALGORITHM_AT = 2;

    /** Word bits of the layout. */
    public static final int LAYOUT_AT = 3;

    private static final int RULES_AT = 4;
    private static final int WORDS_AT = 5;
    private static final int CHECKSUM_AT = 6;

    /** First of eight words that each algorithm uses as it likes. */
    public static final int OWN_AT = 8;

    /** First word behind the image header. */
    public static final int BODY_AT = 16;

    private final int[] words;
    private final HeaderLayout layout;

    private Image(int[] words) {
        this.words = words;
        this.layout = HeaderLayout.ofWordBits(words[LAYOUT_AT]);
    }

    /**
     * Completes an image's header and takes over its memory.
     *
     * @param words the image, its first {@link #BODY_AT} words left for the header
     * @param algorithm code of the algorithm that reads it
     */
    public static Image seal(int[] words, int algorithm, HeaderLayout layout, int rules) {
        words[MAGIC_AT] = MAGIC;
        words[FORMAT_AT] = FORMAT;
        words[ALGORITHM_AT] = algorithm;
        words[LAYOUT_AT] = layout.wordBits();
        words[RULES_AT] = rules;
        words[WORDS_AT] = words.length;
        words[CHECKSUM_AT] = checksum(words);
        return new Image(words);
    }

    /**
     * An image from memory that was written elsewhere.
     *
     * @throws IllegalArgumentException if it is no image, of another format, cut or damaged
     */
    public static Image open(int[] words) {
        if (words.length < BODY_AT || words[MAGIC_AT] != MAGIC) {
            throw new IllegalArgumentException(
                    "not an image: it lacks the mark SLUI; compile the rules again");
        }
        if (words[FORMAT_AT] != FORMAT) {
            throw new IllegalArgumentException(
                    "image format "
                            + words[FORMAT_AT]
                            + " where "
                            + FORMAT
                            + " is read; compile the rules again");
        }
        if (words[WORDS_AT] != words.length || words[CHECKSUM_AT] != checksum(words)) {
            throw new IllegalArgumentException(
                    "the image is cut or damaged; compile the rules again");
        }
        return new Image(words);
    }

    private static int checksum(int[] words) {
        int h = 1;
        for (int i = OWN_AT; i < words.length; i++) {
            h = h * 31 + words[i];
        }
        return h;
    }

    /** The memory. Do not change. */
    public int[] words() {
        return words;
    }

    /** Code of the algorithm that reads the image. */
    public int algorithm() {
        return words[ALGORITHM_AT];
    }

    /** Header words that look-ups need. */
    public HeaderLayout layout() {
        return layout;
    }

    /** Number of rules. */
    public int rules() {
        return words[RULES_AT];
    }

    /** Size in bytes. */
    public long bytes() {
        return 4L * words.length;
    }
}
