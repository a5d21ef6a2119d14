package dev.sluice.lab.generate;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;

/**
 * Twelve fields, those beyond the 5-tuple wild by a ratio (H-HashTree, JPDC 2022, §5).
 *
 * @param wildRatio share of wild values, 0 to 1
 */
record OpenFlowRules(RandomParts parts, double wildRatio) {
    List<String> lines(int count) {
        List<String> lines = new ArrayList<>();
        Set<String> seen = new LinkedHashSet<>();
        int tries = 0;
        while (lines.size() < count && tries++ < 20 * count + 100) {
            String match = match();
            if (seen.add(match)) {
                lines.add(parts.flow(1 + parts.random().nextInt(65_535), match));
            }
        }
        return lines;
    }

    private String match() {
        String match =
                ",tcp"
                        + field("in_port", () -> 1 + parts.random().nextInt(48))
                        + field("dl_src", () -> RandomParts.mac(parts.random().nextInt(4096)))
                        + field("dl_dst", () -> RandomParts.mac(parts.random().nextInt(4096)));
        String vlan = field("dl_vlan", () -> 1 + parts.random().nextInt(256));
        String priority =
                vlan.isEmpty() ? "" : field("dl_vlan_pcp", () -> parts.random().nextInt(8));
        return match
                + vlan
                + priority
                + field("nw_tos", () -> 4 * parts.random().nextInt(64))
                + ",nw_src="
                + parts.prefix(parts.length(RandomParts.MIXED))
                + ",nw_dst="
                + parts.prefix(parts.length(RandomParts.SPECIFIC))
                + (parts.random().nextInt(3) > 0 ? ",tp_dst=" + parts.wellKnownPort() : "");
    }

    /** A field behind its comma; nothing where the field is wild. */
    private String field(String name, Supplier<Object> value) {
        return parts.random().nextDouble() >= wildRatio ? "," + name + "=" + value.get() : "";
    }
}
