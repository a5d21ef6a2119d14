package dev.sluice.engine.merged;

/**
 * Layout of the lists of {@link KeyLists} in words, which lie beside the tuples of a tuple space.
 * The own words of the tuple space name the first entry, a tuple's record names its table.
 *
 * <pre>
 * table  log2 of its words | a word each hash of a key: tag (10 bits) . first entry + 1 (22)
 * entry  word 0    1 in the list's last rule (bit 30) . position of the second word (29..25)
 *                  . of the first (24..20) . rank (19..0)
 *        word 1    entries of the rule that follow (31..28) . 1 if the third test is the port
 *                  ranges (27) . position of the third word (26..22)
 *                  . first entry + 1 of the first list that has no better rule (21..0)
 *        words 2-7 three tests: value and mask, or source and destination port range
 * </pre>
 *
 * <p>First entries are 0 where there is no list. A tag is 0 where several keys meet in a word.
 */
final class KeyListLayout {
    // A table.
    /** Log2 of the table's words. */
    static final int TABLE_BITS = 0;

    static final int FIRST_WORD = 1;

    /** Bits of a first entry + 1. */
    static final int LIST_BITS = 22;

    static final int LIST_FIRST = (1 << LIST_BITS) - 1;

    // An entry.
    /** Size of an entry in words: one sector of the GPU's memory. */
    static final int ENTRY = 8;

    /** Rank, positions of two words, and whether the list ends. */
    static final int RANK_WORD = 0;

    /** The next list, position of the third word, its kind, and entries that follow. */
    static final int NEXT_WORD = 1;

    static final int FIRST_VALUE = 2;
    static final int FIRST_MASK = 3;
    static final int SECOND_VALUE = 4;
    static final int SECOND_MASK = 5;

    /** Or the source port range. */
    static final int THIRD_VALUE = 6;

    /** Or the destination port range. */
    static final int THIRD_MASK = 7;

    /** Bits of a rank. */
    static final int RANK = (1 << 20) - 1;

    static final int FIRST_AT = 20;
    static final int SECOND_AT = 25;
    static final int THIRD_AT = LIST_BITS;

    /** Bits of a position. */
    static final int POSITION = 31;

    /** The list ends with this rule. */
    static final int LAST = 1 << 30;

    /** The third test is the rule's port ranges. */
    static final int RANGES = 1 << 27;

    /** Shift of the number of entries of the rule that follow. */
    static final int MORE_AT = 28;

    private KeyListLayout() {}
}
