package dev.sluice.lab.generate;

import java.util.LinkedHashSet;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.Supplier;

/**
 * Parts of rules, drawn from one source of random numbers.
 *
 * @param random each call takes numbers from it, so that the order of calls decides what comes
 */
record RandomParts(SplittableRandom random) {
    private static final int[] WELL_KNOWN = {
        20, 21, 22, 25, 53, 80, 110, 123, 143, 161, 443, 993, 1433, 1521, 3306, 3389, 5060, 8080
    };

    /** Lengths and weights of address prefixes, by rough published shares: mostly whole hosts. */
    static final int[][] SPECIFIC = {
        {32, 45}, {31, 15}, {30, 8}, {28, 8}, {24, 14}, {16, 6}, {0, 4}
    };

    /** The same for addresses of which most are any. */
    static final int[][] NEARLY_WILD = {
        {0, 62}, {1, 16}, {2, 4}, {8, 4}, {16, 4}, {24, 5}, {32, 5}
    };

    /** The same, between both. */
    static final int[][] MIXED = {
        {32, 30}, {31, 14}, {24, 20}, {23, 10}, {16, 10}, {8, 4}, {0, 12}
    };

    /** One of some lengths, each with its weight. */
    int length(int[][] weights) {
        int total = 0;
        for (int[] weight : weights) {
            total += weight[1];
        }
        int at = random.nextInt(total);
        for (int[] weight : weights) {
            at -= weight[1];
            if (at < 0) {
                return weight[0];
            }
        }
        return 0;
    }

    /** An address out of a few thousand subnets, so that prefixes nest and repeat. */
    private int address() {
        int network = random.nextInt(96) * 0x01234567 & 0xffff0000;
        return network | random.nextInt(64) << 8 | random.nextInt(256);
    }

    /** An IPv4 address as it is written. */
    static String dotted(int address) {
        return (address >>> 24)
                + "."
                + (address >>> 16 & 255)
                + "."
                + (address >>> 8 & 255)
                + "."
                + (address & 255);
    }

    /** The first bits of an address, the others 0. */
    static int cut(int address, int length) {
        return length == 0 ? 0 : address & -1 << 32 - length;
    }

    /** An IPv4 prefix of a length. */
    String prefix(int length) {
        return dotted(cut(address(), length)) + "/" + length;
    }

    /**
     * An IPv6 prefix of a length.
     *
     * @param groups the address's eight groups of 16 bits; those beyond the length do not count
     */
    static String prefix6(int[] groups, int length) {
        StringBuilder text = new StringBuilder();
        for (int g = 0; g < groups.length; g++) {
            int bits = Math.max(0, Math.min(16, length - 16 * g));
            int value = bits == 0 ? 0 : groups[g] & 0xffff << 16 - bits;
            text.append(g == 0 ? "" : ":").append(Integer.toHexString(value));
        }
        return text + "/" + length;
    }

    /**
     * A range of ports: all, one that is well known, or a range.
     *
     * @param wild weight of all ports, of 100
     * @param exact weight of a well-known one, of 100
     */
    String ports(int wild, int exact) {
        int kind = random.nextInt(100);
        if (kind < wild) {
            return "0 : 65535";
        }
        if (kind < wild + exact) {
            int port = wellKnownPort();
            return port + " : " + port;
        }
        return switch (random.nextInt(3)) {
            case 0 -> "1024 : 65535";
            case 1 -> "0 : 1023";
            default -> {
                int low = 1024 + random.nextInt(200) * 100;
                yield low + " : " + (low + 1 + random.nextInt(500));
            }
        };
    }

    /** TCP, UDP, ICMP or any protocol. */
    String protocol() {
        int kind = random.nextInt(100);
        return kind < 60
                ? "0x06/0xFF"
                : kind < 85 ? "0x11/0xFF" : kind < 90 ? "0x01/0xFF" : "0x00/0x00";
    }

    /** A port that many rules name. */
    int wellKnownPort() {
        return WELL_KNOWN[random.nextInt(WELL_KNOWN.length)];
    }

    /** So many distinct texts of a source, or as many as some tries bring, in their order. */
    static Set<String> distinct(int count, Supplier<String> source) {
        Set<String> texts = new LinkedHashSet<>();
        for (int tries = 0; texts.size() < count && tries < 20 * count + 100; tries++) {
            texts.add(source.get());
        }
        return texts;
    }

    /** A line of OpenFlow: fields, with a comma before each, under a priority. */
    String flow(int priority, String match) {
        return "priority=" + priority + match + " actions=output:" + (1 + random.nextInt(48));
    }

    /** The i-th line of OpenFlow that names a few scattered bits of both addresses. */
    String scattered(int i) {
        int srcMask = 1 << i % 32 | 1 << i / 32 % 32;
        int dstMask = Integer.reverse(srcMask) | 1 << i % 29;
        return flow(
                1 + i * 7919 % 65_535,
                ",ip,nw_src=%s/%s,nw_dst=%s/%s"
                        .formatted(
                                dotted(i * 0x9e3779b1 & srcMask),
                                dotted(srcMask),
                                dotted(i * 0x85ebca6b & dstMask),
                                dotted(dstMask)));
    }

    /** A MAC address of one vendor. */
    static String mac(int number) {
        return "00:1b:%02x:%02x:%02x:%02x"
                .formatted(
                        number >>> 24 & 15, number >>> 16 & 255, number >>> 8 & 255, number & 255);
    }
}
