package dev.sluice.engine.forest;

/**
 * The words before the table of a node that has a rest.
 *
 * <pre>
 * root of the rest: a descriptor ({@link DescriptorLayout}) | next rest
 * </pre>
 *
 * <p>A search takes the next rest when it is done with this one. It is the rest of the nearest node
 * above that has one and of which this node is not a part of the rest.
 */
final class RestLayout {
    /** Size of a rest in words. */
    static final int WORDS = DescriptorLayout.WORDS + 1;

    /** Words from the root of the rest to the table. */
    static final int ROOT_BEFORE = WORDS;

    /** Words from the next rest to the table. */
    static final int NEXT_BEFORE = 1;

    /** A rest is named by the table that it stands before; this is none. */
    static final int NONE = 0;

    private RestLayout() {}
}
