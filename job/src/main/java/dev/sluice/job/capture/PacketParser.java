package dev.sluice.job.capture;

import dev.sluice.job.capture.ParsedPacket.Note;
import dev.sluice.schemas.header.Field;
import dev.sluice.schemas.header.HeaderWord;

/**
 * Packet bytes to header words: link layer, outer VLAN tag, outer IP header, ports. Opens no
 * tunnel.
 *
 * <p>Three limits rule every access: the captured bytes, the frame's length on the wire, and the IP
 * payload. A byte beyond the frame or the payload makes the packet malformed, one that was only not
 * captured makes it truncated; neither is ever read. Fields before the defect stay filled.
 *
 * <p>Sources: IEEE 802.1Q, RFC 791, RFC 8200 section 4, RFC 4302, RFC 4303, RFC 9293, and the
 * link-layer header descriptions of libpcap. Not thread-safe: one parser for each thread.
 */
public final class PacketParser {
    private static final int TYPE_IPV4 = 0x0800;
    private static final int TYPE_IPV6 = 0x86dd;
    private static final int MAX_802_3_LENGTH = 1500;
    private static final int MIN_ETHER_TYPE = 1536;
    private static final int SLL_PROTO_802_2 = 4;

    private static final int HOP_BY_HOP = 0;
    private static final int ROUTING = 43;
    private static final int FRAGMENT = 44;
    private static final int ESP = 50;
    private static final int AH = 51;
    private static final int DESTINATION_OPTIONS = 60;
    private static final int ICMP = 1;
    private static final int TCP = 6;
    private static final int UDP = 17;
    private static final int DCCP = 33;
    private static final int ICMPV6 = 58;
    private static final int SCTP = 132;
    private static final int UDP_LITE = 136;

    private byte[] b = new byte[0];

    /** End of the captured bytes. */
    private int captured;

    /** End of the frame, in the same numbering; beyond {@link #captured} it must not be read. */
    private long frame;

    /** End of the IP payload. */
    private long payload;

    private ParsedPacket out = new ParsedPacket();

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

    /**
     * Parses one packet.
     *
     * @param bytes holds the packet
     * @param at index of its first byte
     * @param capturedLength bytes captured; all of them lie within {@code bytes}
     * @param wireLength length of the frame on the wire
     * @param linkType link type of the capture
     * @param result is overwritten
     */
    public void parse(
            byte[] bytes,
            int at,
            int capturedLength,
            long wireLength,
            int linkType,
            ParsedPacket result) {
        result.clear();
        b = bytes;
        captured = at + capturedLength;
        frame = at + Math.max(wireLength, capturedLength);
        payload = frame;
        out = result;
        if (capturedLength > wireLength) {
            out.note(Note.CAPLEN_BEYOND_WIRELEN);
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
            default -> out.status = PacketStatus.UNSUPPORTED_LINK;
        }
        if (out.status == PacketStatus.NOT_IP && !out.has(ParsedPacket.ETH_TYPE)) {
            out.words[HeaderWord.ETHER] |= Field.ETH_TYPE.place(Field.NO_ETHER_TYPE);
        }
    }

    /** Whether bytes up to {@code end} can be read; else sets the status. */
    private boolean reach(long end, PacketStatus beyond) {
        if (end <= captured && end <= payload) {
            return true;
        }
        out.status = end > payload ? beyond : PacketStatus.TRUNCATED;
        return false;
    }

    private boolean link(long end) {
        return reach(end, PacketStatus.MALFORMED_LINK);
    }

    private void ethernet(int at) {
        if (!link(at + 6)) {
            return;
        }
        mac(Field.ETH_DST, at);
        if (!link(at + 12)) {
            return;
        }
        mac(Field.ETH_SRC, at + 6);
        etherType(at + 12);
    }

    private void mac(Field field, int at) {
        int[] w = out.words;
        int high = Bytes.shortBe(b, at);
        int low = Bytes.intBe(b, at + 2);
        if (field == Field.ETH_SRC) {
            w[HeaderWord.MAC_HIGH] = high << 16 | low >>> 16;
            w[HeaderWord.MAC_MIDDLE] |= low << 16;
            w[HeaderWord.IP] |= Field.ETH_SRC_PRESENT.maskInWord();
            out.columns |= ParsedPacket.ETH_SRC;
        } else {
            w[HeaderWord.MAC_MIDDLE] |= high;
            w[HeaderWord.MAC_LOW] = low;
            w[HeaderWord.IP] |= Field.ETH_DST_PRESENT.maskInWord();
            out.columns |= ParsedPacket.ETH_DST;
        }
    }

