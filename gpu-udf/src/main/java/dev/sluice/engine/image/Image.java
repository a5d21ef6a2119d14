package dev.sluice.engine.image;

import dev.sluice.schemas.header.HeaderLayout;
import java.util.Arrays;

/**
 * A compiled rule set: flat memory of 32-bit words that holds no address, only word offsets from
 * its start, so that the same bytes serve any backend. Immutable by agreement after {@link #seal}.
 */
public final class Image {
    private final int[] words;
    private final HeaderLayout layout;

    private Image(int[] words) {
        this.words = words;
        this.layout = ImageLayout.layout(words);
    }

    /**
     * Completes an image's header and takes over its memory.
     *
     * @param words the image, its first {@link ImageLayout#BODY_AT} words left for the header
     * @param algorithm code of the algorithm that reads it
     */
    public static Image seal(int[] words, int algorithm, HeaderLayout layout, int rules) {
        words[ImageLayout.MAGIC_AT] = ImageLayout.MAGIC;
        words[ImageLayout.FORMAT_AT] = ImageLayout.FORMAT;
        words[ImageLayout.ALGORITHM_AT] = algorithm;
        words[ImageLayout.LAYOUT_AT] = (int) layout.wordBits();
        words[ImageLayout.LAYOUT_HIGH_AT] = (int) (layout.wordBits() >>> 32);
        words[ImageLayout.RULES_AT] = rules;
        words[ImageLayout.WORDS_AT] = words.length;
        words[ImageLayout.CHECKSUM_AT] = checksum(words);
        return new Image(words);
    }

    /**
     * An image from memory that was written elsewhere.
     *
     * @throws IllegalArgumentException if it is no image, of another format, cut or damaged
     */
    public static Image open(int[] words) {
        if (words.length < ImageLayout.BODY_AT
                || words[ImageLayout.MAGIC_AT] != ImageLayout.MAGIC) {
            throw new IllegalArgumentException(
                    "not an image: it lacks the mark SLUI; compile the rules again");
        }
        if (words[ImageLayout.FORMAT_AT] != ImageLayout.FORMAT) {
            throw new IllegalArgumentException(
                    "image format "
                            + words[ImageLayout.FORMAT_AT]
                            + " where "
                            + ImageLayout.FORMAT
                            + " is read; compile the rules again");
        }
        if (words[ImageLayout.WORDS_AT] != words.length
                || words[ImageLayout.CHECKSUM_AT] != checksum(words)) {
            throw new IllegalArgumentException(
                    "the image is cut or damaged; compile the rules again");
        }
        return new Image(words);
    }

    /**
     * A copy of an image that lies within this one.
     *
     * @param at offset of its first word
     * @throws IllegalArgumentException if there is none
     */
    public Image within(int at) {
        return open(Arrays.copyOfRange(words, at, at + words[at + ImageLayout.WORDS_AT]));
    }

    private static int checksum(int[] words) {
        int h = 1;
        for (int i = ImageLayout.OWN_AT; i < words.length; i++) {
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
        return words[ImageLayout.ALGORITHM_AT];
    }

    /** Header words that look-ups need. */
    public HeaderLayout layout() {
        return layout;
    }

    /** Number of rules. */
    public int rules() {
        return words[ImageLayout.RULES_AT];
    }

    /** Size in bytes. */
    public long bytes() {
        return 4L * words.length;
    }
}
