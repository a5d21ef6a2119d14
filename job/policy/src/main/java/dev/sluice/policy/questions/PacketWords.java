package dev.sluice.policy.questions;

import dev.sluice.policy.NetworkNames;
import dev.sluice.policy.model.AskedFacts;
import dev.sluice.schemas.header.Field;
import dev.sluice.schemas.header.FieldBits;
import inet.ipaddr.ipv6.IPv6Address;
import java.nio.ByteBuffer;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Headers in words, as in {@code tcp 10.0.0.1:40000 > 10.1.0.2:443 in eth0 syn}: protocol, source,
 * destination, interfaces, then what else is not usual.
 */
public final class PacketWords {
    private static final String[] FLAGS = {
        "fin", "syn", "rst", "psh", "ack", "urg", "ece", "cwr", "ns"
    };
    private static final Map<Integer, String> PROTOCOLS = names();
    private static final int INTERFACE = 0xffff;
    private static final List<Field> OTHERS =
            List.of(
                    Field.IN_PORT,
                    Field.ETH_SRC,
                    Field.ETH_DST,
                    Field.VLAN_ID,
                    Field.VLAN_PRIORITY,
                    Field.TOS,
                    Field.SPI,
                    Field.FRAME_LENGTH,
                    Field.TUNNEL_ID,
                    Field.IP_ID,
                    Field.IPV6_EXTENSIONS,
                    Field.ARP_OP,
                    Field.ARP_SPA,
                    Field.ARP_TPA,
                    Field.MARK,
                    Field.CONNECTION_STATE);

    private PacketWords() {}

    private static Map<Integer, String> names() {
        Map<Integer, String> names = new TreeMap<>();
        for (String name : List.of("icmp", "igmp", "ipip", "tcp", "udp", "dccp", "ipv6", "gre")) {
            names.put(NetworkNames.PROTOCOLS.get(name), name);
        }
        for (String name : List.of("esp", "ah", "icmpv6", "ospf", "vrrp", "sctp", "udplite")) {
            names.put(NetworkNames.PROTOCOLS.get(name), name);
        }
        return names;
    }

    /**
     * A header in words.
     *
     * @param asked the names of the numbers that interfaces have
     */
    public static String of(int[] header, AskedFacts asked) {
        StringBuilder text = new StringBuilder();
        int version = of(header, Field.IP_VERSION);
        int protocol = of(header, Field.IP_PROTO);
        boolean ports = of(header, Field.PORTS_PRESENT) == 1;
        boolean icmp = protocol == 1 || protocol == 58;
        if (version == Field.VERSION_NONE) {
            int type = of(header, Field.ETH_TYPE);
            text.append(type == 0x0806 ? "arp" : "ethertype 0x%04x".formatted(type));
        } else {
            boolean v6 = version == Field.VERSION_6;
            String name = PROTOCOLS.get(protocol);
            text.append(name == null ? "protocol " + protocol : name).append(' ');
            text.append(end(header, v6, true, ports && !icmp)).append(" > ");
            text.append(end(header, v6, false, ports && !icmp));
        }
        if (ports && icmp) {
            text.append(" type ").append(of(header, Field.SRC_PORT));
            text.append(" code ").append(of(header, Field.DST_PORT));
        }
        addInterface(text, header, asked, true);
        addInterface(text, header, asked, false);
        if (protocol == 6 && ports) {
            addFlags(text, of(header, Field.TCP_FLAGS));
        }
        int fragment = of(header, Field.FRAGMENT);
        text.append(
                fragment == Field.FRAGMENT_NONE
                        ? ""
                        : fragment == Field.FRAGMENT_FIRST ? " first-fragment" : " later-fragment");
        addOthers(text, header);
        return text.toString();
    }

    private static int of(int[] header, Field field) {
        return field.extract(header[field.word()]);
    }

    private static String end(int[] header, boolean v6, boolean source, boolean port) {
        Field field =
                v6
                        ? source ? Field.IPV6_SRC : Field.IPV6_DST
                        : source ? Field.IPV4_SRC : Field.IPV4_DST;
        String address =
                v6
                        ? new IPv6Address(FieldBits.ipv6(header, field)).toCanonicalString()
                        : v4(Integer.toUnsignedLong(of(header, field)));
        int number = of(header, source ? Field.SRC_PORT : Field.DST_PORT);
        return !port ? address : (v6 ? "[" + address + "]" : address) + ":" + number;
    }

    private static void addInterface(
            StringBuilder text, int[] header, AskedFacts asked, boolean incoming) {
        Field field = incoming ? Field.IN_INTERFACE : Field.OUT_INTERFACE;
        int number = of(header, field) & INTERFACE;
        if (number > 0 && number <= asked.interfaces().size()) {
            String name = asked.interfaces().get(number - 1);
            text.append(incoming ? " in " : " out ").append(name.replace("+", "*"));
        }
    }

    private static void addFlags(StringBuilder text, int flags) {
        String separator = " ";
        for (int bit = 0; bit < 12; bit++) {
            if ((flags >>> bit & 1) != 0) {
                text.append(separator).append(bit < FLAGS.length ? FLAGS[bit] : "bit" + bit);
                separator = ",";
            }
        }
        text.append(flags == 0 ? " no-flags" : "");
    }

    private static void addOthers(StringBuilder text, int[] header) {
        for (Field field : OTHERS) {
            long value =
                    field.bits() == 48
                            ? FieldBits.mac(header, field)
                            : Integer.toUnsignedLong(of(header, field));
            if (value != 0) {
                text.append(' ').append(field.label()).append(' ');
                text.append(
                        switch (field.text()) {
                            case MAC -> mac(value);
                            case ADDRESS -> v4(value);
                            default -> Long.toString(value);
                        });
            }
        }
        boolean ip = of(header, Field.IP_VERSION) != Field.VERSION_NONE;
        if (ip && of(header, Field.TTL) != HeaderSpace.USUAL_TTL) {
            text.append(" ttl ").append(of(header, Field.TTL));
        }
        if (ip && of(header, Field.IP_LENGTH) != HeaderSpace.USUAL_LENGTH) {
            text.append(" length ").append(of(header, Field.IP_LENGTH));
        }
    }

    private static String v4(long value) {
        return "%d.%d.%d.%d"
                .formatted(value >>> 24, value >>> 16 & 0xff, value >>> 8 & 0xff, value & 0xff);
    }

    private static String mac(long value) {
        return HexFormat.ofDelimiter(":")
                .formatHex(ByteBuffer.allocate(8).putLong(0, value).array(), 2, 8);
    }
}
