package dev.sluice.operators.connections;

import java.util.Random;
import org.jspecify.annotations.Nullable;

/** Packet of few addresses, ports and kinds, so that random ones meet. */
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
    static final int[] PROTOCOLS = {6, 6, 6, 6, 6, 17, 17, 1, 58, 47, 136, 132, 33, 50};
    private static final int[] FLAGS = {2, 2, 18, 18, 16, 16, 16, 17, 17, 4, 20, 0, 3, 0x92, 0x31};
    private static final int[] TYPES4 = {
        8, 8, 0, 0, 13, 14, 15, 16, 17, 18, 3, 4, 5, 11, 12, 9, 42
    };
    private static final int[] TYPES6 = {
        128, 128, 129, 129, 139, 140, 1, 3, 127, 130, 136, 143, 137, 151, 153
    };
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
                FLAGS[random.nextInt(FLAGS.length)],
                embedded);
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
        return isControl()
                ? tuple.icmp(to >>> 8, to & 0xff, from)
                : tuple.ports(from, to).tcpFlags(flags);
    }
}
