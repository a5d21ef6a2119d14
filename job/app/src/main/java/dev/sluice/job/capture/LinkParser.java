package dev.sluice.job.capture;

import dev.sluice.job.capture.ParsedPacket.Note;
import dev.sluice.schemas.header.Field;

/**
 * Link layers, from the first byte of a packet to the IP header: Ethernet and its tags, LLC,
 * loopback and cooked headers; {@link SerialParser}, {@link WirelessParser} and {@link
 * SystemHeaderParser} read the others.
 *
 * <p>After IEEE 802.1Q, 802.2, and the link-layer header descriptions of libpcap. Not thread-safe.
 */
final class LinkParser {
    static final int TYPE_IPV4 = 0x0800;
    static final int TYPE_IPV6 = 0x86dd;
    private static final int MAX_802_3_LENGTH = 1500;
    private static final int MIN_ETHER_TYPE = 1536;
    private static final int SLL_PROTO_802_2 = 4;
    private static final int SAP_IP = 6;
    private static final int DSA_TAGGED = 0x20;

    private final PacketBytes bytes;
    private final IpParser ip;
    private final EthernetFields fields;
    private final boolean allTags;
    private final SerialParser serial;
    private final WirelessParser wireless;
    private final SystemHeaderParser systems;

    /** Whether an IP header was reached. */
    private boolean isIp;

    /** Whether a tag was met that hides from a switch what follows. */
    private boolean hidden;

    /** EtherType of a payload that is no IP; -1: there was none. */
    private int otherType = -1;

    private int otherAt;

    LinkParser(PacketBytes bytes, IpParser ip, TagDepth tags) {
        this.bytes = bytes;
        this.ip = ip;
        this.fields = new EthernetFields(bytes);
        this.allTags = tags == TagDepth.ALL;
        this.serial = new SerialParser(bytes, this);
        this.wireless = new WirelessParser(bytes, this);
        this.systems = new SystemHeaderParser(bytes, this);
    }

    SerialParser serial() {
        return serial;
    }

    WirelessParser wireless() {
        return wireless;
    }

    SystemHeaderParser systems() {
        return systems;
    }

    /** Forgets the packet before. */
    void reset() {
        ip.reset();
        isIp = false;
        hidden = false;
        otherType = -1;
    }

    /** Whether an IP header was reached, be it malformed. */
    boolean isIp() {
        return isIp;
    }

    /** EtherType of a payload that is no IP; -1: there was none. */
    int otherType() {
        return otherType;
    }

    /** Where that payload begins. */
    int otherAt() {
        return otherAt;
    }

    /** Whether bytes of a link header up to {@code end} can be read; else sets the status. */
    boolean reach(long end) {
        return bytes.reach(end, PacketStatus.MALFORMED_LINK);
    }

    /** The packet is none of IP. */
    void notIp() {
        bytes.out.status = PacketStatus.NOT_IP;
    }

    /** The link header contradicts itself. */
    void malformed() {
        bytes.out.status = PacketStatus.MALFORMED_LINK;
    }

    /** A packet of a link type. */
    void packet(int linkType, int at) {
        LinkType type = LinkType.of(linkType);
        if (type == null) {
            bytes.out.status = PacketStatus.UNSUPPORTED_LINK;
        } else {
            type.read(this, at);
        }
    }

    /** A packet of another link type than the capture's, in which there is none again. */
    void nested(int linkType, int at) {
        LinkType type = LinkType.of(linkType);
        packet(type == null || type.wraps() ? -1 : linkType, at);
    }

    void ethernet(int at) {
        if (addresses(at)) {
            etherType(at + 12);
        }
    }

    /** Destination and source of an Ethernet frame, as far as they are there. */
    private boolean addresses(int at) {
        if (!reach(at + 6L)) {
            return false;
        }
        fields.mac(Field.ETH_DST, at);
        if (!reach(at + 12L)) {
            return false;
        }
        fields.mac(Field.ETH_SRC, at + 6);
        return true;
    }

