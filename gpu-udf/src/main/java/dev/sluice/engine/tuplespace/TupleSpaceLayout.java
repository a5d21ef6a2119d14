package dev.sluice.engine.tuplespace;

import dev.sluice.engine.image.HashMultipliers;
import dev.sluice.engine.image.ImageLayout;

/**
 * Layout of an image of tuples in words: own words, a rule's row, a tuple's record, its cuckoo
 * table.
 *
 * <pre>
 * own words   rows | words a row | position of the ports | order | tuples | extra
 * order       (best rank or better, record) each tuple, best first
 * row         rank | next row of the same key + 1 | offset of the mask | position of the word that
 *             is looked at first | its value | source ports | destination ports | its mask
 *             | values, one each header word
 * mask        one word each header word, 0 behind them up to a multiple of four
 * record      cells | depth | seed | three (a, b) | stash | stashed | filter | log2 of its bits
 *             | its seed, or lists | best rank | terms | (position, mask) each term
 * cells       3 subtables of depth (digest, first row + 1)
 * stash       (digest, first row + 1) each key that found no cell
 * </pre>
 *
 * <p>Rows and masks start at multiples of four words, pairs at multiples of two, so that each is
 * one load of a GPU. The first 32 bytes of a row tell of most rules that they do not match. A slot
 * is the number of a row.
 */
public final class TupleSpaceLayout {
    /** Offset of the rows. */
    public static final int ROWS_AT = ImageLayout.OWN_AT;

    /** Size of a row in words. */
    public static final int STRIDE_AT = ImageLayout.OWN_AT + 1;

    /** Position of the ports in the layout, -1 where it lacks them. */
    public static final int PORTS_AT = ImageLayout.OWN_AT + 2;

    /** Offset of the tuples in the order of their best rank. */
    public static final int ORDER_AT = ImageLayout.OWN_AT + 3;

    /** Number of tuples. */
    public static final int TUPLES_AT = ImageLayout.OWN_AT + 4;

    /** First of three words for the algorithm that uses the tuples. */
    public static final int EXTRA_AT = ImageLayout.OWN_AT + 5;

    // The order.
    /** Best rank of the tuple or better. */
    public static final int ORDER_BEST = 0;

    /** Offset of the tuple's record. */
    public static final int ORDER_RECORD = 1;

    /** Size of a tuple in the order in words. */
    public static final int ORDER_ENTRY = 2;

    // A row.
    public static final int RANK = 0;

    /** Next row of the same key + 1, 0 in the last. */
    public static final int NEXT = 1;

    /** Offset of the mask. */
    public static final int MASK = 2;

    /** Position of the word that has the most bits that the tuple does not name. */
    public static final int CHECK = 3;

    public static final int CHECK_VALUE = 4;

    /** Range of source ports, as a rule table has it. */
    public static final int SRC_PORTS = 5;

    /** Range of destination ports. */
    public static final int DST_PORTS = 6;

    /** Mask of the word that is looked at first. */
    public static final int CHECK_MASK = 7;

    /** One each header word. */
    public static final int VALUES = 8;

    /** Rows start at multiples of so many words. */
    public static final int ROW_ALIGNMENT = 4;

    // A tuple's record.
    /** Offset of the three subtables. */
    public static final int CELLS = 0;

    /** Cells of one subtable. */
    public static final int DEPTH = 1;

    /** Seed of the digest. */
    public static final int SEED = 2;

    /** Pairs of constants, one each subtable. */
    public static final int CONSTANTS = 3;

    /** Size of a pair of constants in words. */
    public static final int CONSTANT_PAIR = 2;

    public static final int FACTOR = 0;
    public static final int SUMMAND = 1;

    /** Keys that found no cell: offset of (digest, row + 1) pairs, and their number. */
    public static final int STASH = 9;

    public static final int STASHED = 10;

    /**
     * Bloom filter: offset, log2 of its bits, seed of its digest. In sealed images of tuples that
     * are searched in order: offset of the signatures, 0 for none, and log2 of their words.
     */
    public static final int FILTER = 11;

    public static final int FILTER_BITS = 12;
    public static final int FILTER_SEED = 13;

    /**
     * In sealed images without Bloom filters, in the place of their seed: offset of a table of
     * lists, 0 for none. Its first word is log2 of their number. The merged tuples' {@code
     * KeyLists} has the rest.
     */
    public static final int LISTS = FILTER_SEED;

    /** Best rank of the tuple or better, for those that do not go by the order. */
    public static final int BEST = 14;

    /** Number of (position, mask) pairs that follow. */
    public static final int TERMS = 15;

    public static final int FIRST_TERM = 16;

    // A term.
    /** Position of a header word. */
    public static final int TERM_POSITION = 0;

    /** Mask of the tuple in that word. */
    public static final int TERM_MASK = 1;

    /** Size of a term in words. */
    public static final int TERM = 2;

    // A cell.
    /** Subtables of a cuckoo table. */
    public static final int SUBTABLES = 3;

    public static final int CELL_DIGEST = 0;

    /** First row of the key + 1, 0 in a free cell. */
    public static final int CELL_FIRST = 1;

    /** Size of a cell in words. */
    public static final int CELL = 2;

    private TupleSpaceLayout() {}

    /**
     * Adds a word to a digest. The word is spread before it meets the digest: keys that differ in
     * few upper bits would collide under every seed otherwise.
     */
    public static int mix(int digest, int word) {
        int h = (digest ^ spread(word)) * HashMultipliers.GOLDEN;
        return h ^ h >>> 15;
    }

    private static int spread(int word) {
        int k = (word ^ word >>> 16) * HashMultipliers.WORD;
        return k ^ k >>> 15;
    }

    /** Completes a digest. */
    public static int finish(int digest) {
        int h = digest * HashMultipliers.FINISH_1;
        return h ^ h >>> 13;
    }

    /**
     * Cell of a digest in a subtable: a x + b modulo 2^32, a odd, scaled to the depth. The paper's
     * mod p mod d costs two divisions; this is as universal (M. Dietzfelbinger et al., "A reliable
     * randomized algorithm for the closest-pair problem", 1997) and takes two multiplications.
     */
    public static int cell(int a, int b, int digest, int depth) {
        return (int) ((a * digest + b & 0xffffffffL) * depth >>> 32);
    }

    /** Word of a digest among a tuple's signatures. */
    public static int signatureWord(int digest, int wordBits) {
        return wordBits == 0 ? 0 : digest * HashMultipliers.GOLDEN >>> 32 - wordBits;
    }

    /** The bits that a digest sets in its word of the signatures. */
    public static int signature(int digest) {
        return 1 << digest | 1 << (digest >>> 5);
    }

    /** Bit of a digest in a Bloom filter, by one of its two hash functions. */
    public static int filterBit(int digest, int function, int bits) {
        return digest * (function == 0 ? HashMultipliers.GOLDEN : HashMultipliers.FINISH_2)
                >>> 32 - bits;
    }
}
