package dev.sluice.engine.forest;

import dev.sluice.engine.image.Image;

/** The own words of a forest's image. */
final class ForestLayout {
    /** Offset of the rule table. */
    static final int TABLE_AT = Image.OWN_AT;

    /** Words a rule. */
    static final int STRIDE_AT = Image.OWN_AT + 1;

    /** 1 if rules have port ranges. */
    static final int RANGES_AT = Image.OWN_AT + 2;

    /** Offset of the trees' root descriptors. */
    static final int ROOTS_AT = Image.OWN_AT + 3;

    /** Number of trees. */
    static final int TREES_AT = Image.OWN_AT + 4;

    /** Bits that a bound lacks of a position. */
    static final int BOUND_SHIFT_AT = Image.OWN_AT + 5;

    private ForestLayout() {}
}