    /** Destination and source at places that are within reach. */
    void addresses(int destinationAt, int sourceAt) {
        fields.mac(Field.ETH_DST, destinationAt);
        fields.mac(Field.ETH_SRC, sourceAt);
    }

    /** Ethernet whose switch chip put a tag of four bytes before the EtherType. */
    void dsa(int at) {
        if (addresses(at) && reach(at + 16L)) {
            dsaTag(at + 12);
            etherType(at + 16);
        }
    }

    /** The same with an EtherType and two bytes before the tag. */
    void edsa(int at) {
        if (!addresses(at) || !reach(at + 14L)) {
            return;
        }
        if (bytes.shortAt(at + 12) != LinkTag.EDSA.type) {
            etherType(at + 12);
        } else if (reach(at + 20L)) {
            dsaTag(at + 16);
            etherType(at + 20);
        }
    }

    /** A VLAN tag stands in a DSA tag if the frame had one. */
    private void dsaTag(int at) {
        if ((bytes.byteAt(at) & DSA_TAGGED) != 0) {
            int dropEligible = bytes.byteAt(at + 1) & 1;
            vlanTag(bytes.shortAt(at + 2) & 0xefff | dropEligible << 12);
        }
    }

    private void vlanTag(int tag) {
        if (hidden) {
            return;
        }
        if (bytes.out.has(ParsedPacket.VLAN)) {
            bytes.out.note(Note.VLAN_STACKED);
        } else {
            fields.vlanTag(tag);
        }
    }

    /** At a length/type field: tags, then EtherType or 802.3 length. */
    private void etherType(int at) {
        if (reach(at + 2L)) {
            typed(bytes.shortAt(at), at + 2);
        }
    }

    /** Behind an EtherType: tags, and what they are around. */
    void typed(int first, int start) {
        int type = first;
        int at = start;
        while (type != TYPE_IPV4 && type != TYPE_IPV6) {
            int next = EthernetFields.isVlanTag(type) ? vlan(at) : tag(type, at);
            if (next < 0) {
                break;
            }
            if (!reach(next + 2L)) {
                return;
            }
            type = bytes.shortAt(next);
            at = next + 2;
        }
        if (bytes.out.status != PacketStatus.OK) {
            return; // a tag was cut
        }
        if (type >= MIN_ETHER_TYPE) {
            network(type, at);
        } else if (type > MAX_802_3_LENGTH) {
            bytes.out.note(Note.LENGTH_1501_1535);
            notIp();
        } else {
            llc(at);
        }
    }

    /** Place of the EtherType behind a VLAN tag; -1: it is cut, or not looked through. */
    private int vlan(int at) {
        if (!allTags && bytes.out.has(ParsedPacket.VLAN) || !reach(at + 2L)) {
            return -1;
        }
        vlanTag(bytes.shortAt(at));
        return at + 2;
    }

    /** The same behind another tag; -1: there is none, it is cut, or it is not looked through. */
    private int tag(int type, int at) {
        LinkTag tag = allTags ? LinkTag.of(type) : null;
        if (tag == null || !reach(at + 2L)) {
            return -1;
        }
        if (tag == LinkTag.QINQ_9100) {
            // A switch takes it for an EtherType that it does not know, and sees nothing behind.
            if (!bytes.out.has(ParsedPacket.ETH_TYPE)) {
                fields.etherType(type);
            }
            hidden = true;
        } else if (tag == LinkTag.EDSA && bytes.has(at + 6L)) {
            dsaTag(at + 2);
        }
        return tag.nextType(bytes, at);
    }

