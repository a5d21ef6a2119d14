package dev.sluice.engine.bitvector;

import dev.sluice.engine.image.ImageLayout;

/**
 * Layout of an image of bitvectors, in words.
 *
 * <pre>
 * own words   records of the fields | their number | 64-bit words of a bitvector
 * field       position | shift | bits | ranges | lower bounds | upper bounds | bitvectors | 0
 * bounds      one of 32 bits, two of 16 or four of 8 in a word, lowest first
 * bitvector   a bit each 64-bit word that is not 0 | the 64-bit words, lower half first
 * </pre>
 */
final class BitvectorLayout {
    /** Offset of the fields' records. */
    static final int FIELDS_AT = ImageLayout.OWN_AT;

    static final int COUNT_AT = ImageLayout.OWN_AT + 1;

    /** 64-bit words of a bitvector. */
    static final int VECTOR_WORDS_AT = ImageLayout.OWN_AT + 2;

    /** Position of the field's word in the image's header layout. */
    static final int POSITION = 0;

    static final int SHIFT = 1;
    static final int BITS = 2;

    /** Number of disjoint ranges. */
    static final int RANGES = 3;

    /** Offset of the ranges' lower bounds. */
    static final int LOWS = 4;

    /** Offset of the ranges' upper bounds. */
    static final int HIGHS = 5;

    /** Offset of the ranges' bitvectors. */
    static final int VECTORS = 6;

    /** Size of a field's record in words. */
    static final int RECORD = 8;

    /** Fields that rules can name, at most. */
    static final int MOST_FIELDS = 32;

    /** 64-bit words of a bitvector for which one word says whether they are 0. */
    static final int AGGREGATED = 32;

    /** 32-bit words of one of a bitvector's words. */
    static final int VECTOR_WORD = 2;

    /** Number of words of the bits that tell which words of a bitvector are not 0. */
    static int aggregateWords(int vectorWords) {
        return (vectorWords + AGGREGATED - 1) / AGGREGATED;
    }

    /**
     * Size of a range's bitvector in words, with the bits that tell which of its words are not 0.
     */
    static int rangeWords(int vectorWords) {
        return aggregateWords(vectorWords) + VECTOR_WORD * vectorWords;
    }

    private BitvectorLayout() {}
}
