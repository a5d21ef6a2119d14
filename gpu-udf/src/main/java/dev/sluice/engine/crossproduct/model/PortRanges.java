package dev.sluice.engine.crossproduct.model;

import dev.sluice.engine.rules.Match;
import dev.sluice.schemas.header.HeaderWord;
import org.jspecify.annotations.Nullable;

/**
 * Conditions of a match on the two ports, as ranges.
 *
 * @param source source ports as {@link Match#srcPorts}
 * @param destination destination ports likewise
 */
public record PortRanges(int source, int destination) {
    private static final int HALF = 16;

    /** The ranges of a match; null if what it asks is not one range a port. */
    static @Nullable PortRanges of(Match match) {
        int value = match.value(HeaderWord.PORTS);
        int mask = match.mask(HeaderWord.PORTS);
        int outsideSource = ~mask >>> HALF;
        int outsideDestination = ~mask & Match.ANY_PORT;
        if (!isLowRun(outsideSource) || !isLowRun(outsideDestination)) {
            return null;
        }
        int source = within(value >>> HALF, outsideSource, match.srcPorts());
        int destination = within(value & Match.ANY_PORT, outsideDestination, match.dstPorts());
        return low(source) > high(source) || low(destination) > high(destination)
                ? null
                : new PortRanges(source, destination);
    }

    /** Returns whether the bits that a mask leaves open are the lowest ones. */
    private static boolean isLowRun(int open) {
        return (open & open + 1) == 0;
    }

    private static int within(int value, int open, int range) {
        int low = Math.max(value, low(range));
        int high = Math.min(value | open, high(range));
        return low << Match.RANGE_LOW_SHIFT | high;
    }

    /** Lowest port of a range. */
    public static int low(int range) {
        return range >>> Match.RANGE_LOW_SHIFT;
    }

    /** Highest port of a range. */
    public static int high(int range) {
        return range & Match.RANGE_HIGH;
    }
}
