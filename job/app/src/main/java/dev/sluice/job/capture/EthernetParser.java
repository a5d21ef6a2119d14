package dev.sluice.job.capture;

import dev.sluice.job.capture.CaptureReader.Direction;
import dev.sluice.job.capture.ParsedPacket.Note;
import dev.sluice.schemas.header.Field;
import dev.sluice.schemas.header.HeaderWord;

/**
 * Parser of the link layers that all others lead to, up to the IP header: Ethernet and its tags,
 * LLC, loopback, cooked headers, raw IP.
 *
 * <p>After IEEE 802.1Q, 802.2, and the link-layer header descriptions of libpcap. Not thread-safe.
 */
final class EthernetParser {
    static final int TYPE_IPV4 = 0x0800;
    static final int TYPE_IPV6 = 0x86dd;
    private static final int TYPE_ARP = 0x0806;
    private static final int TYPE_RARP = 0x8035;
    private static final int MAX_802_3_LENGTH = 1500;
    private static final int MIN_ETHER_TYPE = 1536;
    private static final int SLL_PROTO_802_2 = 4;
    private static final int SLL_OUTGOING = 4;
    private static final int SAP_IP = 6;
    private static final int DSA_TAGGED = 0x20;
    private static final int MACSEC_SCI = 0x20;
    private static final int MACSEC_CHANGED = 0x0c;

    private final PacketBytes bytes;
    private final IpParser ip;
    private final AskedFields asked;
    private final boolean allTags;

    /** True once an IP header was reached, even a malformed one. */
    boolean isIp;

    /** True once a tag was parsed that hides the following fields from a switch. */
    private boolean hidden;

    /** EtherType of a payload other than IP; -1: there was none. */
    int otherType = -1;

    /** Start of that payload. */
    int otherAt;

    EthernetParser(PacketBytes bytes, IpParser ip, AskedFields asked, TagDepth tags) {
        this.bytes = bytes;
        this.ip = ip;
        this.asked = asked;
        this.allTags = tags == TagDepth.ALL;
    }

