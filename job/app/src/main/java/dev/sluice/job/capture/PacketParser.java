package dev.sluice.job.capture;

import dev.sluice.job.capture.ParsedPacket.Note;
import dev.sluice.schemas.header.Field;
import dev.sluice.schemas.header.HeaderWord;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Parser of packets to header words: link layer, outer VLAN tag, IP header, ports. {@link
 * ParserOptions} choose the header.
 *
 * <p>{@link PacketBytes} defines which bytes are read, and the status of a packet that lacks them.
 * Fields before a defect stay filled.
 *
 * <p>{@link EthernetParser}, {@link SerialParser}, {@link WirelessParser}, {@link
 * SystemHeaderParser}, {@link IpParser} and {@link TransportParser} parse the layers; {@link
 * TunnelParser} decapsulates tunnels. Not thread-safe: one parser for each thread.
 */
public final class PacketParser {
    private final PacketBytes bytes = new PacketBytes();
    private final EthernetParser link;
    private final SerialParser serial;
    private final WirelessParser wireless;
    private final SystemHeaderParser systems;
    private final TunnelParser tunnels;
    private final boolean inner;

    /** Creates a parser of outer headers. */
    public PacketParser() {
        this(ParserOptions.DEFAULTS);
    }

    /** Creates a parser of the chosen headers. */
    public PacketParser(ParserOptions options) {
        this(options, AskedFields.LINES);
    }

    PacketParser(ParserOptions options, List<AskedFields.Line> lines) {
        AskedFields asked = new AskedFields(options.words(), options.segments(), lines);
        IpParser ip = new IpParser(bytes, asked);
        link = new EthernetParser(bytes, ip, asked, options.tags());
        serial = new SerialParser(bytes, link);
        wireless = new WirelessParser(bytes, link);
        systems = new SystemHeaderParser(bytes, link);
        tunnels = new TunnelParser(bytes, ip, link, serial, wireless);
        inner = options.isInner();
    }

    /**
     * Parses the present packet of a reader. A later fragment gets the ports of its datagram, if
     * the reader's {@link Datagrams} have it.
     *
     * @param result is overwritten
     */
    public void parse(CaptureReader capture, ParsedPacket result) {
        parse(
                capture.bytes(),
                capture.dataAt(),
                capture.capturedLength(),
                capture.wireLength(),
                capture.linkType(),
                result);
        result.follow(capture.datagrams(), capture.clampedTimeNs(), capture.packet());
    }

    /** Tells whether a link type is Ethernet. */
    public static boolean isEthernet(int linkType) {
        return linkType == LinkType.ETHERNET.number;
    }

    /**
     * Parses an Ethernet frame that was captured as a whole.
     *
     * @param result is overwritten
     */
    public void parseEthernet(byte[] frame, ParsedPacket result) {
        parse(frame, 0, frame.length, frame.length, LinkType.ETHERNET.number, result);
    }

    /**
     * Parses one packet.
     *
     * @param from holds the packet
     * @param at index of its first byte
     * @param captured bytes captured; all of them lie within {@code from}
     * @param wireLength length of the frame on the wire
     * @param linkType link type of the capture
     * @param result is overwritten
     */
    public void parse(
            byte[] from, int at, int captured, long wireLength, int linkType, ParsedPacket result) {
        result.clear();
        link.reset();
        bytes.reset(from, at, captured, wireLength, result);
        if (captured > wireLength) {
            result.note(Note.CAPLEN_BEYOND_WIRELEN);
        }
        if (isEthernet(linkType)) {
            link.ethernet(at);
        } else {
            packet(LinkType.of(linkType), at);
        }
        if (inner && result.status.isClassified()) {
            tunnels.lookThrough();
        }
        if (result.status == PacketStatus.NOT_IP && !result.has(ParsedPacket.ETH_TYPE)) {
            result.words[HeaderWord.ETHER] |= Field.ETH_TYPE.place(Field.NO_ETHER_TYPE);
        }
    }

    /** Parses a packet of a link type; null: one that is not supported. */
    private void packet(@Nullable LinkType type, int at) {
        if (type == null) {
            bytes.out.status = PacketStatus.UNSUPPORTED_LINK;
            return;
        }
        switch (type) {
            case NULL -> link.hostFamily(at, 4);
            case ETHERNET -> link.ethernet(at);
            case PPP, PPP_HDLC -> serial.ppp(at);
            case RAW_BSD, RAW_OPENBSD, RAW -> link.rawIp(at, 0);
            case PPP_ETHER -> link.network(Tunnel.PPPOE_TYPE, at);
            case ATM_RFC1483 -> link.llc(at);
            case C_HDLC -> serial.ciscoHdlc(at);
            case IEEE802_11 -> wireless.frame(at, false);
            case FRELAY -> serial.frameRelay(at);
            case LOOP -> link.loopbackBigEndian(at);
            case ENC -> link.hostFamily(at, 12);
            case LINUX_SLL -> link.linuxCooked(at);
            case PFLOG -> systems.pflog(at);
            case IEEE802_11_RADIOTAP -> wireless.radiotap(at);
            case PPI -> nested(at + 4, systems.ppi(at));
            case PPP_WITH_DIR -> directed(LinkType.PPP, at);
            case C_HDLC_WITH_DIR -> directed(LinkType.C_HDLC, at);
            case FRELAY_WITH_DIR -> directed(LinkType.FRELAY, at);
            case MPLS -> link.network(Tunnel.MPLS_TYPE, at);
            case IPNET -> systems.ipnet(at);
            case IPV4 -> link.rawIp(at, 4);
            case IPV6 -> link.rawIp(at, 6);
            case NFLOG -> systems.nflog(at);
            case PKTAP -> nested(at + 8, systems.pktap(at));
            case LINUX_SLL2 -> link.linuxCooked2(at);
            case DSA -> link.dsa(at);
            case EDSA -> link.edsa(at);
        }
    }

    /** Parses a packet of an inner link type, which must not contain a further one. */
    private void nested(int typeAt, int at) {
        if (at >= 0) {
            LinkType type = LinkType.of(bytes.intLeAt(typeAt));
            packet(type == null || type.wraps() ? null : type, at);
        }
    }

    /** Parses a packet after a byte for its direction. */
    private void directed(LinkType type, int at) {
        if (link.reach(at + 1L)) {
            packet(type, at + 1);
        }
    }
}
