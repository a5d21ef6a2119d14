package dev.sluice.engine.forest;

import dev.sluice.engine.image.ImageLayout;

/**
 * Words of a forest's image.
 *
 * <pre>
 * own words   rule table | words a rule | 1 if there are ranges | roots | trees | bound shift
 * roots       a descriptor each tree ({@link DescriptorLayout})
 * table       a descriptor each value of the window
 * leaf        positions of rules, ascending; the sign bit marks the last
 * </pre>
 */
final class ForestLayout {
    /** Offset of the rule table. */
    static final int TABLE_AT = ImageLayout.OWN_AT;

    /** Words a rule. */
    static final int STRIDE_AT = ImageLayout.OWN_AT + 1;

    /** 1 if rules have port ranges. */
    static final int RANGES_AT = ImageLayout.OWN_AT + 2;

    /** Offset of the trees' root descriptors. */
    static final int ROOTS_AT = ImageLayout.OWN_AT + 3;

    /** Number of trees. */
    static final int TREES_AT = ImageLayout.OWN_AT + 4;

    /** Bits that a bound lacks of a position. */
    static final int BOUND_SHIFT_AT = ImageLayout.OWN_AT + 5;

    /** Position of a leaf's rule. */
    static final int LEAF_POSITION = Integer.MAX_VALUE;

    /** Set in the last word of a leaf. */
    static final int LEAF_LAST = Integer.MIN_VALUE;

    private ForestLayout() {}
}
