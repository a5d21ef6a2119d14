package dev.sluice.engine.crossproduct;

import dev.sluice.engine.image.HashMultipliers;
import dev.sluice.engine.image.ImageLayout;

/**
 * Own words of a crossproduct image, and the words of its records.
 *
 * <pre>
 * own words  head
 * head       steps | their number | their end | step of the class | source | destination
 *            | groups | their number | patterns | their end | entries of a pattern | lists
 *            | list bits | cell bits
 * address    form | at | position | parents | rows | words a row
 * group      cells | form or mask | best | width | source's and destination's word, shift, mask
 * cell       direct: a word; hashed: key's lower bits, key's upper bits . cell; listed: the other
 *            address's number, its sign bit set on the last | cell
 * list       (row of the kind, position) a rule, the last position marked by its sign bit
 * </pre>
 */
final class CrossproductLayout {
    /** Offset of the head record. */
    static final int HEAD_AT = ImageLayout.OWN_AT;

    // Head: tables that reduce the header, and the step that holds the class.
    static final int STEPS = 0;
    static final int STEP_COUNT = 1;
    static final int STEPS_END = 2;
    static final int CLASS_STEP = 3;

    /** Records of the source and the destination address. */
    static final int AXES = 4;

    /** Words of an address's record. */
    static final int AXIS = 6;

    /** {@link #LEVELS}, {@link #TRIE} or {@link #RANGES}. */
    static final int FORM = 0;

    /** The step that holds the prefix, the trie's root, or the root of the ranges. */
    static final int AT = 1;

    /** Position of the address in a header; tries name their positions themselves. */
    static final int POSITION = 2;

    /** Parents of the prefixes of ranges. */
    static final int PARENTS = 3;

    /** A row for what was found: the number of the longest prefix around in each group. */
    static final int ROWS = 4;

    /** Words of a row: 1, 2, 4 or 8. */
    static final int ROW_WORDS = 5;

    static final int LEVELS = 0;
    static final int TRIE = 1;
    static final int RANGES = 2;

    /** Records of the groups, and their number. */
    static final int GROUPS = AXES + 2 * AXIS;

    static final int GROUP_COUNT = GROUPS + 1;

    /**
     * Rows of 16-bit entries, a row a pattern, a class a column; 0 where lists are tested rule by
     * rule. Such a list is pairs (row of the kind, position), the last position marked.
     */
    static final int PATTERNS = GROUPS + 2;

    static final int PATTERNS_END = GROUPS + 3;

    /** Entries of a pattern's row. */
    static final int PATTERN_ENTRIES = GROUPS + 4;

    /** Positions of the lists of several rules. */
    static final int LISTS = GROUPS + 5;

    /** Lower bits of a cell that name its list; those above name its pattern. */
    static final int LIST_BITS = GROUPS + 6;

    /** Lower bits of a keyed cell's second word that are the cell; those above are its key's. */
    static final int CELL_BITS = GROUPS + 7;

    static final int HEAD = GROUPS + 8;

    /** Words of a group's record. */
    static final int RECORD = 10;

    static final int CELLS = 0;

    /**
     * Cells of its table - 1 of a hashed group; else {@link #DIRECT}, {@link #LISTED_BY_SOURCE} or
     * {@link #LISTED_BY_DESTINATION}.
     */
    static final int FORM_OR_MASK = 1;

    /** Cells of a plain table. */
    static final int DIRECT = -1;

    /** Lists of cells, which the source's rows name. */
    static final int LISTED_BY_SOURCE = -2;

    /** Lists of cells, which the destination's rows name. */
    static final int LISTED_BY_DESTINATION = -3;

    /** Best position in the group. */
    static final int BEST = 2;

    /** Cells a source of a direct group; bits of a destination in the keys of a hashed one. */
    static final int WIDTH = 3;

    /** Where rows hold the group's prefix: word, shift and mask, for source and destination. */
    static final int FIELDS = 4;

    /** Words of a field's place. */
    static final int FIELD = 3;

    /** Word of a row. */
    static final int FIELD_WORD = 0;

    static final int FIELD_SHIFT = 1;
    static final int FIELD_MASK = 2;

    // A cell that is no plain table's.
    /** The key's lower bits, or the other address's number. */
    static final int CELL_KEY = 0;

    /** The cell; in a hashed group above it the key's upper bits. */
    static final int CELL_NAMED = 1;

    /** Words of such a cell. */
    static final int KEYED_CELL = 2;

    // A rule of a list that is tested rule by rule.
    /** Offset of the row of the rule's kind. */
    static final int LIST_ROW = 0;

    static final int LIST_POSITION = 1;

    /** Words of such a rule. */
    static final int LISTED = 2;

    /** Position in a list, or number in a listed cell's key. */
    static final int UNMARKED = Integer.MAX_VALUE;

    /** Set in the last of a list. */
    static final int LAST = Integer.MIN_VALUE;

    /** Hash of a cell. */
    static int hash(int source, int destination) {
        int h = source * HashMultipliers.GOLDEN ^ destination * HashMultipliers.FINISH_1;
        return h ^ h >>> 15;
    }

    private CrossproductLayout() {}
}
