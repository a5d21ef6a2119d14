package dev.sluice.policy.appliance;

import dev.sluice.schemas.header.Field;
import dev.sluice.schemas.header.HeaderWord;
import java.util.Random;

/**
 * First packet of a connection on its way through a firewall.
 *
 * @param from last byte of an address in 10.0.0.0/24, or in 2001:db8::/64
 * @param flags flags of TCP
 */
public record FirewallPacket(
        String in,
        String out,
        boolean v6,
        int from,
        int to,
        int protocol,
        int fromPort,
        int toPort,
        int flags) {
    private static final int[] PROTOCOLS = {6, 6, 6, 17, 17, 1, 58};
    private static final int[] PORTS = {22, 53, 80, 81, 443, 1023, 1024, 8080};
    private static final int[] FLAGS = {0x02, 0x02, 0x02, 0x10, 0x12, 0x04};

    /** Draws a packet between interfaces. */
    public static FirewallPacket draw(Random random, String in, String out, boolean bothVersions) {
        int protocol = PROTOCOLS[random.nextInt(PROTOCOLS.length)];
        boolean icmp = protocol == 1 || protocol == 58;
        boolean v6 = protocol == 58 || protocol != 1 && bothVersions && random.nextInt(4) == 0;
        return new FirewallPacket(
                in,
                out,
                v6,
                random.nextInt(12),
                random.nextInt(12),
                protocol,
                icmp
                        ? new int[] {0, 8, 128}[random.nextInt(3)]
                        : PORTS[random.nextInt(PORTS.length)],
                icmp ? random.nextInt(2) : PORTS[random.nextInt(PORTS.length)],
                protocol == 6 ? FLAGS[random.nextInt(FLAGS.length)] : 0);
    }

    /** The words of its header. */
    public int[] header() {
        int[] header = new int[HeaderWord.COUNT];
        Field.IP_VERSION.put(header, v6 ? Field.VERSION_6 : Field.VERSION_4);
        if (v6) {
            header[Field.IPV6_SRC.word()] = 0x20010db8;
            header[Field.IPV6_SRC.word() + 3] = from;
            header[Field.IPV6_DST.word()] = 0x20010db8;
            header[Field.IPV6_DST.word() + 3] = to;
        } else {
            Field.IPV4_SRC.put(header, 0x0a000000 | from);
            Field.IPV4_DST.put(header, 0x0a000000 | to);
        }
        Field.IP_PROTO.put(header, protocol);
        Field.SRC_PORT.put(header, fromPort);
        Field.DST_PORT.put(header, toPort);
        Field.PORTS_PRESENT.put(header, 1);
        Field.TCP_FLAGS.put(header, flags);
        return header;
    }

    /** The last byte of an end. */
    public int end(boolean source) {
        return source ? from : to;
    }

    /** Picks one of some texts. */
    public static String pick(Random random, String... of) {
        return of[random.nextInt(of.length)];
    }
}
