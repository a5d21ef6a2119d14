package dev.sluice.job.lab.generate;

import dev.sluice.job.SluiceException;
import dev.sluice.schemas.header.Field;
import dev.sluice.schemas.header.FieldBits;
import dev.sluice.schemas.header.HeaderWord;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** A given number of masks, some of them full (GSwitch, CoNEXT 2014, §7). */
record MaskRules(RandomParts parts, RuleGenerator.MaskCounts maskCounts) {
    private static final int COMMON_SRC = 0x0a010203;
    private static final int COMMON_DST = 0x0a040506;
    private static final int COMMON_SRC_PORT = 1000;
    private static final int COMMON_DST_PORT = 80;

    /** What the common header's fields beyond the 5-tuple are made from. */
    private static final int COMMON_NUMBER = 1;

    private static final int TCP = 6;

    /** The header that a rule of each of the Cm masks matches. */
    static int[] commonHeader() {
        int[] header = new int[HeaderWord.COUNT];
        header[HeaderWord.IN_PORT] = Field.IN_PORT.place(inPort(COMMON_NUMBER));
        long mac = RandomParts.macBits(COMMON_NUMBER);
        FieldBits.orMac(header, Field.ETH_SRC, mac);
        FieldBits.orMac(header, Field.ETH_DST, mac);
        header[HeaderWord.ETHER] |=
                Field.VLAN_PRESENT.place(1) | Field.VLAN_ID.place(vlan(COMMON_NUMBER));
        header[HeaderWord.IP] = Field.IP_PROTO.place(TCP) | Field.TOS.place(tos(COMMON_NUMBER));
        header[HeaderWord.IPV4_SRC] = COMMON_SRC;
        header[HeaderWord.IPV4_DST] = COMMON_DST;
        header[HeaderWord.PORTS] = COMMON_SRC_PORT << 16 | COMMON_DST_PORT;
        return header;
    }

    /**
     * N rules of C masks: F full ones share all but one rule for each of the others. Cm masks hold
     * a rule that matches the common header.
     */
    List<String> lines(int count) {
        int share = (count - (maskCounts.masks() - maskCounts.full())) / maskCounts.full();
        List<int[]> masks = masks();
        List<String> lines = new ArrayList<>();
        Set<String> seen = new LinkedHashSet<>();
        for (int c = 0; c < maskCounts.masks(); c++) {
            int rules = c < maskCounts.full() ? share : 1;
            for (int r = 0, tries = 0; r < rules && tries < 50 * rules; tries++) {
                boolean common = r == 0 && c < maskCounts.matching();
                String match = maskMatch(masks.get(c), common);
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

    private String maskMatch(int[] mask, boolean common) {
        int src = common ? COMMON_SRC : parts.random().nextInt();
        int dst = common ? COMMON_DST : parts.random().nextInt();
        int n = common ? COMMON_NUMBER : parts.random().nextInt(4096);
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
            match.append(",tp_src=")
                    .append(common ? COMMON_SRC_PORT : parts.random().nextInt(65_536));
        }
        if ((named & 4) != 0) {
            match.append(",tp_dst=")
                    .append(common ? COMMON_DST_PORT : parts.random().nextInt(65_536));
        }
        if ((named & 8) != 0) {
            match.append(",in_port=").append(inPort(n));
        }
        if ((named & 16) != 0) {
            match.append(",dl_src=").append(RandomParts.mac(n));
        }
        if ((named & 32) != 0) {
            match.append(",dl_dst=").append(RandomParts.mac(n));
        }
        if ((named & 64) != 0) {
            match.append(",dl_vlan=").append(vlan(n));
        }
        if ((named & 128) != 0) {
            match.append(",nw_tos=").append(tos(n));
        }
        return match.toString();
    }

    private static int inPort(int n) {
        return 1 + n % 48;
    }

    private static int vlan(int n) {
        return 1 + n % 4000;
    }

    private static int tos(int n) {
        return 4 * (n % 64);
    }
}
