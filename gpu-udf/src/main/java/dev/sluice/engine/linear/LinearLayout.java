package dev.sluice.engine.linear;

import dev.sluice.engine.image.ImageLayout;

/** Own words of an image of linear search: a rule table in total order is all that it has. */
final class LinearLayout {
    /** Offset of the rule table. */
    static final int TABLE_AT = ImageLayout.OWN_AT;

    /** Words a rule. */
    static final int STRIDE_AT = ImageLayout.OWN_AT + 1;

    /** 1 if rules have port ranges. */
    static final int RANGES_AT = ImageLayout.OWN_AT + 2;

    private LinearLayout() {}
}
