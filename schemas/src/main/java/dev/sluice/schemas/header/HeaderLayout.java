package dev.sluice.schemas.header;

import java.util.Arrays;
import java.util.BitSet;
import java.util.stream.Collectors;

/**
 * Which words of a complete header a rule set looks at, in ascending order: its position in the
 * layout is a word's place in a {@link HeaderBatch}. Immutable.
 */
public final class HeaderLayout {
    private final int[] words;
    private final int bits;

    private HeaderLayout(int bits) {
        this.bits = bits;
        this.words = BitSet.valueOf(new long[] {bits & 0xffffffffL}).stream().toArray();
    }

    /**
     * The layout of the words whose bits are set.
     *
     * @param wordBits bit w set: {@link HeaderWord} w belongs to the layout
     */
    public static HeaderLayout ofWordBits(int wordBits) {
        if (wordBits >>> HeaderWord.COUNT != 0) {
            throw new IllegalArgumentException(
                    "word bits 0x%x name words beyond %d"
                            .formatted(wordBits, HeaderWord.COUNT - 1));
        }
        return new HeaderLayout(wordBits);
    }

    /** The layout of these words. */
    public static HeaderLayout of(int... words) {
        return ofWordBits(Arrays.stream(words).map(w -> 1 << w).reduce(0, (a, b) -> a | b));
    }

    /** All words of a header. */
    public static HeaderLayout complete() {
        return ofWordBits((1 << HeaderWord.COUNT) - 1);
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
        return (bits >>> word & 1) == 0 ? -1 : Integer.bitCount(bits & ((1 << word) - 1));
    }

    /** Bit w set: the layout holds {@link HeaderWord} w. */
    public int wordBits() {
        return bits;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof HeaderLayout that && that.bits == bits;
    }

    @Override
    public int hashCode() {
        return bits;
    }

    @Override
    public String toString() {
        return Arrays.stream(words)
                .mapToObj(Integer::toString)
                .collect(Collectors.joining(",", "words[", "]"));
    }
}
