package dev.sluice.engine.image;

/**
 * Factors of the hashes that place keys in images. Who writes an image and all who look into it, in
 * Java and in CUDA, take the same ones.
 *
 * <p>All are odd: a product modulo 2^32 by an odd factor can be undone, so that no two words become
 * the same one. About half of their bits are set, in no pattern, so that each bit of a word changes
 * many upper bits of the product. They come from hashes that were tested for this: the first 32-bit
 * prime of xxHash (Y. Collet) and the factors of MurmurHash3 (A. Appleby).
 */
public final class HashMultipliers {
    /** First prime of xxHash: the prime next to 2^32 divided by the golden ratio. */
    public static final int GOLDEN = 0x9e3779b1;

    /** First factor of MurmurHash3's finish. */
    public static final int FINISH_1 = 0x85ebca6b;

    /** Second factor of MurmurHash3's finish. */
    public static final int FINISH_2 = 0xc2b2ae35;

    /** First factor of MurmurHash3's words. */
    public static final int WORD = 0xcc9e2d51;

    private HashMultipliers() {}
}
