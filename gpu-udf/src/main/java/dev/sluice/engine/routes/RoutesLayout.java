package dev.sluice.engine.routes;

import dev.sluice.engine.image.ImageLayout;

/** Own words of an image of routes, whose record is {@code Dir24}'s or {@code LengthSearch}'s. */
final class RoutesLayout {
    /** Offset of the record of the tables. */
    static final int RECORD_AT = ImageLayout.OWN_AT;

    /** First header word of the address. */
    static final int ADDRESS_AT = ImageLayout.OWN_AT + 1;

    /** Value that the IP word must have under the mask. */
    static final int IP_VALUE_AT = ImageLayout.OWN_AT + 2;

    static final int IP_MASK_AT = ImageLayout.OWN_AT + 3;

    private RoutesLayout() {}
}
