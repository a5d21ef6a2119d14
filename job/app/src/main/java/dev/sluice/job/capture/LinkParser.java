package dev.sluice.job.capture;

import dev.sluice.job.capture.ParsedPacket.Note;
import dev.sluice.schemas.header.Field;

/**
 * Parser of link layers, from a packet's first byte to the IP header.
 *
 * <p>It parses Ethernet and its tags, LLC, loopback and cooked headers; {@link SerialParser},
 * {@link WirelessParser} and {@link SystemHeaderParser} parse the others.
 *
 * <p>After IEEE 802.1Q, 802.2, and the link-layer header descriptions of libpcap. Not thread-safe.
 */
final class LinkParser {
    static final int TYPE_IPV4 = 0x0800;
    static final int TYPE_IPV6 = 0x86dd;
    private static final int TYPE_ARP = 0x0806;
    private static final int TYPE_RARP = 0x8035;
    private static final int MAX_802_3_LENGTH = 1500;
    private static final int MIN_ETHER_TYPE = 1536;
    private static final int SLL_PROTO_802_2 = 4;
    private static final int SAP_IP = 6;
    private static final int DSA_TAGGED = 0x20;

    private final PacketBytes bytes;
    private final IpParser ip;
    private final AskedFields asked;
    private final EthernetFields fields;
    private final boolean allTags;
    private final SerialParser serial;
    private final WirelessParser wireless;
    private final SystemHeaderParser systems;

    /** True once an IP header was reached. */
    private boolean isIp;

    /** True once a tag was parsed that hides the following fields from a switch. */
    private boolean hidden;

    /** EtherType of a payload other than IP; -1: there was none. */
    private int otherType = -1;

    private int otherAt;

    LinkParser(PacketBytes bytes, IpParser ip, AskedFields asked, TagDepth tags) {
        this.bytes = bytes;
        this.ip = ip;
        this.asked = asked;
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

    /** Forgets the previous packet. */
    void reset() {
        ip.reset();
        isIp = false;
        hidden = false;
        otherType = -1;
    }

    /** Tells whether an IP header was reached, even a malformed one. */
    boolean isIp() {
        return isIp;
    }

    /** Returns the EtherType of a payload other than IP; -1: there was none. */
    int otherType() {
        return otherType;
    }

    /** Returns the start of that payload. */
    int otherAt() {
        return otherAt;
    }

    /**
     * Tells whether bytes of a link header up to {@code end} can be read; if not, sets the status.
     */
    boolean reach(long end) {
        return bytes.reach(end, PacketStatus.MALFORMED_LINK);
    }

    /** Sets the status of a packet other than IP. */
    void notIp() {
        bytes.out.status = PacketStatus.NOT_IP;
    }

    /** Sets the status of a packet whose link header contradicts itself. */
    void malformed() {
        bytes.out.status = PacketStatus.MALFORMED_LINK;
    }

    /** Parses a packet of a link type. */
    void packet(int linkType, int at) {
        LinkType type = LinkType.of(linkType);
        if (type == null) {
            bytes.out.status = PacketStatus.UNSUPPORTED_LINK;
        } else {
            type.read(this, at);
        }
    }

    /** Parses a packet of an inner link type, which must not contain a further one. */
    void nested(int linkType, int at) {
        LinkType type = LinkType.of(linkType);
        packet(type == null || type.wraps() ? -1 : linkType, at);
    }

    void ethernet(int at) {
        if (addresses(at)) {
            etherType(at + 12);
        }
    }

    /** Sets the destination and source of an Ethernet frame, as far as they are captured. */
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

    /** Sets destination and source from places within reach. */
    void addresses(int destinationAt, int sourceAt) {
        fields.mac(Field.ETH_DST, destinationAt);
        fields.mac(Field.ETH_SRC, sourceAt);
    }

    /** Parses Ethernet with a switch chip's tag of four bytes before the EtherType. */
    void dsa(int at) {
        if (addresses(at) && reach(at + 16L)) {
            dsaTag(at + 12);
            etherType(at + 16);
        }
    }

    /** Parses Ethernet with an EtherType and two bytes before the tag. */
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

    /** Sets the VLAN tag from a DSA tag, if the frame had one. */
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

    /** Parses from a length/type field: tags, then EtherType or 802.3 length. */
    private void etherType(int at) {
        if (reach(at + 2L)) {
            typed(bytes.shortAt(at), at + 2);
        }
    }

    /** Parses after an EtherType: tags, and their payload. */
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

    /** Returns the place of the EtherType after a VLAN tag; -1: the tag is cut, or not parsed. */
    private int vlan(int at) {
        if (!allTags && bytes.out.has(ParsedPacket.VLAN) || !reach(at + 2L)) {
            return -1;
        }
        vlanTag(bytes.shortAt(at));
        return at + 2;
    }

    /**
     * Returns the place of the EtherType after another tag; -1: no tag, or one that is cut or not
     * parsed.
     */
    private int tag(int type, int at) {
        LinkTag tag = allTags ? LinkTag.of(type) : null;
        if (tag == null || !reach(at + 2L)) {
            return -1;
        }
        if (tag == LinkTag.QINQ_9100) {
            // A switch takes the tag for an unknown EtherType, and parses no further.
            if (!bytes.out.has(ParsedPacket.ETH_TYPE)) {
                fields.etherType(type);
            }
            hidden = true;
        } else if (tag == LinkTag.EDSA && bytes.has(at + 6L)) {
            dsaTag(at + 2);
        }
        return tag.nextType(bytes, at);
    }

    /** Parses an LLC header (IEEE 802.2); a SNAP header with OUI 0 contains an EtherType. */
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
        // The protocol comes first, then the address.
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

    /** Parses an address family in the byte order of the capturing host. */
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

    /** Parses a packet of an address family; each system has its own number for IPv6. */
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

    /** Parses a payload of an EtherType, after all tags. */
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
            if (type == TYPE_ARP || type == TYPE_RARP) {
                asked.readArp(bytes, at, bytes.out.words);
            }
        }
    }
}
