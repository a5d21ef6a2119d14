package dev.sluice.operators.connections;

import dev.sluice.schemas.header.HeaderWord;
import dev.sluice.schemas.header.SctpChunks;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/**
 * Packet of few addresses, ports and kinds, so that random ones meet.
 *
 * @param flags of TCP; of SCTP number of {@link ReferenceSctp#PACKETS}, from bit 8 on the tag, from
 *     bit 12 on the initiate tag
 */
record DrawnPacket(
        int version,
        String source,
        String destination,
        int protocol,
        int from,
        int to,
        int flags,
        @Nullable DrawnPacket embedded) {
    static final int[] TCP = {6};
    static final int[] SCTP = {132};
    static final int[] PROTOCOLS = {6, 6, 6, 6, 6, 17, 17, 1, 58, 47, 136, 132, 33, 50};
    private static final int[] FLAGS = {2, 2, 18, 18, 16, 16, 16, 17, 17, 4, 20, 0, 3, 0x92, 0x31};
    private static final int[] TYPES4 = {
        8, 8, 0, 0, 13, 14, 15, 16, 17, 18, 3, 4, 5, 11, 12, 9, 42
    };
    private static final int[] TYPES6 = {
        128, 128, 129, 129, 139, 140, 1, 3, 127, 130, 136, 143, 137, 151, 153
    };
    private static final List<String> KINDS =
            List.of(
                    "init", "initack", "abort", "shut", "shutack", "error", "echo", "cack", "comp",
                    "hb", "hback", "abortT", "compT");
    private static final int[] ADDRESSES = {0x0a000001, 0x0a000002, 0xc0000001};

    static DrawnPacket random(Random random, int[] protocols, int ports, int deep) {
        int version = random.nextInt(3) == 0 ? 6 : 4;
        int protocol = protocols[random.nextInt(protocols.length)];
        if ((protocol == 1 || protocol == 58) && random.nextInt(20) > 0) {
            protocol = version == 4 ? 1 : 58;
        }
        boolean control = protocol == (version == 4 ? 1 : 58);
        int from = 1 + random.nextInt(ports);
        int to = 1 + random.nextInt(ports);
        if (control) {
            int[] types = version == 4 ? TYPES4 : TYPES6;
            to = types[random.nextInt(types.length)] << 8 | random.nextInt(2);
        }
        DrawnPacket embedded =
                control && deep > 0 && random.nextInt(8) > 0
                        ? random(random, protocols, ports, deep - 1)
                        : null;
        int one = ADDRESSES[random.nextInt(ADDRESSES.length)];
        int two = ADDRESSES[random.nextInt(ADDRESSES.length)];
        return new DrawnPacket(
                version,
                Integer.toHexString(one),
                Integer.toHexString(two),
                protocol,
                from,
                to,
                protocol == 132 ? sctp(random) : FLAGS[random.nextInt(FLAGS.length)],
                embedded);
    }

    private static int sctp(Random random) {
        boolean told = random.nextInt(1000) > 0;
        int packet = told ? random.nextInt(ReferenceSctp.PACKETS.size() - 1) : 25;
        boolean init = ReferenceSctp.PACKETS.get(packet).startsWith("init");
        int tag = random.nextInt(8) / 7;
        if (packet > 1 && random.nextInt(16) > 0) {
            tag++;
        }
        return packet | tag << 8 | (init ? 1 + random.nextInt(8) / 7 << 12 : 0);
    }

    private boolean hasPorts() {
        return protocol == 6 || protocol == 17 || protocol == 132 || protocol == 136;
    }

    /** The source port, or 0. */
    int sourcePort() {
        return hasPorts() ? from : 0;
    }

    /** The destination port, the id of a call of GRE, or 0. */
    int destinationPort() {
        return hasPorts() ? to : protocol == 47 ? to - 1 : 0;
    }

    /** The chunks of SCTP. */
    String chunks() {
        return ReferenceSctp.PACKETS.get(flags & 0xff);
    }

    int tag() {
        return flags >>> 8 & 15;
    }

    int initTag() {
        return flags >>> 12;
    }

    boolean tellsChunks() {
        return protocol == 132 && !chunks().equals("untold");
    }

    /** Writes the words of SCTP into a header. */
    void putChunks(int[] header) {
        int chunks = 0;
        int shift = 0;
        for (String chunk : chunks().split(" ")) {
            if (KINDS.contains(chunk)) {
                chunks |= KINDS.indexOf(chunk) + 1 << shift;
                shift += SctpChunks.KIND_BITS;
            } else {
                chunks |= chunk.equals("data") ? SctpChunks.DATA : SctpChunks.OTHER;
            }
        }
        header[SctpChunks.TAG] = tag();
        header[SctpChunks.INIT_TAG] = initTag();
        header[SctpChunks.CHUNKS] = chunks;
    }

    boolean isControl() {
        return protocol == (version == 4 ? 1 : 58);
    }

    PacketTuple fill(PacketTuple tuple) {
        int one = Integer.parseUnsignedInt(source, 16);
        int two = Integer.parseUnsignedInt(destination, 16);
        if (version == 4) {
            tuple.ipv4(one, two, protocol);
        } else {
            tuple.ipv6(new int[] {7, 0, 0, one}, new int[] {7, 0, 0, two}, protocol);
        }
        if (tellsChunks()) {
            int[] words = new int[HeaderWord.COUNT];
            putChunks(words);
            tuple.segment(words, true);
        }
        return isControl()
                ? tuple.icmp(to >>> 8, to & 0xff, from)
                : tuple.ports(sourcePort(), destinationPort()).tcpFlags(flags);
    }
}
