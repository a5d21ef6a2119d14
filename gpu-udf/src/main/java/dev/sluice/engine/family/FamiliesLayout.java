package dev.sluice.engine.family;

/**
 * Layout of an image of families, in words. The parts' images lie whole within it.
 *
 * <pre>
 *  own words  for each value of the IP version the record of its part, 0 if no rule allows it
 *  record     inner image | map
 *  map        for each position in the inner image that in this one
 * </pre>
 */
final class FamiliesLayout {
    /** First of the offsets of the parts' records, one for each value of the IP version. */
    static final int PARTS_AT = 8;

    /** Values of the IP version. */
    static final int VALUES = 4;

    /** Offset of the part's image. */
    static final int INNER = 0;

    /** Offset of the positions in this image. */
    static final int MAP = 1;

    /** Size of a record in words. */
    static final int RECORD = 2;

    /** Images within start at multiples of so many words: a cache line. */
    static final int LINE = 16;

    private FamiliesLayout() {}
}
