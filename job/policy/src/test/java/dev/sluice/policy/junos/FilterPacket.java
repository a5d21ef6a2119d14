package dev.sluice.policy.junos;

import dev.sluice.schemas.header.Field;
import dev.sluice.schemas.header.HeaderWord;
import java.util.Random;
import java.util.Set;

/**
 * IPv4 packet that a filter judges.
 *
 * @param source source port, or type of ICMP
 * @param destination destination port, or code of ICMP
 * @param fragment 0 for a whole packet, 1 for a first fragment, 2 for a later one
 */
record FilterPacket(
        int from,
        int to,
        int protocol,
        int source,
        int destination,
        int flags,
        int fragment,
        int ttl,
        int tos,
        int length) {
    static final int TCP = 6;
    static final int UDP = 17;
    private static final int[] PROTOCOLS = {TCP, TCP, TCP, UDP, UDP, 1, 47, 132};
    private static final int[] FLAGS = {0x02, 0x10, 0x12, 0x04, 0x18, 0x00, 0x29};
    private static final int[] PORTS = {21, 22, 23, 25, 79, 80, 443, 1024, 50000};

    /** A packet at the corners of what random filters ask for. */
    static FilterPacket random(Random random) {
        int protocol = PROTOCOLS[random.nextInt(PROTOCOLS.length)];
        boolean icmp = protocol == 1;
        return new FilterPacket(
                address(random),
                address(random),
                protocol,
                icmp ? 8 * random.nextInt(2) : PORTS[random.nextInt(PORTS.length)],
                icmp ? 0 : PORTS[random.nextInt(PORTS.length)],
                protocol == TCP ? FLAGS[random.nextInt(FLAGS.length)] : 0,
                random.nextInt(5) == 0 ? 1 + random.nextInt(2) : 0,
                63 + random.nextInt(3),
                8 * random.nextInt(32),
                99 + random.nextInt(3));
    }

    private static int address(Random random) {
        int[] bases = {0x0a000000, 0x0a010000, 0x0a010100, 0xc0000200, 0x0a010180, 0x08080808};
        return bases[random.nextInt(bases.length)] + random.nextInt(3);
    }

    boolean hasPorts() {
        return fragment != 2 && protocol != 1 && protocol != 47;
    }

    boolean isIcmp() {
        return fragment != 2 && protocol == 1;
    }

    int[] header() {
        int[] header = new int[HeaderWord.COUNT];
        Field.IP_VERSION.put(header, Field.VERSION_4);
        Field.IPV4_SRC.put(header, from);
        Field.IPV4_DST.put(header, to);
        Field.IP_PROTO.put(header, protocol);
        Field.FRAGMENT.put(
                header,
                fragment == 0
                        ? Field.FRAGMENT_NONE
                        : fragment == 1 ? Field.FRAGMENT_FIRST : Field.FRAGMENT_LATER);
        Field.TOS.put(header, tos);
        Field.TTL_PRESENT.put(header, 1);
        Field.TTL.put(header, ttl);
        Field.IP_LENGTH_PRESENT.put(header, 1);
        Field.IP_LENGTH.put(header, length);
        if (fragment != 2 && Set.of(TCP, UDP, 1, 132).contains(protocol)) {
            Field.PORTS_PRESENT.put(header, 1);
            Field.SRC_PORT.put(header, source);
            Field.DST_PORT.put(header, destination);
            Field.TCP_FLAGS.put(header, flags);
        }
        return header;
    }
}
