package dev.sluice.engine.crossproduct;

/**
 * Words of a {@link PrefixTrie}.
 *
 * <pre>
 * reference  &gt;= 0: offset of a node; &lt; 0: ~(1 + index of the longest prefix), ~0 for none
 * node       word 0: 16 1 for a comparison . width (15..10) . shift (9..5) . header position (4..0)
 *            word 1: value to compare with
 *            then references; table: 2^width; comparison: equal, not equal
 * </pre>
 */
final class PrefixTrieLayout {
    /** Position, shift, width and kind. */
    static final int NODE = 0;

    /** Value to compare with. */
    static final int VALUE = 1;

    /** References. */
    static final int CHILDREN = 2;

    static final int SHIFT_AT = 5;
    static final int WIDTH_AT = 10;
    static final int KIND_AT = 16;

    /** Set: a comparison. */
    static final int COMPARE = 1 << KIND_AT;

    /** Of a shift and of a position. */
    static final int FIVE_BITS = 31;

    /** Of a width. */
    static final int SIX_BITS = 63;

    /** References of a comparison: equal, not equal. */
    static final int COMPARE_CHILDREN = 2;

    private PrefixTrieLayout() {}
}
