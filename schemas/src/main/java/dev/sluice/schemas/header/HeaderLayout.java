package dev.sluice.schemas.header;

import java.util.Arrays;
import java.util.stream.Collectors;

/**
 * Header words that a rule set looks at, in ascending order: its position in the layout is a word's
 * place in a {@link HeaderBatch}. Immutable.
 */
public final class HeaderLayout {
    /** Most header words that one rule set looks at. */
    public static final int MOST_WORDS = 32;

    private final int[] words;
    private final long bits;

    private HeaderLayout(long bits) {
        this.bits = bits;
        this.words = HeaderWord.words(bits);
    }

    /**
     * The layout of the words whose bits are set.
     *
     * @param wordBits bit w set: {@link HeaderWord} w belongs to the layout
     */
    public static HeaderLayout ofWordBits(long wordBits) {
        if ((wordBits & ~HeaderWord.ALL) != 0) {
            throw new IllegalArgumentException(
                    "word bits 0x%x name words beyond %d"
                            .formatted(wordBits, HeaderWord.COUNT - 1));
        }
        return new HeaderLayout(wordBits);
    }

    /**
     * The layout of a rule set.
     *
     * @param wordBits bit w set: some rule looks at {@link HeaderWord} w
     * @throws IllegalArgumentException if they are more than {@link #MOST_WORDS}
     */
    public static HeaderLayout ofRules(long wordBits) {
        int count = Long.bitCount(wordBits);
        if (count > MOST_WORDS) {
            throw new IllegalArgumentException(
                    "the rules look at %d header words of 32 bits, at most %d fit into one rule set: leave out the rules on some of the fields %s"
                            .formatted(count, MOST_WORDS, Field.labels(wordBits)));
        }
        return ofWordBits(wordBits);
    }

    /** The layout of these words. */
    public static HeaderLayout of(int... words) {
        return ofWordBits(
                Arrays.stream(words).mapToLong(w -> HeaderWord.bit(w)).reduce(0, (a, b) -> a | b));
    }

    /** All words of a header. */
    public static HeaderLayout complete() {
        return ofWordBits(HeaderWord.ALL);
    }

    /** Number of 32-bit words a header takes. */
    public int size() {
        return words.length;
    }

    /** The {@link HeaderWord} at a position. */
    public int word(int position) {
        return words[position];
    }

    /** Position of a {@link HeaderWord}, or -1 where the layout does not hold it. */
    public int position(int word) {
        return (bits >>> word & 1) == 0 ? -1 : Long.bitCount(bits & HeaderWord.bit(word) - 1);
    }

    /** Bit w set: the layout holds {@link HeaderWord} w. */
    public long wordBits() {
        return bits;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof HeaderLayout that && that.bits == bits;
    }

    @Override
    public int hashCode() {
        return Long.hashCode(bits);
    }

    @Override
    public String toString() {
        return Arrays.stream(words)
                .mapToObj(Integer::toString)
                .collect(Collectors.joining(",", "words[", "]"));
    }
}
