package dev.sluice.policy.questions;

import dev.sluice.policy.NetworkNames;
import dev.sluice.policy.model.AskedFacts;
import dev.sluice.policy.model.ConditionText;
import dev.sluice.policy.model.HeaderValues;
import dev.sluice.schemas.header.Field;
import dev.sluice.schemas.header.HeaderWord;
import java.math.BigInteger;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.StringJoiner;
import java.util.TreeMap;

/**
 * Headers in words, as in {@code tcp 10.0.0.1:40000 > 10.1.0.2:443 in eth0 syn}: protocol, source,
 * destination, interfaces, then what else is not usual.
 */
public final class PacketWords {
    static final int USUAL_TTL = 64;
    static final int USUAL_LENGTH = 60;

    private static final Map<Integer, String> PROTOCOLS = names();
    private static final int INTERFACE = 0xffff;

    /** Bit of a header whose interface is known. */
    private static final int KNOWN_INTERFACE = 0x2_0000;

    /** Name for interfaces that no rule names. */
    public static final String OTHER = "other";

    /** Word of a TCP packet without flags. */
    public static final String NO_FLAGS = "no-flags";

    /** Fields behind their labels, where a packet has one that is not 0. */
    public static final List<Field> OTHERS =
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

    /** Fields of examples, where packets have them. */
    private static final List<Field> TOLD =
            List.of(
                    Field.ETH_TYPE,
                    Field.IP_VERSION,
                    Field.IP_PROTO,
                    Field.FRAGMENT,
                    Field.PORTS_PRESENT,
                    Field.SRC_PORT,
                    Field.DST_PORT,
                    Field.TCP_FLAGS);

