package dev.sluice.lab.generate;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Makes a policy of IPv4 5-tuples one of both families, as networks have it whose hosts have an
 * address of each: a share of the rules is written for IPv6, the last one for both. An IPv4 prefix
 * of up to 31 bits becomes one that is 32 bits longer, below 2001:db8::/32, so that what nests
 * still nests; a host becomes a host of the subnet that its address makes.
 *
 * @param share of the rules that are written for IPv6, above 0 and below 1
 */
record DualStack(double share, long seed) {
    private static final int SITE_HIGH = 0x2001;
    private static final int SITE_LOW = 0xdb8;
    private static final int HOST_BITS = 32;

    /** So many lines and one more: the last one in the other family. */
    List<String> lines(List<String> lines) {
        // Which rules are drawn does not depend on it: a stream of its own.
        SplittableRandom random = new SplittableRandom(seed * 31 + 6);
        List<String> all = new ArrayList<>(lines.size() + 1);
        for (String line : lines.subList(0, lines.size() - 1)) {
            all.add(random.nextDouble() < share ? ipv6(line) : line);
        }
        String last = lines.get(lines.size() - 1);
        all.add(last);
        all.add(ipv6(last));
        return all;
    }

    /** A line of IPv4 prefixes, written for IPv6. */
    static String ipv6(String line) {
        String[] columns = line.substring(1).split("\t", 3);
        return "@%s\t%s\t%s".formatted(prefix(columns[0]), prefix(columns[1]), columns[2]);
    }

    private static String prefix(String text) {
        int slash = text.indexOf('/');
        int length = Integer.parseInt(text.substring(slash + 1));
        int address = 0;
        for (String part : text.substring(0, slash).split("\\.")) {
            address = address << 8 | Integer.parseInt(part);
        }
        int host = length == HOST_BITS ? address * 0x9e3779b1 : 0;
        int[] groups = {
            SITE_HIGH, SITE_LOW, address >>> 16, address & 0xffff, 0, 0, host >>> 16, host & 0xffff
        };
        int longer = length == 0 ? 0 : length == HOST_BITS ? 128 : HOST_BITS + length;
        return RandomParts.prefix6(groups, longer);
    }
}
