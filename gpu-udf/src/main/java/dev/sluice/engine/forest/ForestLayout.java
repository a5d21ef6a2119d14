package dev.sluice.engine.forest;

import dev.sluice.engine.image.ImageLayout;

/**
 * Layout of a forest's image, in words.
 *
 * <pre>
 * own words   rule table | words a rule | 1 if there are ranges | root descriptor, 2 words | bound shift
 * table       {@link RestLayout rest, where the node has one} | a descriptor each value of the window
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

    /** The descriptor of the root. */
    static final int ROOT_AT = ImageLayout.OWN_AT + 3;

    /** Bits that a bound lacks of a position. */
    static final int BOUND_SHIFT_AT = ImageLayout.OWN_AT + 5;

    /** Position of a leaf's rule. */
    static final int LEAF_POSITION = Integer.MAX_VALUE;

    /** Set in the last word of a leaf. */
    static final int LEAF_LAST = Integer.MIN_VALUE;

    private ForestLayout() {}
}
