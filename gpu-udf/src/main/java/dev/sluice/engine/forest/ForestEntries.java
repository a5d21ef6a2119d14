package dev.sluice.engine.forest;

import dev.sluice.engine.rules.Match;
import dev.sluice.engine.rules.MatchColumns;
import dev.sluice.engine.rules.RuleSet;

/**
 * Input of the build of trees: of each rule a value and a mask a header word, and its port ranges.
 * A list of a node holds items: entry e is {@code e << ITEM_BITS}, with a bit for each port whose
 * range holds in the whole node, so that it divides nothing any more. Immutable.
 *
 * @param columns value and mask of entry e at layout position p: {@code [p][e]}; the layout has all
 *     words that the rules look at
 */
record ForestEntries(MatchColumns columns) {
    /** Bits of an item to the right of its entry. */
    static final int ITEM_BITS = 2;

    /** In an item: the range of the destination port holds in the whole node. */
    static final int DST_HOLDS = 1;

    /** In an item: the range of the source port holds in the whole node. */
    static final int SRC_HOLDS = 2;

    private static final int HALF = 16;

    static ForestEntries of(RuleSet rules) {
        return new ForestEntries(MatchColumns.of(rules.rules(), rules.layout()));
    }

    int count() {
        return columns.srcPorts().length;
    }

    /** The items of all entries at the root of a tree. */
    int[] items() {
        int[] items = new int[count()];
        for (int e = 0; e < items.length; e++) {
            items[e] = item(e);
        }
        return items;
    }

    /** An entry's item at the root of a tree. */
    int item(int e) {
        return e << ITEM_BITS
                | (columns.srcPorts()[e] == Match.ANY_PORT ? SRC_HOLDS : 0)
                | (columns.dstPorts()[e] == Match.ANY_PORT ? DST_HOLDS : 0);
    }

    /**
     * Returns whether an item still asks for a range of a port, of the source where {@code source}.
     */
    static boolean ranged(int item, boolean source) {
        return (item & (source ? SRC_HOLDS : DST_HOLDS)) == 0;
    }

    int low(int item, boolean source) {
        return (source ? columns.srcPorts() : columns.dstPorts())[item >>> ITEM_BITS] >>> HALF;
    }

    int high(int item, boolean source) {
        return (source ? columns.srcPorts() : columns.dstPorts())[item >>> ITEM_BITS]
                & Match.RANGE_HIGH;
    }

    /**
     * Returns whether the item's rule matches every header of a node.
     *
     * @param knownMasks bits that are the same in all headers of the node, and in the entry
     */
    boolean covers(int item, int[] knownMasks) {
        if ((item & (SRC_HOLDS | DST_HOLDS)) != (SRC_HOLDS | DST_HOLDS)) {
            return false;
        }
        int e = item >>> ITEM_BITS;
        int[][] masks = columns.masks();
        for (int p = 0; p < masks.length; p++) {
            // The entry has the node's values of the known bits: only its mask is to be compared.
            if ((masks[p][e] & ~knownMasks[p]) != 0) {
                return false;
            }
        }
        return true;
    }
}
