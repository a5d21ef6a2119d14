package dev.sluice.engine.image;

import dev.sluice.engine.rules.Match;

/**
 * A rule in a {@link RuleTable}.
 *
 * <pre>
 * value, mask | value, mask | ... a pair for each header word | source ports, destination ports
 * </pre>
 *
 * <p>The port ranges are there where any rule of the set has one. They begin behind the pairs: at
 * {@link #PAIR} times the number of header words.
 */
public final class RuleTableLayout {
    public static final int VALUE = 0;
    public static final int MASK = 1;

    /** Size of a pair in words. */
    public static final int PAIR = 2;

    /** Range of the source port, counted from the end of the pairs. */
    public static final int SRC_PORTS = 0;

    /** Range of the destination port, counted from the end of the pairs. */
    public static final int DST_PORTS = 1;

    /** Size of both port ranges in words. */
    public static final int RANGES = 2;

    /** Bits to the right of the lowest port in the word of a range. */
    static final int RANGE_LOW_SHIFT = Match.RANGE_LOW_SHIFT;

    /** Mask of the highest port in the word of a range. */
    static final int RANGE_HIGH = Match.RANGE_HIGH;

    private RuleTableLayout() {}
}
