package dev.sluice.schemas.header;

import static dev.sluice.schemas.header.FieldLayer.ANY;
import static dev.sluice.schemas.header.FieldLayer.IP;
import static dev.sluice.schemas.header.FieldLayer.IPV4;
import static dev.sluice.schemas.header.FieldLayer.IPV6;
import static dev.sluice.schemas.header.FieldLayer.MEASURED;
import static dev.sluice.schemas.header.FieldLayer.TCP;
import static dev.sluice.schemas.header.FieldLayer.TYPED;
import static dev.sluice.schemas.header.FieldNamer.OPENFLOW;
import static dev.sluice.schemas.header.FieldNamer.TRACE;
import static dev.sluice.schemas.header.FieldSource.ALWAYS;
import static dev.sluice.schemas.header.FieldSource.ASKED;
import static dev.sluice.schemas.header.FieldSource.MESSAGES;
import static dev.sluice.schemas.header.FieldText.ADDRESS;
import static dev.sluice.schemas.header.FieldText.HEX;
import static dev.sluice.schemas.header.FieldText.MAC;
import static dev.sluice.schemas.header.FieldText.NUMBER;
import static dev.sluice.schemas.header.HeaderWord.ARP;
import static dev.sluice.schemas.header.HeaderWord.CONNECTION;
import static dev.sluice.schemas.header.HeaderWord.ETHER;
import static dev.sluice.schemas.header.HeaderWord.MAC_HIGH;
import static dev.sluice.schemas.header.HeaderWord.MAC_MIDDLE;
import static dev.sluice.schemas.header.HeaderWord.PORTS;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A header field: one row of the table of fields, which codecs, parsers, importers and documents
 * read.
 *
 * <p>A field that a packet may lack has a present bit, a row of its own: a rule that constrains
 * such a field also asks for the bit, so that a later fragment (no ports) or an untagged frame
 * matches no rule on ports or VLAN, whatever value the rule names. A header word is also the id of
 * its column in a block.
 *
 * @param label name as rule files and traces write it
 * @param bits width
 * @param word first (most significant) {@link HeaderWord} that holds bits of the field
 * @param shift bits to the right of the field in its last word
 * @param layer packets that can have the field
 * @param present the field's present bit; null where the layer alone tells
 * @param avro name in messages; empty where messages do not have the field
 * @param text text form of its values
 * @param source sources that state it
 * @param namers text formats that name it
 */
