package dev.sluice.lab.generate;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Entries that name all ten fields of OpenFlow 0.8.9, beside one in a thousand with wildcards
 * (PacketShader, SIGCOMM 2010, §6.2.3).
 */
record ExactRules(RandomParts parts) {
    private static final int PRIORITY = 60_000;
    private static final int ENTRIES_A_WILDCARD = 1_001;
    private static final double WILD_RATIO = 0.5;

    List<String> lines(int count) {
        SplittableRandom random = parts.random();
        int wildcards = count / ENTRIES_A_WILDCARD;
        List<String> lines = new ArrayList<>();
        while (lines.size() < count - wildcards) {
            String match =
                    ",%s,in_port=%d,dl_src=%s,dl_dst=%s,dl_vlan=%d,nw_src=%s,nw_dst=%s,tp_src=%d,tp_dst=%d"
                            .formatted(
                                    random.nextBoolean() ? "tcp" : "udp",
                                    1 + random.nextInt(48),
                                    RandomParts.mac(random.nextInt()),
                                    RandomParts.mac(random.nextInt()),
                                    random.nextInt(4096),
                                    RandomParts.dotted(random.nextInt()),
                                    RandomParts.dotted(random.nextInt()),
                                    random.nextInt(65_536),
                                    random.nextInt(65_536));
            lines.add(parts.flow(PRIORITY, match));
        }
        lines.addAll(new OpenFlowRules(parts, WILD_RATIO).lines(wildcards, PRIORITY - 1));
        return lines;
    }
}
