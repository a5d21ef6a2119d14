package dev.sluice.job.capture;

import dev.sluice.job.capture.ParsedPacket.Note;
import dev.sluice.schemas.header.Field;
import dev.sluice.schemas.header.HeaderWord;

/**
 * Packet bytes to header words: link layer, outer VLAN tag, IP header, ports. Which IP header, says
 * its {@link HeaderDepth}: {@link TunnelParser} opens tunnels.
 *
 * <p>{@link PacketBytes} says which bytes are read and what their lack means. Fields before a
 * defect stay filled.
 *
 * <p>Link layers are parsed here, after IEEE 802.1Q, 802.2 and the link-layer header descriptions
 * of libpcap; {@link IpParser} and {@link TransportParser} parse the rest. Not thread-safe: one
 * parser for each thread.
 */
public final class PacketParser {
    private static final int TYPE_IPV4 = 0x0800;
    private static final int TYPE_IPV6 = 0x86dd;
    private static final int MAX_802_3_LENGTH = 1500;
    private static final int MIN_ETHER_TYPE = 1536;
    private static final int SLL_PROTO_802_2 = 4;

    private final PacketBytes bytes = new PacketBytes();
    private final IpParser ip = new IpParser(bytes);
    private final EthernetFields link = new EthernetFields(bytes);
    private final TunnelParser tunnels = new TunnelParser(bytes, ip, link);
    private final HeaderDepth depth;

    /** EtherType of a payload that is no IP; -1: there was none. */
    private int otherType;

    private int otherAt;

    /** A parser of outer headers. */
    public PacketParser() {
        this(HeaderDepth.OUTER);
    }

    /** A parser of these headers. */
    public PacketParser(HeaderDepth depth) {
        this.depth = depth;
    }

    /**
     * Parses the packet that a reader stands at.
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
    }

    /** Whether a link type is that of Ethernet frames. */
    public static boolean isEthernet(int linkType) {
        return linkType == LinkTypes.ETHERNET;
    }

    /**
     * Parses an Ethernet frame of which all bytes are there.
     *
     * @param result is overwritten
     */
    public void parseEthernet(byte[] frame, ParsedPacket result) {
        parse(frame, 0, frame.length, frame.length, LinkTypes.ETHERNET, result);
    }

    /**
     * Parses one packet.
     *
     * @param from holds the packet
     * @param at index of its first byte
     * @param capturedLength bytes captured; all of them lie within {@code from}
     * @param wireLength length of the frame on the wire
     * @param linkType link type of the capture
     * @param result is overwritten
     */
    public void parse(
            byte[] from,
            int at,
            int capturedLength,
            long wireLength,
            int linkType,
            ParsedPacket result) {
        result.clear();
        ip.reset();
        otherType = -1;
        bytes.reset(from, at, capturedLength, wireLength, result);
        if (capturedLength > wireLength) {
            result.note(Note.CAPLEN_BEYOND_WIRELEN);
        }
        switch (linkType) {
            case LinkTypes.ETHERNET -> ethernet(at);
            case LinkTypes.RAW, LinkTypes.RAW_BSD, LinkTypes.RAW_OPENBSD -> rawIp(at, 0);
            case LinkTypes.IPV4 -> rawIp(at, 4);
            case LinkTypes.IPV6 -> rawIp(at, 6);
            case LinkTypes.LINUX_SLL -> linuxCooked(at);
            case LinkTypes.LINUX_SLL2 -> linuxCooked2(at);
            case LinkTypes.NULL -> loopback(at, false);
            case LinkTypes.LOOP -> loopback(at, true);
            default -> result.status = PacketStatus.UNSUPPORTED_LINK;
        }
        if (depth == HeaderDepth.INNER && result.status.isClassified()) {
            tunnels.lookThrough(otherType, otherAt);
        }
        if (result.status == PacketStatus.NOT_IP && !result.has(ParsedPacket.ETH_TYPE)) {
            result.words[HeaderWord.ETHER] |= Field.ETH_TYPE.place(Field.NO_ETHER_TYPE);
        }
    }

    private boolean link(long end) {
        return bytes.reach(end, PacketStatus.MALFORMED_LINK);
    }

    private void ethernet(int at) {
        if (!link(at + 6)) {
            return;
        }
        link.mac(Field.ETH_DST, at);
        if (!link(at + 12)) {
            return;
        }
        link.mac(Field.ETH_SRC, at + 6);
        etherType(at + 12);
    }

    /** At a length/type field: VLAN tags, then EtherType or 802.3 length. */
    private void etherType(int start) {
        ParsedPacket out = bytes.out;
        int at = start;
        if (!link(at + 2)) {
            return;
        }
        int type = bytes.shortAt(at);
        while (EthernetFields.isVlanTag(type)) {
            if (!link(at + 4)) {
                return;
            }
            if (out.has(ParsedPacket.VLAN)) {
                out.note(Note.VLAN_STACKED);
            } else {
                link.vlanTag(bytes.shortAt(at + 2));
            }
            at += 4;
            if (!link(at + 2)) {
                return;
            }
            type = bytes.shortAt(at);
        }
        if (type >= MIN_ETHER_TYPE) {
            network(type, at + 2);
        } else if (type > MAX_802_3_LENGTH) {
            out.note(Note.LENGTH_1501_1535);
            out.status = PacketStatus.NOT_IP;
        } else {
            llc(at + 2);
        }
    }

