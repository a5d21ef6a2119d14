package dev.sluice.job.capture;

import dev.sluice.schemas.header.Field;
import dev.sluice.schemas.header.HeaderWord;

/**
 * Parser of the packet that an ICMP or ICMPv6 error embeds, for the flow that the error is about.
 *
 * <p>It reads what Linux's conntrack reads: an embedded packet that is cut before its ports or
 * within its header, that is a later fragment, or whose source is not the error's destination gives
 * no flow. Sources: RFC 792, RFC 4443, RFC 4861 sections 4.5 and 4.6.3. Not thread-safe.
 */
record EmbeddedPacket(PacketBytes bytes, AskedFields asked) {
    private static final int REDIRECT_6 = 137;
    private static final int REDIRECTED_HEADER = 4;
    private static final int LINK_LOCAL = 0xfe80 >>> 6;

    /**
     * Reads the packet that an ICMP message embeds, if it is an error.
     *
     * @param at of the message, of which 8 bytes are there
     */
    void read(int at, boolean six) {
        int type = bytes.byteAt(at);
        if (!six) {
            switch (type) {
                case 3, 4, 5, 11, 12 -> ipv4(at + 8);
                default -> {}
            }
        } else if (type < 128) {
            ipv6(at + 8);
        } else if (type == REDIRECT_6
                && bytes.byteAt(at + 1) == 0
                && bytes.out.words[HeaderWord.IPV6_SRC] >>> 22 == LINK_LOCAL
                && bytes.has(at + 48L)
                && bytes.byteAt(at + 40) == REDIRECTED_HEADER
                && bytes.byteAt(at + 41) != 0) {
            ipv6(at + 48);
        }
    }

    private void ipv4(int at) {
        int[] words = bytes.out.words;
        if (!bytes.has(at + 20L)) {
            return;
        }
        int behind = at + (bytes.byteAt(at) & 0xf) * 4;
        if (bytes.has(behind)
                && (bytes.shortAt(at + 6) & IpNumbers.FRAGMENT_OFFSET) == 0
                && bytes.intAt(at + 12) == words[HeaderWord.IPV4_DST]
                && flow(bytes.byteAt(at + 9), behind)) {
            words[HeaderWord.FLOW_DST] = bytes.intAt(at + 16);
        }
    }

    private void ipv6(int at) {
        if (!bytes.has(at + 40L)) {
            return;
        }
        int[] words = bytes.out.words;
        for (int i = 0; i < 4; i++) {
            if (bytes.intAt(at + 8 + 4 * i) != words[HeaderWord.IPV6_DST + i]) {
                return;
            }
        }
        int next = bytes.byteAt(at + 6);
        int p = at + 40;
        while (IpNumbers.isExtension(next)) {
            if (!bytes.has(p + 8L)) {
                return;
            }
            int length = IpNumbers.extensionBytes(next, bytes.byteAt(p + 1));
            if (next == IpNumbers.FRAGMENT && (bytes.shortAt(p + 2) & 0xfff8) != 0) {
                return;
            }
            next = bytes.byteAt(p);
            p += length;
        }
        if (flow(next, p)) {
            for (int i = 0; i < 4; i++) {
                words[HeaderWord.FLOW_DST + i] = bytes.intAt(at + 24 + 4 * i);
            }
        }
    }

    /** States a flow's protocol and ports; returns false if its ports are cut off. */
    private boolean flow(int proto, int at) {
        int ports = 0;
        if (IpNumbers.hasPorts(proto)) {
            if (!bytes.has(at + 4L)) {
                return false;
            }
            ports = bytes.intAt(at);
        } else if (proto == IpNumbers.ICMP || proto == IpNumbers.ICMPV6) {
            if (!bytes.has(at + 8L)) {
                return false;
            }
            ports = bytes.icmpAt(at);
        }
        int[] words = bytes.out.words;
        Field.FLOW_DST_4.markPresent(words);
        Field.FLOW_PROTO.put(words, proto);
        Field.FLOW_PORTS.put(words, ports);
        if (proto == IpNumbers.GRE) {
            asked.readGre(bytes, at, words);
        }
        return true;
    }
}
