package dev.sluice.engine.prefix;

/**
 * Layout of a {@link PrefixTrie} in words.
 *
 * <pre>
 * reference  &gt;= 0: offset of a table; &lt; 0: ~(1 + index of a prefix), ~0 for none: the longest
 *            prefix around the address is that one or one around it
 * table      width (15..10) . shift (9..5) . header position (4..0) | 2^width references
 * around     words of an address | for no prefix and for each prefix: 1 + index of the longest one
 *            around it (31..8) . its length (7..0) | its address
 * </pre>
 */
final class PrefixTrieLayout {
    /** Position, shift and width. */
    static final int NODE = 0;

    /** References. */
    static final int CHILDREN = 1;

    static final int SHIFT_AT = 5;
    static final int WIDTH_AT = 10;

    /** Of a shift and of a position. */
    static final int FIVE_BITS = 31;

    /** Size of an address in words. */
    static final int ADDRESS_WORDS = 0;

    /** Records of none and of the prefixes, each a word longer than an address. */
    static final int RECORDS = 1;

    /** Shift of the number of the prefix around, in a record's first word. */
    static final int PARENT_AT = 8;

    /** The length in a record's first word. */
    static final int LENGTH = (1 << PARENT_AT) - 1;

    private PrefixTrieLayout() {}
}
