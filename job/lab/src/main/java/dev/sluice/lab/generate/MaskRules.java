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
        StringBuilder match = new StringBuilder((named & 1) != 0 ? ",tcp" : ",ip");
        match.append(",nw_src=")
                .append(RandomParts.dotted(RandomParts.cut(src, mask[0])))
                .append('/')
                .append(mask[0]);
        match.append(",nw_dst=")
                .append(RandomParts.dotted(RandomParts.cut(dst, mask[1])))
                .append('/')
                .append(mask[1]);
        if ((named & 2) != 0) {
            match.append(",tp_src=").append(parts.random().nextInt(65_536));
        }
        if ((named & 4) != 0) {
            match.append(",tp_dst=").append(parts.random().nextInt(65_536));
        }
        if ((named & 8) != 0) {
            match.append(",in_port=").append(1 + n % 48);
        }
        if ((named & 16) != 0) {
            match.append(",dl_src=").append(RandomParts.mac(n));
        }
        if ((named & 32) != 0) {
            match.append(",dl_dst=").append(RandomParts.mac(n));
        }
        if ((named & 64) != 0) {
            match.append(",dl_vlan=").append(1 + n % 4000);
        }
        if ((named & 128) != 0) {
            match.append(",nw_tos=").append(4 * (n % 64));
        }
        return match.toString();
    }
}
