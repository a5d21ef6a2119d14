package dev.sluice.engine.image;

import dev.sluice.engine.rules.Match;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.schemas.header.HeaderLayout;
import dev.sluice.schemas.header.HeaderWord;

/**
 * The rules of an image in total order, for exact verification. {@link RuleTableLayout} has the
 * words of a rule; {@code extra} words for the algorithm may follow them.
 */
public final class RuleTable {
    private RuleTable() {}

    /** Words a rule takes. */
    public static int stride(RuleSet rules, int extra) {
        return RuleTableLayout.PAIR * rules.layout().size()
                + (rules.hasRanges() ? RuleTableLayout.RANGES : 0)
                + extra;
    }

    /**
     * Writes the table.
     *
     * @return its offset
     */
    public static int write(WordWriter out, RuleSet rules, int extra) {
        HeaderLayout layout = rules.layout();
        int stride = stride(rules, extra);
        boolean ranges = rules.hasRanges();
        int table = out.reserve((long) stride * rules.size());
        for (int r = 0; r < rules.size(); r++) {
            Match match = rules.rules().get(r).match();
            int at = table + r * stride;
            for (int p = 0; p < layout.size(); p++) {
                out.set(at + RuleTableLayout.VALUE, match.value(layout.word(p)));
                out.set(at + RuleTableLayout.MASK, match.mask(layout.word(p)));
                at += RuleTableLayout.PAIR;
            }
            if (ranges) {
                out.set(at + RuleTableLayout.SRC_PORTS, match.srcPorts());
                out.set(at + RuleTableLayout.DST_PORTS, match.dstPorts());
            }
        }
        return table;
    }

    /**
     * Returns whether a header meets the rule at an offset.
     *
     * @param image the image's words
     * @param rule offset of the rule
     * @param layoutSize header words
     * @param portsPosition position of {@link HeaderWord#PORTS} in the layout where the set has
     *     ranges, else -1
     * @param headers flat memory of the batch
     * @param capacity distance of two words of a header there
     * @param i the header
     */
    public static boolean matches(
            int[] image,
            int rule,
            int layoutSize,
            int portsPosition,
            int[] headers,
            int capacity,
            int i) {
        int at = rule;
        for (int p = 0, h = i; p < layoutSize; p++, h += capacity) {
            if (((headers[h] ^ image[at + RuleTableLayout.VALUE])
                            & image[at + RuleTableLayout.MASK])
                    != 0) {
                return false;
            }
            at += RuleTableLayout.PAIR;
        }
        return portsPosition < 0 || portsHold(image, at, headers[portsPosition * capacity + i]);
    }

    private static boolean portsHold(int[] image, int ranges, int ports) {
        return Match.inRange(ports >>> 16, image[ranges + RuleTableLayout.SRC_PORTS])
                && Match.inRange(ports & 0xffff, image[ranges + RuleTableLayout.DST_PORTS]);
    }

    /**
     * As {@link #matches} for the four words of the IPv4 5-tuple, without a branch.
     *
     * @return 0 if the header meets the rule, else another number
     */
    public static int differs4(
            int[] image, int rule, int portsPosition, int[] headers, int capacity, int i) {
        int second = rule + RuleTableLayout.PAIR;
        int third = second + RuleTableLayout.PAIR;
        int fourth = third + RuleTableLayout.PAIR;
        int ranges = fourth + RuleTableLayout.PAIR;
        int differs =
                (headers[i] ^ image[rule + RuleTableLayout.VALUE])
                                & image[rule + RuleTableLayout.MASK]
                        | (headers[capacity + i] ^ image[second + RuleTableLayout.VALUE])
                                & image[second + RuleTableLayout.MASK]
                        | (headers[2 * capacity + i] ^ image[third + RuleTableLayout.VALUE])
                                & image[third + RuleTableLayout.MASK]
                        | (headers[3 * capacity + i] ^ image[fourth + RuleTableLayout.VALUE])
                                & image[fourth + RuleTableLayout.MASK];
        if (portsPosition < 0) { // the same for all rules
            return differs;
        }
        int ports = headers[portsPosition * capacity + i];
        int src = image[ranges + RuleTableLayout.SRC_PORTS];
        int dst = image[ranges + RuleTableLayout.DST_PORTS];
        int outside =
                (ports >>> 16) - (src >>> RuleTableLayout.RANGE_LOW_SHIFT)
                        | (src & RuleTableLayout.RANGE_HIGH) - (ports >>> 16)
                        | (ports & 0xffff) - (dst >>> RuleTableLayout.RANGE_LOW_SHIFT)
                        | (dst & RuleTableLayout.RANGE_HIGH) - (ports & 0xffff);
        return differs | outside & Integer.MIN_VALUE;
    }
}
