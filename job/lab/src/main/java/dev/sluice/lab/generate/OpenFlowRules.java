package dev.sluice.lab.generate;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * Twelve fields, those beyond the 5-tuple wild by a ratio (H-HashTree, JPDC 2022, §5).
 *
 * @param wildRatio share of wild values, 0 to 1
 */
record OpenFlowRules(RandomParts parts, double wildRatio) {
    List<String> lines(int count) {
        return lines(count, 65_535);
    }

    /** Lines of priorities from 1 to the highest one. */
    List<String> lines(int count, int highestPriority) {
        List<String> lines = new ArrayList<>();
        Set<String> seen = new LinkedHashSet<>();
        int tries = 0;
        while (lines.size() < count && tries++ < 20 * count + 100) {
            StringBuilder match = new StringBuilder(",tcp");
            if (isNamed()) {
                match.append(",in_port=").append(1 + parts.random().nextInt(48));
            }
            if (isNamed()) {
                match.append(",dl_src=").append(RandomParts.mac(parts.random().nextInt(4096)));
            }
            if (isNamed()) {
                match.append(",dl_dst=").append(RandomParts.mac(parts.random().nextInt(4096)));
            }
            if (isNamed()) {
                match.append(",dl_vlan=").append(1 + parts.random().nextInt(256));
                if (isNamed()) {
                    match.append(",dl_vlan_pcp=").append(parts.random().nextInt(8));
                }
            }
            if (isNamed()) {
                match.append(",nw_tos=").append(4 * parts.random().nextInt(64));
            }
            match.append(",nw_src=").append(parts.prefix(parts.length(RandomParts.MIXED)));
            match.append(",nw_dst=").append(parts.prefix(parts.length(RandomParts.SPECIFIC)));
            if (parts.random().nextInt(3) > 0) {
                match.append(",tp_dst=").append(parts.wellKnownPort());
            }
            if (seen.add(match.toString())) {
                lines.add(
                        parts.flow(1 + parts.random().nextInt(highestPriority), match.toString()));
            }
        }
        return lines;
    }

    private boolean isNamed() {
        return parts.random().nextDouble() >= wildRatio;
    }
}
