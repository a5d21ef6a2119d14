package dev.sluice.policy.convert;

import dev.sluice.engine.rules.Match;
import dev.sluice.schemas.header.Field;
import java.util.ArrayList;
import java.util.List;

/** Ranges of ports, or of ICMP types and codes, that a match asks for. */
final class PortPairs {
    private static final int MOST = 0xffff;

    private PortPairs() {}

    /** A pair of ranges, both ends included. */
    record Pair(int lowSource, int highSource, int lowDestination, int highDestination) {
        boolean isAny() {
            return isAnySource() && isAnyDestination();
        }

        boolean isAnySource() {
            return lowSource == 0 && highSource == MOST;
        }

        boolean isAnyDestination() {
            return lowDestination == 0 && highDestination == MOST;
        }
    }

    /** Ranges of ports by their masks; masks with holes make several. */
    private static List<int[]> ranges(Match match, Field field, int range) {
        int value = field.extract(match.value(field.word()));
        int mask = field.extract(match.mask(field.word()));
        int holes = ~mask & MOST;
        int low = Integer.numberOfTrailingZeros(~holes); // bits that are free at the end
        int free = (1 << low) - 1;
        int upper = holes & ~free;
        List<int[]> all = new ArrayList<>();
        int sub = 0;
        do {
            int from = Math.max(value | sub, range >>> Match.RANGE_LOW_SHIFT);
            int to = Math.min(value | sub | free, range & Match.RANGE_HIGH);
            if (from <= to) {
                all.add(new int[] {from, to});
            }
            sub = sub - upper & upper;
        } while (sub != 0);
        return all;
    }

    /**
     * The pairs of a match: one, or more where a mask has holes, or where the match asks for
     * packets with ports whatever they are.
     */
    static List<Pair> of(Match match) {
        List<Pair> pairs = new ArrayList<>();
        for (int[] source : ranges(match, Field.SRC_PORT, match.srcPorts())) {
            for (int[] destination : ranges(match, Field.DST_PORT, match.dstPorts())) {
                pairs.add(new Pair(source[0], source[1], destination[0], destination[1]));
            }
        }
        Field present = Field.PORTS_PRESENT;
        boolean asks = (match.value(present.word()) & present.maskInWord()) != 0;
        if (asks && pairs.size() == 1 && pairs.get(0).isAny()) {
            return List.of(new Pair(0, MOST, 0, 0x7fff), new Pair(0, MOST, 0x8000, MOST));
        }
        return pairs;
    }
}
