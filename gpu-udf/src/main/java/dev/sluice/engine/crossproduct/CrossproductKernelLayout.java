package dev.sluice.engine.crossproduct;

import dev.sluice.engine.crossproduct.model.CrossproductLayout;

/**
 * Layout of the parameter that the fast kernel of crossproducts takes beside the image ({@link
 * CrossproductKernelParameters}).
 *
 * <pre>
 * head     class steps | groups | patterns | entries of a pattern | lists | list bits | cell bits
 *          | rules | form of lists | position of the ports | rules that catch all
 * address  levels | root of trie or ranges | position | parents | rows | words a row
 *          | 4 levels: table, mode, shift, mask, bits of the level        source, destination
 * step     table | mode | inputs, 0 for a chunk | words 3 to 8 of the step's record     7 of them
 * group    the group's record                                                           8 of them
 * </pre>
 */
final class CrossproductKernelLayout {
    /** Levels of an address, at most. */
    static final int LEVELS = 4;

    /** In place of the number of levels: ranges. Without levels it is a trie. */
    static final int RANGES = LEVELS + 1;

    /** Class steps, at most. */
    static final int STEPS = 7;

    /** Groups, at most. */
    static final int GROUPS = 8;

    /** Largest size of a header in words. */
    static final int HEADER_WORDS = 4;

    /** Largest size of a row of an address in words. */
    static final int MOST_ROW_WORDS = 4;

    // The head.
    static final int STEP_COUNT = 0;
    static final int GROUP_COUNT = 1;
    static final int PATTERNS = 2;
    static final int PATTERN_ENTRIES = 3;
    static final int LISTS = 4;
    static final int LIST_BITS = 5;
    static final int CELL_BITS = 6;
    static final int RULES = 7;
    static final int LIST_FORM = 8;
    static final int PORTS_POSITION = 9;
    static final int CATCH_ALLS = 10;

    // An address.
    static final int AXIS_LEVELS = 0;
    static final int AXIS_ROOT = 1;
    static final int AXIS_POSITION = 2;
    static final int AXIS_PARENTS = 3;
    static final int AXIS_ROWS = 4;
    static final int AXIS_ROW_WORDS = 5;
    static final int AXIS_LEVEL = 6;

    // A level of an address.
    static final int LEVEL_TABLE = 0;
    static final int LEVEL_MODE = 1;
    static final int LEVEL_SHIFT = 2;
    static final int LEVEL_MASK = 3;
    static final int LEVEL_BITS = 4;

    /** Size of a level in words. */
    static final int LEVEL = 5;

    // A class step.
    static final int STEP_TABLE = 0;
    static final int STEP_MODE = 1;
    static final int STEP_INPUTS = 2;

    /** First of the words that are those of the step's record. */
    static final int STEP_OWN = 3;

    /** Size of a class step in words. */
    static final int STEP = 9;

    // Where the parts start.
    /** Source address. */
    static final int SOURCE = 11;

    /** Size of an address's record in words. */
    static final int AXIS = AXIS_LEVEL + LEVELS * LEVEL;

    /** First class step. */
    static final int FIRST_STEP = SOURCE + 2 * AXIS;

    /** First group. */
    static final int FIRST_GROUP = FIRST_STEP + STEPS * STEP;

    /** Size of the parameter in words. */
    static final int WORDS = FIRST_GROUP + GROUPS * CrossproductLayout.RECORD;

    private CrossproductKernelLayout() {}
}
