package dev.sluice.job.report;

import dev.sluice.policy.NetworkNames;
import dev.sluice.schemas.codec.PacketField;
import java.util.Map;
import java.util.TreeMap;

/** Services of packets as numbers: protocol with destination port, or with type of ICMP. */
final class Service {
    /** Service that is not asked for. */
    static final int NONE = -2;

    private static final int NOT_IP = -1;
    private static final int PORT = 1 << 16;
    private static final int ICMP = 1;
    private static final int ICMP6 = 58;
    private static final Map<Integer, String> PROTOCOLS = names();

    private Service() {}

    private static Map<Integer, String> names() {
        Map<Integer, String> names = new TreeMap<>();
        for (String name :
                new String[] {
                    "icmp", "igmp", "ipip", "tcp", "udp", "dccp", "ipv6", "gre", "esp", "ah",
                    "icmpv6", "ospf", "pim", "vrrp", "sctp", "udplite"
                }) {
            Integer number = NetworkNames.PROTOCOLS.get(name);
            if (number != null) {
                names.put(number, name);
            }
        }
        return names;
    }

    /** The number of a packet's service. */
    static int code(PacketCounts.Fields of) {
        if (!(of.value(PacketField.IP_PROTO) instanceof Integer protocol)) {
            return NOT_IP;
        }
        boolean icmp = protocol == ICMP || protocol == ICMP6;
        Object port = of.value(icmp ? PacketField.SRC_PORT : PacketField.DST_PORT);
        return protocol << 17 | (port instanceof Integer number ? PORT | number & 0xffff : 0);
    }

    /** A service in words: {@code 443/tcp}, {@code icmp type 8}, {@code gre}. */
    static String words(int code) {
        if (code < 0) {
            return code == NONE ? "" : "not IP";
        }
        int protocol = code >>> 17;
        String name = PROTOCOLS.getOrDefault(protocol, "protocol " + protocol);
        int port = code & 0xffff;
        if ((code & PORT) == 0) {
            return name;
        }
        return protocol == ICMP || protocol == ICMP6 ? name + " type " + port : port + "/" + name;
    }
}