    /** IEEE 802.2: a SNAP header with OUI 0 holds an EtherType. */
    private void llc(int at) {
        ParsedPacket out = bytes.out;
        for (int i = 0; i < 6; i++) {
            if (at + i >= bytes.frame) {
                out.status = PacketStatus.NOT_IP;
                return;
            }
            if (at + i >= bytes.captured) {
                out.status = PacketStatus.TRUNCATED;
                return;
            }
            int expected = i < 2 ? 0xaa : i == 2 ? 3 : 0;
            if (bytes.byteAt(at + i) != expected) {
                out.status = PacketStatus.NOT_IP;
                return;
            }
        }
        if (at + 8 > bytes.frame) {
            out.status = PacketStatus.NOT_IP;
            return;
        }
        if (!link(at + 8)) {
            return;
        }
        out.note(Note.SNAP);
        int type = bytes.shortAt(at + 6);
        if (type < MIN_ETHER_TYPE) {
            out.note(Note.SNAP_SMALL_TYPE);
        }
        network(type, at + 8);
    }

    private void linuxCooked(int at) {
        if (cookedAddress(at, at + 4, at + 6)) {
            cookedProtocol(at + 14);
        }
    }

    private void linuxCooked2(int at) {
        // The protocol comes first, the address behind it.
        if (!link(at + 2)) {
            return;
        }
        int type = bytes.shortAt(at);
        if (type >= MIN_ETHER_TYPE && !EthernetFields.isVlanTag(type)) {
            link.etherType(type);
        }
        if (!link(at + 12) || !cookedAddress2(at)) {
            return;
        }
        cookedPayload(type, at + 20);
    }

    private boolean cookedAddress(int at, int lengthAt, int addressAt) {
        if (!link(lengthAt + 2)) {
            return false;
        }
        if (bytes.shortAt(lengthAt) == 6) {
            if (!link(addressAt + 6)) {
                return false;
            }
            link.mac(Field.ETH_SRC, addressAt);
        }
        return link(at + 16);
    }

    private boolean cookedAddress2(int at) {
        if (bytes.byteAt(at + 11) == 6) {
            if (!link(at + 18)) {
                return false;
            }
            link.mac(Field.ETH_SRC, at + 12);
        }
        return link(at + 20);
    }

    private void cookedProtocol(int at) {
        ParsedPacket out = bytes.out;
        int type = bytes.shortAt(at);
        if (type == SLL_PROTO_802_2) {
            llc(at + 2);
        } else if (type >= MIN_ETHER_TYPE) {
            etherType(at);
        } else {
            out.status = PacketStatus.NOT_IP;
        }
    }

    private void cookedPayload(int type, int at) {
        ParsedPacket out = bytes.out;
        if (type == SLL_PROTO_802_2) {
            llc(at);
        } else if (EthernetFields.isVlanTag(type)) {
            // A VLAN tag whose first half, the TPID, is the cooked header's protocol field.
            if (!link(at + 4)) {
                return;
            }
            link.vlanTag(bytes.shortAt(at));
            etherType(at + 2);
        } else if (type >= MIN_ETHER_TYPE) {
            network(type, at);
        } else {
            out.status = PacketStatus.NOT_IP;
        }
    }

    private void loopback(int at, boolean bigEndianOnly) {
        ParsedPacket out = bytes.out;
        if (!link(at + 4)) {
            return;
        }
        int family = bytes.intAt(at);
        if (!bigEndianOnly && (family >>> 16) != 0) {
            family = Integer.reverseBytes(family);
        }
        switch (family) {
            case 2 -> network(TYPE_IPV4, at + 4);
            case 10, 24, 28, 30 -> network(TYPE_IPV6, at + 4);
            default -> out.status = PacketStatus.NOT_IP;
        }
    }

    private void rawIp(int at, int version) {
        ParsedPacket out = bytes.out;
        if (!bytes.reach(at + 1, PacketStatus.MALFORMED_IP_HEADER_SHORT)) {
            return;
        }
        int nibble = bytes.byteAt(at) >>> 4;
        int announced = version == 0 ? nibble : version;
        switch (announced) {
            case 4 -> network(TYPE_IPV4, at);
            case 6 -> network(TYPE_IPV6, at);
            default -> out.status = PacketStatus.MALFORMED_IP_VERSION;
        }
    }

    private void network(int type, int at) {
        ParsedPacket out = bytes.out;
        if (!out.has(ParsedPacket.ETH_TYPE)) {
            link.etherType(type);
        }
        if (type == TYPE_IPV4) {
            ip.ipv4(at);
        } else if (type == TYPE_IPV6) {
            ip.ipv6(at);
        } else {
            out.status = PacketStatus.NOT_IP;
            otherType = type;
            otherAt = at;
        }
    }
}