    /** Forgets the previous packet. */
    void reset() {
        ip.reset();
        isIp = false;
        hidden = false;
        otherType = -1;
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

    /** Tells whether an EtherType is that of a VLAN tag, to Open vSwitch too. */
    static boolean isVlanTag(int type) {
        return type == 0x8100 || type == 0x88a8;
    }

    /** Sets a MAC address from the bytes at a place, if they can be read. */
    private boolean mac(Field field, int at) {
        if (!reach(at + 6L)) {
            return false;
        }
        int[] w = bytes.out.words;
        int high = bytes.shortAt(at);
        int low = bytes.intAt(at + 2);
        if (field.word() == HeaderWord.MAC_HIGH) {
            w[HeaderWord.MAC_HIGH] = high << 16 | low >>> 16;
            w[HeaderWord.MAC_MIDDLE] |= low << 16;
            w[HeaderWord.IP] |= Field.ETH_SRC_PRESENT.maskInWord();
        } else {
            w[HeaderWord.MAC_MIDDLE] |= high;
            w[HeaderWord.MAC_LOW] = low;
            w[HeaderWord.IP] |= Field.ETH_DST_PRESENT.maskInWord();
        }
        return true;
    }

    /** Sets the EtherType. */
    private void setType(int type) {
        bytes.out.words[HeaderWord.ETHER] |= type << 16;
        bytes.out.columns |= ParsedPacket.ETH_TYPE;
    }

    void ethernet(int at) {
        if (addresses(at)) {
            etherType(at + 12);
        }
    }

    /** Sets the destination and source of an Ethernet frame, as far as they are captured. */
    private boolean addresses(int at) {
        return addresses(at, at + 6);
    }

    /** Sets destination and source from two places, as far as they are captured. */
    boolean addresses(int destinationAt, int sourceAt) {
        return mac(Field.ETH_DST, destinationAt) && mac(Field.ETH_SRC, sourceAt);
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
        ParsedPacket out = bytes.out;
        if (out.hasVlan()) {
            out.note(Note.VLAN_STACKED);
            return;
        }
        // The word's presence bit takes the place of the tag's drop-eligible bit.
        out.words[HeaderWord.ETHER] |= tag & 0xefff | Field.VLAN_PRESENT.maskInWord();
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
            int next = isVlanTag(type) ? vlan(at) : tag(type, at);
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
        if (!allTags && bytes.out.hasVlan() || !reach(at + 2L)) {
            return -1;
        }
        vlanTag(bytes.shortAt(at));
        return at + 2;
    }

    /**
     * Returns the place of the EtherType after another tag; -1: no tag, or one that is cut, not
     * parsed or encrypted.
     */
    private int tag(int type, int at) {
        LinkTag tag = allTags ? LinkTag.of(type) : null;
        if (tag == null || !reach(at + 2L)) {
            return -1;
        }
        if (tag == LinkTag.QINQ_9100) {
            // A switch takes the tag for an unknown EtherType, and parses no further.
            if (!bytes.out.has(ParsedPacket.ETH_TYPE)) {
                setType(type);
            }
            hidden = true;
        } else if (tag == LinkTag.EDSA && bytes.has(at + 6L)) {
            dsaTag(at + 2);
        }
        return switch (tag) {
            // Version, length in words, and that many words of options.
            case CISCO_METADATA -> at + 2 + 4 * bytes.byteAt(at + 1);
            case MACSEC -> {
                int control = bytes.byteAt(at);
                boolean sci = (control & MACSEC_SCI) != 0;
                yield (control & MACSEC_CHANGED) != 0 ? -1 : at + (sci ? 14 : 6);
            }
            default -> at + tag.bytes;
        };
    }

    /** Parses an LLC header (IEEE 802.2); a SNAP header with OUI 0 contains an EtherType. */
    void llc(int at) {
        ParsedPacket out = bytes.out;
        boolean ipSap = allTags && bytes.has(at + 1L) && bytes.byteAt(at) == SAP_IP;
        int length = ipSap ? 3 : 6;
        for (int i = 0; i < length; i++) {
            int expected = i == 2 ? 3 : i > 2 ? 0 : ipSap ? SAP_IP : 0xaa;
            boolean cut = at + i < bytes.frame && at + i >= bytes.captured;
            if (cut || at + i >= bytes.frame || bytes.byteAt(at + i) != expected) {
                out.status = cut ? PacketStatus.TRUNCATED : PacketStatus.NOT_IP;
                return;
            }
        }
        if (ipSap) {
            network(TYPE_IPV4, at + 3);
            return;
        }
        if (at + 8 > bytes.frame) {
            notIp();
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
        if (bytes.has(at + 2L)) {
            direction(bytes.shortAt(at));
        }
        if (reach(at + 6L) && cooked(bytes.shortAt(at + 4), at + 6, at + 16)) {
            cookedPayload(bytes.shortAt(at + 14), at + 16);
        }
    }

    void linuxCooked2(int at) {
        // The protocol comes first, then the address.
        if (!reach(at + 2L)) {
            return;
        }
        int type = bytes.shortAt(at);
        boolean tag = isVlanTag(type) || allTags && LinkTag.of(type) != null;
        if (type >= MIN_ETHER_TYPE && !tag) {
            setType(type);
        }
        if (bytes.has(at + 11L)) {
            direction(bytes.byteAt(at + 10));
            int index = bytes.intAt(at + 4);
            if (bytes.out.direction == Direction.OUTGOING) {
                bytes.out.outIndex = index;
            } else {
                bytes.out.inIndex = index;
            }
        }
        if (reach(at + 12L) && cooked(bytes.byteAt(at + 11), at + 12, at + 20)) {
            cookedPayload(type, at + 20);
        }
    }

    /**
     * Sets the direction by the kernel's type of a packet: to the host, to all, a group, others.
     */
    private void direction(int type) {
        if (type == SLL_OUTGOING) {
            bytes.out.direction = Direction.OUTGOING;
        } else if (type < SLL_OUTGOING) {
            bytes.out.direction = Direction.INCOMING;
        }
    }

    /** Sets the source of a cooked header, if it is a MAC address, and reaches the header's end. */
    private boolean cooked(int addressLength, int addressAt, int end) {
        return (addressLength != 6 || mac(Field.ETH_SRC, addressAt)) && reach(end);
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

    /** Parses a header that begins with an address family in either byte order. */
    void hostFamily(int at, int headerBytes) {
        if (reach(at + (long) headerBytes)) {
            int family = bytes.intAt(at);
            family((family >>> 16) != 0 ? Integer.reverseBytes(family) : family, at + headerBytes);
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
            setType(type);
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
