package dev.sluice.engine.maskfilter;

/**
 * Layout of a mask filter in words, which lies before the tuples of a tuple space; the own words of
 * the tuple space name the head.
 *
 * <pre>
 * head   keys | log2 rows | words a row | records of tuples by number | key records ...
 * key    table | terms | (position, mask) ...
 * table  a row each hash of the key's words, a bit each tuple that may have a rule there
 * </pre>
 */
final class MaskFilterLayout {
    /** Number of keys. */
    static final int KEYS = 0;

    /** Log2 of the rows of a key's table. */
    static final int ROW_BITS = 1;

    static final int ROW_WORDS = 2;

    /** Offset of the tuples' records by their numbers, 0 for a number that is free. */
    static final int BY_NUMBER = 3;

    /** Offsets of the keys' records. */
    static final int FIRST_KEY = 4;

    /** Keys, at most. */
    static final int MOST_KEYS = 32;

    // A key's record.
    /** Offset of the key's rows. */
    static final int TABLE = 0;

    /** Number of (position, mask) pairs that follow. */
    static final int TERMS = 1;

    static final int FIRST_TERM = 2;

    private MaskFilterLayout() {}
}
