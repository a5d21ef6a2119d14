package dev.sluice.engine.pairs;

import dev.sluice.engine.image.Image;

/** Own words of an image of address pairs, and the words of a group's record. */
final class PairLayout {
    /** Offset of the head record. */
    static final int HEAD_AT = Image.OWN_AT;

    // Head: tables that reduce the header, and the steps that hold class, source, destination.
    static final int STEPS = 0;
    static final int STEP_COUNT = 1;
    static final int STEPS_END = 2;
    static final int CLASS_STEP = 3;

    /** Step, or -1 where a trie finds the prefix. */
    static final int SOURCE_STEP = 4;

    static final int DESTINATION_STEP = 5;

    // Roots of the tries.
    static final int SOURCE_ROOT = 6;
    static final int DESTINATION_ROOT = 7;

    /** Records of the groups, and their number. */
    static final int GROUPS = 8;

    static final int GROUP_COUNT = 9;

    /** Bits of kinds and classes: a row a kind, a bit a class. */
    static final int MATRIX = 10;

    /**
     * Rows of 16-bit entries, a row a pattern; 0 where lists are tested rule by rule. A list is its
     * positions, else pairs (row of the kind, position), the last position marked.
     */
    static final int PATTERNS = 11;

    static final int PATTERNS_END = 12;

    /** Maps from a prefix of the rule set (0: none) to those of the groups: a row a prefix. */
    static final int SOURCES = 13;

    static final int DESTINATIONS = 14;

    /** Words of a row of the maps: the groups, rounded up to four. */
    static final int MAP_STRIDE = 15;

    static final int HEAD = 16;

    /** Words of a group's record. */
    static final int RECORD = 4;

    static final int CELLS = 0;

    /** Slots - 1 of a hashed group, -1 for a direct one. */
    static final int SLOT_MASK = 1;

    /** Best position in the group. */
    static final int BEST = 2;

    /** Words of a hash slot: source, destination, list, row of its pattern. */
    static final int SLOT = 4;

    /** Words of a direct cell: list, row of its pattern. */
    static final int CELL = 2;

    /** Hash of a cell. */
    static int hash(int source, int destination) {
        int h = source * 0x9e3779b1 ^ destination * 0x85ebca6b;
        return h ^ h >>> 15;
    }

    private PairLayout() {}
}
