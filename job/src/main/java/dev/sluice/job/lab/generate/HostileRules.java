package dev.sluice.job.lab.generate;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Rules that are bad for trees: every one names a few scattered bits. */
final class HostileRules {
    private HostileRules() {}

    static List<String> lines(RandomParts parts, int count) {
        List<String> lines = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            int srcMask = 1 << i % 32 | 1 << i / 32 % 32;
            int dstMask = Integer.reverse(srcMask) | 1 << i % 29;
            lines.add(
                    parts.flow(
                            1 + i * 7919 % 65_535,
                            String.format(
                                    Locale.ROOT,
                                    ",ip,nw_src=%s/%s,nw_dst=%s/%s",
                                    RandomParts.dotted(i * 0x9e3779b1 & srcMask),
                                    RandomParts.dotted(srcMask),
                                    RandomParts.dotted(i * 0x85ebca6b & dstMask),
                                    RandomParts.dotted(dstMask))));
        }
        return lines;
    }
}
