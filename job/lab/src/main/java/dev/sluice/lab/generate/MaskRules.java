package dev.sluice.lab.generate;

import dev.sluice.policy.io.SluiceException;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** A given number of masks, some of them full (GSwitch, CoNEXT 2014, §7). */
record MaskRules(RandomParts parts, MaskCounts maskCounts) {
    /** N rules of C masks: F full ones share all but one rule for each of the others. */
    List<String> lines(int count) {
        int share = (count - (maskCounts.masks() - maskCounts.full())) / maskCounts.full();
        List<int[]> masks = masks();
        List<String> lines = new ArrayList<>();
        Set<String> seen = new LinkedHashSet<>();
        for (int c = 0; c < maskCounts.masks(); c++) {
            int rules = c < maskCounts.full() ? share : 1;
            for (int r = 0, tries = 0; r < rules && tries < 50 * rules; tries++) {
                String match = maskMatch(masks.get(c));
                if (seen.add(match)) {
                    lines.add(parts.flow(1 + parts.random().nextInt(65_535), match));
                    r++;
                }
            }
        }
        return lines;
    }

    /** Distinct masks: prefix lengths of both addresses, and which other fields are named. */
    private List<int[]> masks() {
        Set<List<Integer>> distinct = new LinkedHashSet<>();
        int bits = maskCounts.fields() == 12 ? 8 : 3;
        int tries = 0;
        while (distinct.size() < maskCounts.masks()) {
            int src = 8 + parts.random().nextInt(25);
            int dst = 8 + parts.random().nextInt(25);
            int named = parts.random().nextInt(1 << bits);
            // A port names the protocol, too.
            distinct.add(List.of(src, dst, (named & 6) != 0 ? named | 1 : named));
            if (++tries > 1000 * maskCounts.masks()) {
                throw new SluiceException(
                        "there are not " + maskCounts.masks() + " masks of this kind");
            }
        }
        return distinct.stream()
                .map(m -> m.stream().mapToInt(Integer::intValue).toArray())
                .toList();
    }

    private String maskMatch(int[] mask) {
        int src = parts.random().nextInt();
        int dst = parts.random().nextInt();
        int n = parts.random().nextInt(4096);
        int named = mask[2];
        return ((named & 1) != 0 ? ",tcp" : ",ip")
                + ",nw_src="
                + new Subnet(RandomParts.cut(src, mask[0]), mask[0]).text()
                + ",nw_dst="
                + new Subnet(RandomParts.cut(dst, mask[1]), mask[1]).text()
                + RandomParts.field((named & 2) != 0, "tp_src", this::port)
                + RandomParts.field((named & 4) != 0, "tp_dst", this::port)
                + RandomParts.field((named & 8) != 0, "in_port", () -> 1 + n % 48)
                + RandomParts.field((named & 16) != 0, "dl_src", () -> RandomParts.mac(n))
                + RandomParts.field((named & 32) != 0, "dl_dst", () -> RandomParts.mac(n))
                + RandomParts.field((named & 64) != 0, "dl_vlan", () -> 1 + n % 4000)
                + RandomParts.field((named & 128) != 0, "nw_tos", () -> 4 * (n % 64));
    }

    private int port() {
        return parts.random().nextInt(65_536);
    }
}
