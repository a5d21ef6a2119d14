package dev.sluice.policy.kernel;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Connections that packets belong to, as {@code conntrack -R} enters them into a kernel: each
 * packet comes from the side that it is usual of.
 */
final class OpenConnections {
    private static final int SYN_AND_ACK = 0x12;

    /** The requests of ICMP and ICMPv6 that have answers, by both types. */
    private static final Map<Integer, Integer> REQUESTS4 =
            Map.of(8, 8, 0, 8, 13, 13, 14, 13, 15, 15, 16, 15, 17, 17, 18, 17);

    private static final Map<Integer, Integer> REQUESTS6 =
            Map.of(128, 128, 129, 128, 139, 139, 140, 139);

    private final List<ProbePacket> packets = new ArrayList<>();
    private final StringBuilder entries = new StringBuilder();
    private final Set<List<Object>> ends = new HashSet<>();

    private OpenConnections() {}

    /**
     * Enters connections of packets into a namespace, and returns the packets that belong to them:
     * one of each connection, and those that belong to none ever.
     */
    static List<ProbePacket> open(List<ProbePacket> packets, KernelNamespace namespace)
            throws Exception {
        OpenConnections open = new OpenConnections();
        packets.forEach(open::add);
        namespace.run("1\n", List.of("tee", "/proc/sys/net/netfilter/nf_conntrack_tcp_be_liberal"));
        namespace.run(open.entries.toString(), List.of("conntrack", "-R", "-"));
        return open.packets;
    }

    /** Adds a packet and its connection; leaves out a packet of a connection that is there. */
    private void add(ProbePacket packet) {
        int protocol = packet.number(ProbeField.PROTOCOL);
        boolean icmp = protocol == ProbePacket.ICMP || protocol == ProbePacket.ICMP6;
        int type = packet.number(ProbeField.ICMP_TYPE);
        Integer request = (packet.version() == 4 ? REQUESTS4 : REQUESTS6).get(type);
        boolean error = packet.version() == 4 ? Set.of(3, 4, 5, 11, 12).contains(type) : type < 128;
        if (icmp && request == null) {
            if (!error) { // an error holds a packet of its connection, which this one does not
                packets.add(packet);
            }
            return;
        }
        boolean answers =
                icmp
                        ? request != type
                        : protocol == ProbePacket.TCP
                                && (packet.number(ProbeField.TCP_FLAGS) & SYN_AND_ACK)
                                        == SYN_AND_ACK;
        ProbeField from = answers ? ProbeField.DESTINATION : ProbeField.SOURCE;
        ProbeField to = answers ? ProbeField.SOURCE : ProbeField.DESTINATION;
        int fromPort =
                packet.number(answers ? ProbeField.DESTINATION_PORT : ProbeField.SOURCE_PORT);
        int toPort = packet.number(answers ? ProbeField.SOURCE_PORT : ProbeField.DESTINATION_PORT);
        int code = packet.number(ProbeField.ICMP_CODE);
        String transport =
                switch (protocol) {
                    case ProbePacket.TCP, ProbePacket.UDP ->
                            " --sport %d --dport %d".formatted(fromPort, toPort);
                    case ProbePacket.ICMP ->
                            " --icmp-type %d --icmp-code %d --icmp-id 0".formatted(request, code);
                    case ProbePacket.ICMP6 ->
                            " --icmpv6-type %d --icmpv6-code %d --icmpv6-id 0"
                                    .formatted(request, code);
                    default -> "";
                };
        boolean ports = protocol == ProbePacket.TCP || protocol == ProbePacket.UDP;
        List<Object> one = List.of(packet.get(from), ports ? fromPort : icmp ? request : 0);
        List<Object> two = List.of(packet.get(to), ports ? toPort : icmp ? code : 0);
        Object both = icmp ? List.of(one, two) : new HashSet<>(List.of(one, two));
        if (one.equals(two) || !ends.add(List.of(protocol, both))) {
            return;
        }
        packets.add(packet);
        entries.append("-I -p ")
                .append(protocol)
                .append(protocol == ProbePacket.TCP ? " --state ESTABLISHED" : "")
                .append(" -t 300 -u SEEN_REPLY -s ")
                .append(text(packet, from))
                .append(" -d ")
                .append(text(packet, to))
                .append(transport)
                .append('\n');
    }

    private static String text(ProbePacket packet, ProbeField address) {
        return ValuePool.text(packet.get(address), packet.version() == 4 ? 32 : 128);
    }
}