public record Field(
        String label,
        int bits,
        int word,
        int shift,
        FieldLayer layer,
        @Nullable Field present,
        String avro,
        FieldText text,
        FieldSource source,
        Set<FieldNamer> namers) {
    private static final List<Field> ROWS = new ArrayList<>();

    // Present bits.

    public static final Field VLAN_PRESENT = bit("vlan_present", ETHER, 12);

    /** 1 where the packet has ports, or ICMP type and code, and (TCP) flags. */
    public static final Field PORTS_PRESENT = bit("ports_present", HeaderWord.IP, 18);

    public static final Field ETH_SRC_PRESENT = bit("dl_src_present", HeaderWord.IP, 21);
    public static final Field ETH_DST_PRESENT = bit("dl_dst_present", HeaderWord.IP, 22);
    public static final Field IN_PORT_PRESENT = bit("in_port_present", HeaderWord.IP, 23);
    public static final Field SPI_PRESENT = bit("spi_present", HeaderWord.IP, 24);

    /** 1 where the packet lies in a tunnel that has an id; no rule constrains it. */
    public static final Field TUNNEL_ID_PRESENT = bit("tun_id_present", HeaderWord.IP, 25);

    public static final Field TTL_PRESENT = bit("nw_ttl_present", HeaderWord.TTL, 8);
    public static final Field IP_ID_PRESENT = bit("ip_id_present", HeaderWord.IP, 26);
    public static final Field IP_LENGTH_PRESENT =
            bit("ip_length_present", HeaderWord.IP_LENGTH, 16);
    public static final Field IPV6_EXTENSIONS_PRESENT =
            bit("ipv6_exthdr_present", HeaderWord.IP_LENGTH, 17);
    public static final Field ARP_PRESENT = bit("arp_present", ARP, 16);
    public static final Field MARK_PRESENT = bit("pkt_mark_present", HeaderWord.IP, 27);
    public static final Field IN_INTERFACE_PRESENT = bit("in_interface_present", HeaderWord.IP, 28);
    public static final Field OUT_INTERFACE_PRESENT =
            bit("out_interface_present", HeaderWord.IP, 29);
    public static final Field CONNECTION_PRESENT = bit("ct_state_present", CONNECTION, 8);

    /** 1 where a tracker saw the packet's connection in both directions. */
    public static final Field CONNECTION_ANSWERED = bit("ct_seen_reply", CONNECTION, 9);

    /** 1 where a tracker spares the packet's connection from early drop. */
    public static final Field CONNECTION_ASSURED = bit("ct_assured", CONNECTION, 10);

    /** 1 where an earlier packet of the connection was let through. */
    public static final Field CONNECTION_CONFIRMED = bit("ct_confirmed", CONNECTION, 11);

    /** 1 in the question whether a packet comes to connection tracking at all. */
    public static final Field CONNECTION_ASKED = bit("ct_asked", CONNECTION, 12);

    /** 1 where the header states the packet's flow beside its own fields. */
    public static final Field FLOW_PRESENT = bit("flow_present", HeaderWord.TCP_FLAGS, 24);

    /** 1 where the packet is an ICMP error whose embedded packet could be read. */
    public static final Field FLOW_DST_PRESENT = bit("flow_dst_present", HeaderWord.TCP_FLAGS, 25);

    /**
     * 1 where the header states the words of {@link TcpSegment} or, of SCTP, {@link SctpChunks}.
     */
    public static final Field SEGMENT_PRESENT =
            bit("tcp_segment_present", HeaderWord.TCP_FLAGS, 26);

    /**
     * 1 where lengths in the header of TCP, UDP, UDP-Lite or ICMP, chunks of SCTP, or the protocol
     * in GRE of version 1 are such that Linux's conntrack takes the packet for invalid; stated
     * where {@link #FLOW_PORTS} are asked for.
     */
    public static final Field MALFORMED = bit("transport_malformed", HeaderWord.TCP_FLAGS, 27);

    /**
     * 1 where the packet, or the one that an ICMP error embeds, is GRE of version 1 whose call id
     * was not captured; else {@link #FLOW_PORTS} has the id. Stated as {@link #MALFORMED} is.
     */
    public static final Field GRE_CALL = bit("gre_call", HeaderWord.TCP_FLAGS, 28);

    // Fields.

    public static final Field IN_PORT =
            at("in_port", 32, HeaderWord.IN_PORT, 0, ANY, IN_PORT_PRESENT)
                    .row("inPort", NUMBER, ALWAYS, OPENFLOW, TRACE);

    public static final Field ETH_SRC =
            at("dl_src", 48, MAC_HIGH, 16, ANY, ETH_SRC_PRESENT)
                    .row("ethSrc", MAC, ALWAYS, OPENFLOW, TRACE);

    public static final Field ETH_DST =
            at("dl_dst", 48, MAC_MIDDLE, 0, ANY, ETH_DST_PRESENT)
                    .row("ethDst", MAC, ALWAYS, OPENFLOW, TRACE);

    /** After all VLAN tags; {@link #NO_ETHER_TYPE} where the frame has none. */
    public static final Field ETH_TYPE =
            at("dl_type", 16, ETHER, 16, TYPED, null).row("ethType", HEX, ALWAYS, OPENFLOW, TRACE);

    public static final Field VLAN_ID =
            at("dl_vlan", 12, ETHER, 0, ANY, VLAN_PRESENT)
                    .row("vlanId", NUMBER, ALWAYS, OPENFLOW, TRACE);

    public static final Field VLAN_PRIORITY =
            at("dl_vlan_pcp", 3, ETHER, 13, ANY, VLAN_PRESENT)
                    .row("vlanPriority", NUMBER, ALWAYS, OPENFLOW, TRACE);

    public static final Field IPV4_SRC =
            at("nw_src", 32, HeaderWord.IPV4_SRC, 0, IPV4, null)
                    .row("ipSrc", ADDRESS, ALWAYS, FieldNamer.values());

    public static final Field IPV4_DST =
            at("nw_dst", 32, HeaderWord.IPV4_DST, 0, IPV4, null)
                    .row("ipDst", ADDRESS, ALWAYS, FieldNamer.values());

    public static final Field IPV6_SRC =
            at("ipv6_src", 128, HeaderWord.IPV6_SRC, 0, IPV6, null)
                    .row("ipSrc", ADDRESS, ALWAYS, FieldNamer.values());

    public static final Field IPV6_DST =
            at("ipv6_dst", 128, HeaderWord.IPV6_DST, 0, IPV6, null)
                    .row("ipDst", ADDRESS, ALWAYS, FieldNamer.values());

    public static final Field IP_PROTO =
            at("nw_proto", 8, HeaderWord.IP, 0, IP, null)
                    .row("ipProto", NUMBER, ALWAYS, FieldNamer.values());

    public static final Field TOS =
            at("nw_tos", 8, HeaderWord.IP, 8, IP, null).row("tos", NUMBER, ALWAYS, OPENFLOW, TRACE);

    /** {@link #FRAGMENT_NONE}, {@link #FRAGMENT_FIRST} or {@link #FRAGMENT_LATER}. */
    public static final Field FRAGMENT =
            at("nw_frag", 2, HeaderWord.IP, 16, IP, null)
                    .row("fragment", FieldText.FRAGMENT, ALWAYS, OPENFLOW);

    /** {@link #VERSION_NONE}, {@link #VERSION_4} or {@link #VERSION_6}. */
    public static final Field IP_VERSION =
            at("ip_version", 2, HeaderWord.IP, 19, ANY, null).row("", NUMBER, ALWAYS);

    /** Source port; ICMP type. */
    public static final Field SRC_PORT =
            at("tp_src", 16, PORTS, 16, ANY, PORTS_PRESENT)
                    .row("srcPort", NUMBER, ALWAYS, FieldNamer.values());

    /** Destination port; ICMP code. */
    public static final Field DST_PORT =
            at("tp_dst", 16, PORTS, 0, ANY, PORTS_PRESENT)
                    .row("dstPort", NUMBER, ALWAYS, FieldNamer.values());

    public static final Field TCP_FLAGS =
            at("tcp_flags", 12, HeaderWord.TCP_FLAGS, 0, TCP, null)
                    .row("tcpFlags", NUMBER, ALWAYS, OPENFLOW, TRACE);

    public static final Field SPI =
            at("spi", 32, HeaderWord.SPI, 0, ANY, SPI_PRESENT).row("spi", NUMBER, ALWAYS, TRACE);

    /** Length of the frame on the wire in bytes. */
    public static final Field FRAME_LENGTH =
            at("frame_length", 32, HeaderWord.FRAME_LENGTH, 0, MEASURED, null)
                    .row("frameLength", NUMBER, ALWAYS, TRACE);

    /**
     * VNI of VXLAN and GENEVE, key of GRE, TEID of GTP-U: of the innermost tunnel around the header
     * that has an id; 0 where there is none, as in Open vSwitch, so that 0 matches a packet outside
     * any tunnel, too.
     */
    public static final Field TUNNEL_ID =
            at("tun_id", 32, HeaderWord.TUNNEL_ID, 0, ANY, TUNNEL_ID_PRESENT)
                    .row("tunnelId", NUMBER, ALWAYS, OPENFLOW, TRACE);

    /** IPv4 time to live; IPv6 hop limit. */
    public static final Field TTL =
            at("nw_ttl", 8, HeaderWord.TTL, 0, IP, TTL_PRESENT)
                    .row("ttl", NUMBER, ASKED, OPENFLOW, TRACE);

    /** IPv4 identification; IPv6: that of the fragment header. */
    public static final Field IP_ID =
            at("ip_id", 32, HeaderWord.IP_ID, 0, IP, IP_ID_PRESENT)
                    .row("ipId", NUMBER, ASKED, TRACE);

    /** Length of the IP packet in bytes as its header states it; IPv6: with the header itself. */
    public static final Field IP_LENGTH =
            at("ip_length", 16, HeaderWord.IP_LENGTH, 0, IP, IP_LENGTH_PRESENT)
                    .row("ipLength", NUMBER, ASKED, TRACE);

    /** Extension headers of IPv6 before the upper layer, in OpenFlow's bits. */
    public static final Field IPV6_EXTENSIONS =
            at("ipv6_exthdr", 9, HeaderWord.IP_LENGTH, 18, IPV6, IPV6_EXTENSIONS_PRESENT)
                    .row("ipv6Extensions", NUMBER, ASKED, TRACE);

    /** Operation of an ARP or RARP packet of Ethernet and IPv4; 0 where there is none. */
    public static final Field ARP_OP =
            at("arp_op", 16, ARP, 0, ANY, ARP_PRESENT).row("arpOp", NUMBER, ASKED, OPENFLOW, TRACE);

    /** Sender's IPv4 address of an ARP or RARP packet; 0 where there is none. */
    public static final Field ARP_SPA =
            at("arp_spa", 32, HeaderWord.ARP_SPA, 0, ANY, ARP_PRESENT)
                    .row("arpSpa", ADDRESS, ASKED, OPENFLOW, TRACE);

    /** Target's IPv4 address of an ARP or RARP packet; 0 where there is none. */
    public static final Field ARP_TPA =
            at("arp_tpa", 32, HeaderWord.ARP_TPA, 0, ANY, ARP_PRESENT)
                    .row("arpTpa", ADDRESS, ASKED, OPENFLOW, TRACE);

    /** Mark that a host or switch gave the packet; 0 where there is none, as in Open vSwitch. */
    public static final Field MARK =
            at("pkt_mark", 32, HeaderWord.MARK, 0, ANY, MARK_PRESENT)
                    .row("mark", NUMBER, MESSAGES, OPENFLOW, TRACE);

    /** Interface that the packet came in by, as its exporter numbers them. */
    public static final Field IN_INTERFACE =
            at("in_interface", 32, HeaderWord.IN_INTERFACE, 0, ANY, IN_INTERFACE_PRESENT)
                    .row("inInterface", NUMBER, MESSAGES, TRACE);

    /** Interface that the packet is to leave by, as its exporter numbers them. */
    public static final Field OUT_INTERFACE =
            at("out_interface", 32, HeaderWord.OUT_INTERFACE, 0, ANY, OUT_INTERFACE_PRESENT)
                    .row("outInterface", NUMBER, MESSAGES, TRACE);

    /**
     * State of the packet's connection, in the bits of Open vSwitch's ct_state: new, established,
     * related, reply, invalid, tracked, source and destination translated; 0 where there is none.
     */
    public static final Field CONNECTION_STATE =
            at("ct_state", 8, CONNECTION, 0, ANY, CONNECTION_PRESENT)
                    .row("connectionState", NUMBER, MESSAGES, TRACE);

    /**
     * Destination of the IPv4 packet that an ICMP error embeds. The embedded source is the error's
     * own destination: an error with another one belongs to no flow.
     */
    public static final Field FLOW_DST_4 =
            at("flow_dst", 32, HeaderWord.FLOW_DST, 0, IPV4, FLOW_DST_PRESENT)
                    .row("flowDst", ADDRESS, ALWAYS);

    /** Destination of the IPv6 packet that an ICMPv6 error embeds, as {@link #FLOW_DST_4}. */
    public static final Field FLOW_DST_6 =
            at("flow_dst6", 128, HeaderWord.FLOW_DST, 0, IPV6, FLOW_DST_PRESENT)
                    .row("flowDst", ADDRESS, ALWAYS);

    /** Protocol of the packet's flow, where {@link #FLOW_PORTS} are. */
    public static final Field FLOW_PROTO =
            at("flow_proto", 8, HeaderWord.TCP_FLAGS, 16, IP, FLOW_PRESENT)
                    .row("flowProto", NUMBER, ALWAYS);

    /**
     * Source port and, in the low 16 bits, destination port of the packet's flow where the packet
     * itself does not state them: those that an ICMP error embeds, and those of a later fragment's
     * datagram. Of ICMP: type in 8 bits, code in 8, identifier in 16; of a protocol without ports:
     * 0. ICMP queries have it, too, where it is asked for.
     */
    public static final Field FLOW_PORTS =
            at("flow_ports", 32, HeaderWord.FLOW_PORTS, 0, IP, FLOW_PRESENT)
                    .row("flowPorts", HEX, ASKED);

    private static final Field[] ALL = ROWS.toArray(Field[]::new);

    /** EtherType of a frame that has none (IEEE 802.3 length): Open vSwitch's value. */
    public static final int NO_ETHER_TYPE = 0x05ff;

    public static final int FRAGMENT_NONE = 0;

    /** Bit 0: any fragment; bit 1: not the first (as Open vSwitch's nw_frag). */
    public static final int FRAGMENT_FIRST = 1;

    public static final int FRAGMENT_LATER = 3;

    /** Bits of {@link #IPV6_EXTENSIONS}. */
    public static final int EXTENSION_AUTHENTICATION = 4;

    public static final int EXTENSION_DESTINATION_OPTIONS = 8;
    public static final int EXTENSION_FRAGMENT = 16;
    public static final int EXTENSION_ROUTING = 32;
    public static final int EXTENSION_HOP_BY_HOP = 64;

    public static final int VERSION_NONE = 0;
    public static final int VERSION_4 = 1;
    public static final int VERSION_6 = 2;

    private static Field at(
            String label, int bits, int word, int shift, FieldLayer layer, @Nullable Field bit) {
        return new Field(label, bits, word, shift, layer, bit, "", NUMBER, ALWAYS, Set.of());
    }

    private static Field bit(String label, int word, int shift) {
        return at(label, 1, word, shift, ANY, null).row("", NUMBER, ALWAYS);
    }

    private Field row(String key, FieldText form, FieldSource from, FieldNamer... by) {
        Field field =
                new Field(label, bits, word, shift, layer, present, key, form, from, Set.of(by));
        ROWS.add(field);
        return field;
    }

    /** The table: all fields and their present bits. */
    public static Field[] values() {
        return ALL.clone();
    }

    /** The field with a label, if it is one. */
    public static Optional<Field> labelled(String label) {
        return Arrays.stream(ALL).filter(field -> field.label.equals(label)).findFirst();
    }

    /** Names of the fields that lie in words, separated by blanks. */
    static String labels(long wordBits) {
        return Arrays.stream(ALL)
                .filter(field -> (wordBits >>> field.word & 1) != 0)
                .map(Field::label)
                .collect(Collectors.joining(" "));
    }

    /** Returns whether a text format names it. */
    public boolean isNamedBy(FieldNamer namer) {
        return namers.contains(namer);
    }

    /** Number of header words that hold bits of it. */
    public int words() {
        return bits <= 32 ? 1 : bits == 48 ? 2 : bits / 32;
    }

    /** Puts a value of at most 32 bits into a header, and sets the present bit. */
    public void put(int[] words, int value) {
        words[word] = words[word] & ~maskInWord() | place(value);
        markPresent(words);
    }

    /** Sets the present bit, if the field has one. */
    public void markPresent(int[] words) {
        if (present != null) {
            words[present.word] |= present.place(1);
        }
    }

    /** Mask of the field in its word, for fields of at most 32 bits. */
    public int maskInWord() {
        if (bits > 32) {
            throw new IllegalArgumentException(
                    label + " has " + bits + " bits and lies in several words; use FieldBits");
        }
        return (bits == 32 ? -1 : (1 << bits) - 1) << shift;
    }

    /** The value at the field's place in its word, for fields of at most 32 bits. */
    public int place(int value) {
        return value << shift & maskInWord();
    }

    /** The field's value out of its word, for fields of at most 32 bits. */
    public int extract(int wordValue) {
        return (wordValue & maskInWord()) >>> shift;
    }

    @Override
    public String toString() {
        return label;
    }
}
