package dev.sluice.lab.generate;

import java.util.ArrayList;
import java.util.List;

/** IPv6 5-tuples out of a few hundred sites. */
record Ipv6Rules(RandomParts parts) {
    private static final int[] LENGTHS = {0, 32, 48, 56, 64, 64, 128, 128};

    List<String> lines(int count) {
        return new ArrayList<>(RandomParts.distinct(count, this::line));
    }

    private String line() {
        return "@%s\t%s\t%s\t%s\t%s"
                .formatted(
                        prefix(),
                        prefix(),
                        parts.ports(80, 10),
                        parts.ports(25, 55),
                        parts.protocol());
    }

    private String prefix() {
        int length = LENGTHS[parts.random().nextInt(LENGTHS.length)];
        int site = parts.random().nextInt(200);
        int subnet = parts.random().nextInt(64);
        int host = parts.random().nextInt(256) + 1;
        int[] groups = {0x2001, 0xdb8, site, subnet, 0, 0, 0, host};
        return RandomParts.prefix6(groups, length);
    }
}
