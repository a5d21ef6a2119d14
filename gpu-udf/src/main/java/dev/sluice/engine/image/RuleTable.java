package dev.sluice.engine.image;

import dev.sluice.engine.rules.Match;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.schemas.header.HeaderLayout;
import dev.sluice.schemas.header.HeaderWord;

/**
 * The rules of an image in total order, for exact verification: for each rule W pairs (value,
 * mask), then, where any rule has a range, source and destination port range, then {@code extra}
 * words for the algorithm.
 */
public final class RuleTable {
    private RuleTable() {}

    /** Words a rule takes. */
    public static int stride(RuleSet rules, int extra) {
        return 2 * rules.layout().size() + (rules.hasRanges() ? 2 : 0) + extra;
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
                out.set(at++, match.value(layout.word(p)));
                out.set(at++, match.mask(layout.word(p)));
            }
            if (ranges) {
                out.set(at++, match.srcPorts());
                out.set(at, match.dstPorts());
            }
        }
        return table;
    }

    /**
     * Whether a header meets the rule at an offset.
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
            if (((headers[h] ^ image[at]) & image[at + 1]) != 0) {
                return false;
            }
            at += 2;
        }
        return portsPosition < 0 || portsHold(image, at, headers[portsPosition * capacity + i]);
    }

    private static boolean portsHold(int[] image, int ranges, int ports) {
        return Match.inRange(ports >>> 16, image[ranges])
                && Match.inRange(ports & 0xffff, image[ranges + 1]);
    }

    /**
     * As {@link #matches} for the four words of the IPv4 5-tuple, without a branch.
     *
     * @return 0 if the header meets the rule, else another number
     */
    public static int differs4(
            int[] image, int rule, int portsPosition, int[] headers, int capacity, int i) {
        int differs =
                (headers[i] ^ image[rule]) & image[rule + 1]
                        | (headers[capacity + i] ^ image[rule + 2]) & image[rule + 3]
                        | (headers[2 * capacity + i] ^ image[rule + 4]) & image[rule + 5]
                        | (headers[3 * capacity + i] ^ image[rule + 6]) & image[rule + 7];
        if (portsPosition < 0) { // the same for all rules
            return differs;
        }
        int ports = headers[portsPosition * capacity + i];
        int src = image[rule + 8];
        int dst = image[rule + 9];
        int outside =
                (ports >>> 16) - (src >>> 16)
                        | (src & 0xffff) - (ports >>> 16)
                        | (ports & 0xffff) - (dst >>> 16)
                        | (dst & 0xffff) - (ports & 0xffff);
        return differs | outside & Integer.MIN_VALUE;
    }
}