    /** Present bits of fields that packets have, whatever is said. */
    private static final Set<Field> STATED = Set.of(Field.IPV6_EXTENSIONS_PRESENT);

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
        boolean icmp = isIcmp(header);
        if (version == Field.VERSION_NONE) {
            int type = of(header, Field.ETH_TYPE);
            text.append(type == 0x0806 ? "arp" : "ethertype 0x%04x".formatted(type));
        } else {
            boolean v6 = version == Field.VERSION_6;
            text.append(protocol(protocol)).append(' ');
            text.append(end(header, v6, true, ports && !icmp)).append(" > ");
            text.append(end(header, v6, false, ports && !icmp));
        }
        if (ports && icmp) {
            text.append(" type ").append(of(header, Field.SRC_PORT));
            text.append(" code ").append(of(header, Field.DST_PORT));
        }
        addInterface(text, header, asked, Field.IN_INTERFACE);
        addInterface(text, header, asked, Field.OUT_INTERFACE);
        if (protocol == 6 && ports) {
            text.append(' ').append(flags(of(header, Field.TCP_FLAGS)));
        }
        int fragment = of(header, Field.FRAGMENT);
        text.append(
                fragment == Field.FRAGMENT_NONE
                        ? ""
                        : fragment == Field.FRAGMENT_FIRST ? " first-fragment" : " later-fragment");
        addOthers(text, header);
        return text.toString();
    }

    /**
     * The fields of a packet in words that explain reads: no others tell packets apart at sight.
     */
    public static String example(int[] header) {
        int[] told = new int[HeaderWord.COUNT];
        for (Field field : TOLD) {
            field.put(told, field.extract(header[field.word()]));
        }
        for (int word : new int[] {HeaderWord.IPV4_SRC, HeaderWord.IPV4_DST}) {
            told[word] = header[word];
        }
        System.arraycopy(header, HeaderWord.IPV6_SRC, told, HeaderWord.IPV6_SRC, 8);
        Field.TTL.put(told, USUAL_TTL);
        Field.IP_LENGTH.put(told, USUAL_LENGTH);
        return of(told, AskedFacts.NONE);
    }

    /** Returns whether a packet is of ICMP, so that its ports are a type and a code. */
    public static boolean isIcmp(int[] header) {
        int protocol = of(header, Field.IP_PROTO);
        return protocol == 1 || protocol == 58;
    }

    private static int of(int[] header, Field field) {
        return field.extract(header[field.word()]);
    }

    private static String end(int[] header, boolean v6, boolean source, boolean port) {
        Field field =
                v6
                        ? source ? Field.IPV6_SRC : Field.IPV6_DST
                        : source ? Field.IPV4_SRC : Field.IPV4_DST;
        String address = ConditionText.value(field, HeaderValues.of(header, field));
        int number = of(header, source ? Field.SRC_PORT : Field.DST_PORT);
        return !port ? address : (v6 ? "[" + address + "]" : address) + ":" + number;
    }

    private static void addInterface(
            StringBuilder text, int[] header, AskedFacts asked, Field field) {
        String name = interfaceName(header, asked, field);
        if (!name.isEmpty()) {
            text.append(field.equals(Field.IN_INTERFACE) ? " in " : " out ").append(name);
        }
    }

    /** The name of a packet's interface; {@link #OTHER}: no rule names it; empty: unknown. */
    public static String interfaceName(int[] header, AskedFacts asked, Field field) {
        int number = of(header, field) & INTERFACE;
        boolean known = (of(header, field) & KNOWN_INTERFACE) != 0;
        if (number == 0) {
            return known && !asked.interfaces().isEmpty() ? OTHER : "";
        }
        return number > asked.interfaces().size()
                ? ""
                : asked.interfaces().get(number - 1).replace("+", "*");
    }

    /** A protocol by its name, or by its number behind {@code protocol}. */
    public static String protocol(int number) {
        return PROTOCOLS.getOrDefault(number, "protocol " + number);
    }

    /** TCP flags, parted by commas, or {@code no-flags}. */
    public static String flags(int flags) {
        StringJoiner text = new StringJoiner(",").setEmptyValue(NO_FLAGS);
        for (int bit = 0; bit < 12; bit++) {
            if ((flags >>> bit & 1) != 0) {
                text.add(
                        bit < NetworkNames.TCP_FLAGS.size()
                                ? NetworkNames.TCP_FLAGS.get(bit)
                                : "bit" + bit);
            }
        }
        return text.toString();
    }

    private static void addOthers(StringBuilder text, int[] header) {
        for (Field field : OTHERS) {
            long value = value(header, field);
            if (value != usual(header, field) || isZeroOnly(header, field)) {
                text.append(' ').append(field.label()).append(' ');
                text.append(ConditionText.value(field, BigInteger.valueOf(value)));
            }
        }
        boolean ip = of(header, Field.IP_VERSION) != Field.VERSION_NONE;
        if (ip && of(header, Field.TTL) != USUAL_TTL) {
            text.append(" ttl ").append(of(header, Field.TTL));
        }
        if (ip && of(header, Field.IP_LENGTH) != USUAL_LENGTH) {
            text.append(" length ").append(of(header, Field.IP_LENGTH));
        }
    }

    private static long value(int[] header, Field field) {
        return HeaderValues.of(header, field).longValue();
    }

    /** Returns whether the field is the first of those that are there, and all of them are 0. */
    private static boolean isZeroOnly(int[] header, Field field) {
        Field bit = field.present();
        if (bit == null || STATED.contains(bit) || of(header, bit) == 0) {
            return false;
        }
        List<Field> there = OTHERS.stream().filter(other -> bit.equals(other.present())).toList();
        return there.get(0).equals(field)
                && there.stream().allMatch(other -> value(header, other) == 0);
    }

    /** The value of a field in packets that say nothing about it. */
    private static long usual(int[] header, Field field) {
        boolean fragment = of(header, Field.FRAGMENT) != Field.FRAGMENT_NONE;
        boolean v6 = of(header, Field.IP_VERSION) == Field.VERSION_6;
        return field.equals(Field.IPV6_EXTENSIONS) && v6 && fragment ? Field.EXTENSION_FRAGMENT : 0;
    }
}