    /** IEEE 802.2: a SNAP header with OUI 0 holds an EtherType. */
    void llc(int at) {
        ParsedPacket out = bytes.out;
        boolean ipSap = allTags && bytes.has(at + 1L) && bytes.byteAt(at) == SAP_IP;
        int length = ipSap ? 3 : 6;
        for (int i = 0; i < length; i++) {
            if (at + i >= bytes.frame) {
                out.status = PacketStatus.NOT_IP;
                return;
            }
            if (at + i >= bytes.captured) {
                out.status = PacketStatus.TRUNCATED;
                return;
            }
            int expected = i == 2 ? 3 : i > 2 ? 0 : ipSap ? SAP_IP : 0xaa;
            if (bytes.byteAt(at + i) != expected) {
                out.status = PacketStatus.NOT_IP;
                return;
            }
        }
        if (ipSap) {
            network(TYPE_IPV4, at + 3);
            return;
        }
        if (at + 8 > bytes.frame) {
            out.status = PacketStatus.NOT_IP;
            return;
        }
        if (!reach(at + 8L)) {
            return;
        }
        out.note(Note.SNAP);
        int type = bytes.shortAt(at + 6);
        if (type < MIN_ETHER_TYPE) {
            out.note(Note.SNAP_SMALL_TYPE);
        }
        network(type, at + 8);
    }

    void linuxCooked(int at) {
        if (cookedAddress(at, at + 4, at + 6)) {
            cookedPayload(bytes.shortAt(at + 14), at + 16);
        }
    }

    void linuxCooked2(int at) {
        // The protocol comes first, the address behind it.
        if (!reach(at + 2L)) {
            return;
        }
        int type = bytes.shortAt(at);
        boolean tag = EthernetFields.isVlanTag(type) || allTags && LinkTag.of(type) != null;
        if (type >= MIN_ETHER_TYPE && !tag) {
            fields.etherType(type);
        }
        if (reach(at + 12L) && cookedAddress2(at)) {
            cookedPayload(type, at + 20);
        }
    }

    private boolean cookedAddress(int at, int lengthAt, int addressAt) {
        if (!reach(lengthAt + 2L)) {
            return false;
        }
        if (bytes.shortAt(lengthAt) == 6) {
            if (!reach(addressAt + 6L)) {
                return false;
            }
            fields.mac(Field.ETH_SRC, addressAt);
        }
        return reach(at + 16L);
    }

    private boolean cookedAddress2(int at) {
        if (bytes.byteAt(at + 11) == 6) {
            if (!reach(at + 18L)) {
                return false;
            }
            fields.mac(Field.ETH_SRC, at + 12);
        }
        return reach(at + 20L);
    }

    private void cookedPayload(int type, int at) {
        if (type == SLL_PROTO_802_2) {
            llc(at);
        } else if (type >= MIN_ETHER_TYPE) {
            typed(type, at);
        } else {
            notIp();
        }
    }

    /** An address family in the byte order of the host that captured. */
    void loopback(int at) {
        if (reach(at + 4L)) {
            int family = bytes.intAt(at);
            family((family >>> 16) != 0 ? Integer.reverseBytes(family) : family, at + 4);
        }
    }

    void loopbackBigEndian(int at) {
        if (reach(at + 4L)) {
            family(bytes.intAt(at), at + 4);
        }
    }

    /** A packet of an address family: each system has a number of its own for IPv6. */
    void family(int family, int at) {
        switch (family) {
            case 2 -> network(TYPE_IPV4, at);
            // Linux; Windows; NetBSD and OpenBSD; Solaris; FreeBSD; macOS
            case 10, 23, 24, 26, 28, 30 -> network(TYPE_IPV6, at);
            default -> notIp();
        }
    }

    void rawIp(int at, int version) {
        if (!bytes.reach(at + 1L, PacketStatus.MALFORMED_IP_HEADER_SHORT)) {
            return;
        }
        int nibble = bytes.byteAt(at) >>> 4;
        int announced = version == 0 ? nibble : version;
        switch (announced) {
            case 4 -> network(TYPE_IPV4, at);
            case 6 -> network(TYPE_IPV6, at);
            default -> bytes.out.status = PacketStatus.MALFORMED_IP_VERSION;
        }
    }

    /** A payload of an EtherType, behind all tags. */
    void network(int type, int at) {
        if (!bytes.out.has(ParsedPacket.ETH_TYPE)) {
            fields.etherType(type);
        }
        if (type == TYPE_IPV4) {
            isIp = true;
            ip.ipv4(at);
        } else if (type == TYPE_IPV6) {
            isIp = true;
            ip.ipv6(at);
        } else {
            notIp();
            otherType = type;
            otherAt = at;
        }
    }
}