    /** At a length/type field: VLAN tags, then EtherType or 802.3 length. */
    private void etherType(int start) {
        int at = start;
        if (!link(at + 2)) {
            return;
        }
        int type = Bytes.shortBe(b, at);
        while (type == 0x8100 || type == 0x88a8 || type == 0x9100) {
            if (!link(at + 4)) {
                return;
            }
            if (out.has(ParsedPacket.VLAN)) {
                out.note(Note.VLAN_STACKED);
            } else {
                int tag = Bytes.shortBe(b, at + 2);
                // Where the tag has its drop-eligible bit, the word says that there is a tag.
                out.words[HeaderWord.ETHER] |= tag & 0xefff | Field.VLAN_PRESENT.maskInWord();
                out.columns |= ParsedPacket.VLAN;
            }
            at += 4;
            if (!link(at + 2)) {
                return;
            }
            type = Bytes.shortBe(b, at);
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
        for (int i = 0; i < 6; i++) {
            if (at + i >= frame) {
                out.status = PacketStatus.NOT_IP;
                return;
            }
            if (at + i >= captured) {
                out.status = PacketStatus.TRUNCATED;
                return;
            }
            int expected = i < 2 ? 0xaa : i == 2 ? 3 : 0;
            if ((b[at + i] & 0xff) != expected) {
                out.status = PacketStatus.NOT_IP;
                return;
            }
        }
        if (at + 8 > frame) {
            out.status = PacketStatus.NOT_IP;
            return;
        }
        if (!link(at + 8)) {
            return;
        }
        out.note(Note.SNAP);
        int type = Bytes.shortBe(b, at + 6);
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
        int type = Bytes.shortBe(b, at);
        if (type >= MIN_ETHER_TYPE && type != 0x8100 && type != 0x88a8 && type != 0x9100) {
            setEtherType(type);
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
        if (Bytes.shortBe(b, lengthAt) == 6) {
            if (!link(addressAt + 6)) {
                return false;
            }
            mac(Field.ETH_SRC, addressAt);
        }
        return link(at + 16);
    }

    private boolean cookedAddress2(int at) {
        if (b[at + 11] == 6) {
            if (!link(at + 18)) {
                return false;
            }
            mac(Field.ETH_SRC, at + 12);
        }
        return link(at + 20);
    }

    private void cookedProtocol(int at) {
        int type = Bytes.shortBe(b, at);
        if (type == SLL_PROTO_802_2) {
            llc(at + 2);
        } else if (type >= MIN_ETHER_TYPE) {
            etherType(at);
        } else {
            out.status = PacketStatus.NOT_IP;
        }
    }

    private void cookedPayload(int type, int at) {
        if (type == SLL_PROTO_802_2) {
            llc(at);
        } else if (type == 0x8100 || type == 0x88a8 || type == 0x9100) {
            // A VLAN tag whose first half, the TPID, is the cooked header's protocol field.
            if (!link(at + 4)) {
                return;
            }
            int tag = Bytes.shortBe(b, at);
            out.words[HeaderWord.ETHER] |= tag & 0xefff | Field.VLAN_PRESENT.maskInWord();
            out.columns |= ParsedPacket.VLAN;
            etherType(at + 2);
        } else if (type >= MIN_ETHER_TYPE) {
            network(type, at);
        } else {
            out.status = PacketStatus.NOT_IP;
        }
    }

    private void loopback(int at, boolean bigEndianOnly) {
        if (!link(at + 4)) {
            return;
        }
        int family = Bytes.intBe(b, at);
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
        if (!reach(at + 1, PacketStatus.MALFORMED_IP_HEADER_SHORT)) {
            return;
        }
        int nibble = b[at] >>> 4 & 0xf;
        int announced = version == 0 ? nibble : version;
        switch (announced) {
            case 4 -> network(TYPE_IPV4, at);
            case 6 -> network(TYPE_IPV6, at);
            default -> out.status = PacketStatus.MALFORMED_IP_VERSION;
        }
    }

    private void setEtherType(int type) {
        out.words[HeaderWord.ETHER] |= type << 16;
        out.columns |= ParsedPacket.ETH_TYPE;
    }

    private void network(int type, int at) {
        if (!out.has(ParsedPacket.ETH_TYPE)) {
            setEtherType(type);
        }
        if (type == TYPE_IPV4) {
            ipv4(at);
        } else if (type == TYPE_IPV6) {
            ipv6(at);
        } else {
            out.status = PacketStatus.NOT_IP;
        }
    }

    private boolean ipHeader(long end) {
        return reach(end, PacketStatus.MALFORMED_IP_HEADER_SHORT);
    }

    private boolean ipVersion(int at, int version, int code) {
        if (!ipHeader(at + 1)) {
            return false;
        }
        if ((b[at] >>> 4 & 0xf) != version) {
            out.status = PacketStatus.MALFORMED_IP_VERSION;
            return false;
        }
        out.words[HeaderWord.IP] |= Field.IP_VERSION.place(code);
        out.columns |= ParsedPacket.IP_VERSION;
        return true;
    }

    private void ipv4(int at) {
        if (!ipVersion(at, 4, Field.VERSION_4)) {
            return;
        }
        int headerLength = (b[at] & 0xf) * 4;
        if (!ipHeader(at + 20)) {
            return;
        }
        int[] w = out.words;
        w[HeaderWord.IP] |= (b[at + 1] & 0xff) << Field.TOS.shift();
        int totalLength = Bytes.shortBe(b, at + 2);
        int fragmentBits = Bytes.shortBe(b, at + 6);
        fragment((fragmentBits & 0x1fff) != 0, (fragmentBits & 0x2000) != 0);
        int proto = b[at + 9] & 0xff;
        w[HeaderWord.IP] |= proto;
        w[HeaderWord.IPV4_SRC] = Bytes.intBe(b, at + 12);
        w[HeaderWord.IPV4_DST] = Bytes.intBe(b, at + 16);
        out.columns |=
                ParsedPacket.TOS | ParsedPacket.PROTO | ParsedPacket.IP_SRC | ParsedPacket.IP_DST;
        if (headerLength < 20) {
            out.status = PacketStatus.MALFORMED_IP_HEADER_LENGTH;
            return;
        }
        if (totalLength == 0) {
            out.note(Note.IP_TOTAL_LENGTH_0);
        } else if (totalLength < headerLength) {
            out.status = PacketStatus.MALFORMED_IP_TOTAL_LENGTH;
            return;
        } else {
            limitPayload(at + totalLength);
        }
        if (at + headerLength > frame) {
            out.status = PacketStatus.MALFORMED_IP_HEADER_SHORT;
            return;
        }
        transport(proto, at + headerLength, proto == ICMP);
    }

    private void limitPayload(long end) {
        if (end > frame) {
            out.note(Note.IP_LENGTH_BEYOND_FRAME);
        } else {
            payload = end;
        }
    }

    private void fragment(boolean hasOffset, boolean more) {
        out.columns |= ParsedPacket.FRAGMENT;
        out.fragment = hasOffset ? 2 : more ? 1 : 0;
        out.words[HeaderWord.IP] &= ~Field.FRAGMENT.maskInWord();
        out.words[HeaderWord.IP] |=
                Field.FRAGMENT.place(
                        hasOffset
                                ? Field.FRAGMENT_LATER
                                : more ? Field.FRAGMENT_FIRST : Field.FRAGMENT_NONE);
    }

    private void ipv6(int at) {
        if (!ipVersion(at, 6, Field.VERSION_6) || !ipHeader(at + 40)) {
            return;
        }
        int[] w = out.words;
        w[HeaderWord.IP] |= (Bytes.shortBe(b, at) >>> 4 & 0xff) << Field.TOS.shift();
        int payloadLength = Bytes.shortBe(b, at + 4);
        int next = b[at + 6] & 0xff;
        for (int i = 0; i < 4; i++) {
            w[HeaderWord.IPV6_SRC + i] = Bytes.intBe(b, at + 8 + 4 * i);
            w[HeaderWord.IPV6_DST + i] = Bytes.intBe(b, at + 24 + 4 * i);
        }
        out.columns |= ParsedPacket.TOS | ParsedPacket.IP_SRC | ParsedPacket.IP_DST;
        if (payloadLength == 0) {
            out.note(Note.IP_PAYLOAD_LENGTH_0);
        } else {
            limitPayload(at + 40L + payloadLength);
        }
        extensions(next, at + 40);
    }

    /** RFC 8200 section 4: walks to the upper-layer protocol. */
    private void extensions(int first, int start) {
        int next = first;
        int at = start;
        fragment(false, false);
        while (isExtension(next)) {
            int fixed = next == FRAGMENT ? 8 : 2;
            if (!reach((long) at + fixed, PacketStatus.MALFORMED_IPV6_EXTENSION)) {
                return;
            }
            int following = b[at] & 0xff;
            int length = 8;
            if (next == FRAGMENT) {
                int bits = Bytes.shortBe(b, at + 2);
                boolean hasOffset = (bits & 0xfff8) != 0;
                fragment(hasOffset, (bits & 1) != 0);
                if (hasOffset) {
                    proto(following);
                    return;
                }
            } else if (next == AH) {
                length = ((b[at + 1] & 0xff) + 2) * 4;
                spi(at + 4);
            } else {
                length = ((b[at + 1] & 0xff) + 1) * 8;
            }
            if (!reach((long) at + length, PacketStatus.MALFORMED_IPV6_EXTENSION)) {
                return;
            }
            at += length;
            next = following;
        }
        proto(next);
        transportPorts(next, at, next == ICMPV6);
    }

    private static boolean isExtension(int next) {
        return next == HOP_BY_HOP
                || next == ROUTING
                || next == FRAGMENT
                || next == AH
                || next == DESTINATION_OPTIONS;
    }

    private void proto(int proto) {
        out.words[HeaderWord.IP] |= proto;
        out.columns |= ParsedPacket.PROTO;
    }

    private void transport(int proto, int at, boolean icmp) {
        if (out.fragment == 2) {
            return;
        }
        transportPorts(proto, at, icmp);
    }

    private void transportPorts(int proto, int at, boolean icmp) {
        switch (proto) {
            case TCP, UDP, SCTP, UDP_LITE, DCCP -> ports(proto, at);
            case ESP -> spi(at);
            case AH -> spi(at + 4);
            default -> {
                if (icmp) {
                    icmp(at);
                }
            }
        }
    }

    private boolean layer4(long end) {
        return reach(end, PacketStatus.MALFORMED_L4_SHORT);
    }

    private void ports(int proto, int at) {
        if (!layer4(at + 4L)) {
            return;
        }
        int[] w = out.words;
        w[HeaderWord.PORTS] = Bytes.intBe(b, at);
        out.columns |= ParsedPacket.SRC_PORT | ParsedPacket.DST_PORT;
        if (proto == TCP) {
            if (!layer4(at + 14L)) {
                return;
            }
            w[HeaderWord.TCP_FLAGS] = Bytes.shortBe(b, at + 12) & 0xfff;
            out.columns |= ParsedPacket.TCP_FLAGS;
            if ((b[at + 12] >>> 4 & 0xf) < 5) {
                out.note(Note.TCP_DATA_OFFSET);
            }
        } else if (proto == UDP && at + 6L <= Math.min(captured, payload)) {
            // Length 0 is a jumbogram's (RFC 2675).
            int length = Bytes.shortBe(b, at + 4);
            if (length > 0 && length < 8) {
                out.note(Note.UDP_LENGTH);
            }
        }
        w[HeaderWord.IP] |= Field.PORTS_PRESENT.maskInWord();
    }

    private void icmp(int at) {
        if (!layer4(at + 2L)) {
            return;
        }
        int[] w = out.words;
        w[HeaderWord.PORTS] = (b[at] & 0xff) << 16 | b[at + 1] & 0xff;
        out.columns |= ParsedPacket.SRC_PORT | ParsedPacket.DST_PORT;
        w[HeaderWord.IP] |= Field.PORTS_PRESENT.maskInWord();
    }

    /** The SPI is a field of its own; a packet too short for it is not a defect, it has none. */
    private void spi(int at) {
        if (at + 4L <= Math.min(captured, payload)) {
            out.words[HeaderWord.SPI] = Bytes.intBe(b, at);
            out.words[HeaderWord.IP] |= Field.SPI_PRESENT.maskInWord();
            out.columns |= ParsedPacket.SPI;
        }
    }
}
