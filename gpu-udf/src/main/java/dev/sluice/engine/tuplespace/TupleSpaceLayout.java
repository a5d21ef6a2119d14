package dev.sluice.engine.tuplespace;

import dev.sluice.engine.image.Image;

/** Words of an image of classes: its own words, a rule's row, a class's record. */
public final class TupleSpaceLayout {
    /** Offset of the rows. */
    public static final int ROWS_AT = Image.OWN_AT;

    /** Words of a row. */
    public static final int STRIDE_AT = Image.OWN_AT + 1;

    /** Position of the ports in the layout, -1 where it lacks them. */
    public static final int PORTS_AT = Image.OWN_AT + 2;

    /** Classes in the order of their best rank: pairs (best rank or better, record). */
    public static final int ORDER_AT = Image.OWN_AT + 3;

    public static final int CLASSES_AT = Image.OWN_AT + 4;

    /** First of three words for the algorithm that uses the classes. */
    public static final int EXTRA_AT = Image.OWN_AT + 5;

    // A row: rank, next row of the same key + 1, offset of the mask, a word to look at first, its
    // value and mask, two ranges, values. What tells most rows off lies in the first 32 bytes.
    public static final int RANK = 0;
    public static final int NEXT = 1;
    public static final int MASK = 2;

    /** Position of the word that has the most bits that the class does not name. */
    public static final int CHECK = 3;

    public static final int CHECK_VALUE = 4;

    /** Source and destination port range. */
    public static final int RANGES = 5;

    /** Mask of the word that is looked at first. */
    public static final int CHECK_MASK = 7;

    public static final int VALUES = 8;

    /** Rows start at multiples of so many words. */
    public static final int ROW_ALIGNMENT = 4;

    // A class's record.
    /** Offset of the three subtables. */
    public static final int CELLS = 0;

    /** Cells of one subtable. */
    public static final int DEPTH = 1;

    /** Seed of the digest. */
    public static final int SEED = 2;

    /** Three pairs of constants. */
    public static final int CONSTANTS = 3;

    /** Keys that found no cell: offset of (digest, row + 1) pairs, and their number. */
    public static final int STASH = 9;

    public static final int STASHED = 10;

    /**
     * Bloom filter: offset, log2 of its bits, seed of its digest. In sealed images of classes that
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

    /** Best rank of the class or better, for those that do not go by the order. */
    public static final int BEST = 14;

    /** Number of (position, mask) pairs that follow. */
    public static final int TERMS = 15;

    public static final int FIRST_TERM = 16;

    /** Subtables of a cuckoo table. */
    public static final int SUBTABLES = 3;

    private TupleSpaceLayout() {}

    /**
     * Adds a word to a digest. The word is spread before it meets the digest: keys that differ in
     * few upper bits would collide under every seed otherwise.
     */
    public static int mix(int digest, int word) {
        int h = (digest ^ spread(word)) * 0x9e3779b1;
        return h ^ h >>> 15;
    }

    private static int spread(int word) {
        int k = (word ^ word >>> 16) * 0xcc9e2d51;
        return k ^ k >>> 15;
    }

    /** Completes a digest. */
    public static int finish(int digest) {
        int h = digest * 0x85ebca6b;
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

    /** Word of a digest among a class's signatures. */
    public static int signatureWord(int digest, int wordBits) {
        return wordBits == 0 ? 0 : digest * 0x9e3779b1 >>> 32 - wordBits;
    }

    /** The bits that a digest sets in its word of the signatures. */
    public static int signature(int digest) {
        return 1 << digest | 1 << (digest >>> 5);
    }

    /** Bit of a digest in a Bloom filter, by one of its two hash functions. */
    public static int filterBit(int digest, int function, int bits) {
        return digest * (function == 0 ? 0x9e3779b1 : 0xc2b2ae35) >>> 32 - bits;
    }
}
