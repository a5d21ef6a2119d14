package dev.sluice.job.capture;

import dev.sluice.job.capture.ParsedPacket.Note;
import dev.sluice.schemas.header.Field;
import dev.sluice.schemas.header.HeaderWord;
import java.util.Arrays;

/**
 * Looks through tunnels for the innermost IP header, which takes the place of the one before it.
 *
 * <p>Opens VXLAN (RFC 7348; UDP ports 4789 and 8472), GENEVE (RFC 8926), GRE (RFC 2784, 2890; with
 * PPP in it RFC 2637, with ERSPAN, with Cisco's metadata), IP in IP (RFC 2003, 2473, 4213), GTP-U
 * (3GPP TS 29.281), MPLS (RFC 3032) and PPPoE (RFC 2516). MPLS does not say what it carries: it is
 * taken for IP by its first four bits, or for Ethernet where an EtherType of IP and the version
 * behind it agree.
 *
 * <p>A tunnel with no IP in it leaves the header that was there before. One that ends within the
 * captured bytes only by their being cut makes the packet truncated: the header that rules are
 * about is not there. The way inwards is bounded by {@link #MOST}. Not thread-safe.
 */
final class TunnelParser {
    /** Most headers of tunnels to look through; of MPLS each label is one. */
    static final int MOST = 16;

    private static final int TYPE_IPV4 = 0x0800;
    private static final int TYPE_IPV6 = 0x86dd;
    private static final int TYPE_BRIDGED = 0x6558;
    private static final int TYPE_MPLS = 0x8847;
    private static final int TYPE_MPLS_MULTICAST = 0x8848;
    private static final int TYPE_PPP = 0x880b;
    private static final int TYPE_PPPOE = 0x8864;
    private static final int TYPE_ERSPAN = 0x88be;
    private static final int TYPE_ERSPAN_3 = 0x22eb;
    private static final int TYPE_CISCO_METADATA = 0x8909;

    private static final int PROTO_IPV4 = 4;
    private static final int PROTO_UDP = 17;
    private static final int PROTO_IPV6 = 41;
    private static final int PROTO_GRE = 47;
    private static final int PROTO_MPLS = 137;
    private static final int PROTO_ETHERNET = 143;

    private static final int PORT_GTP = 2152;

    private static final int GRE_CHECKSUM = 0x8000;
    private static final int GRE_ROUTING = 0x4000;
    private static final int GRE_KEY = 0x2000;
    private static final int GRE_SEQUENCE = 0x1000;
    private static final int GRE_ACKNOWLEDGEMENT = 0x0080;
    private static final int GRE_VERSION = 7;

    private static final int LINK_COLUMNS =
            ParsedPacket.ETH_SRC | ParsedPacket.ETH_DST | ParsedPacket.VLAN;

    private final PacketBytes bytes;
    private final IpParser ip;
    private final EthernetFields link;

    /** Headers of tunnels that were looked through. */
    private int layers;

    /** Where the last Ethernet header since the last IP header begins; -1: there was none. */
    private int ethernetAt;

    /** EtherType and place of the IP header that was found. */
    private int type;

    private int at;

    private boolean hasId;
    private int id;

    TunnelParser(PacketBytes bytes, IpParser ip, EthernetFields link) {
        this.bytes = bytes;
        this.ip = ip;
        this.link = link;
    }

    /**
     * Goes inwards from what was parsed.
     *
     * @param etherType of the frame's payload where that is no IP; else -1
     * @param payloadAt where that payload begins
     */
    void lookThrough(int etherType, int payloadAt) {
        layers = 0;
        hasId = false;
        ethernetAt = -1;
        boolean found = etherType < 0 ? behindIp() : behindType(etherType, payloadAt);
        while (found) {
            take();
            ethernetAt = -1;
            found = bytes.out.status == PacketStatus.OK && behindIp();
        }
    }

    /** The IP header that was found takes the place of what was parsed before. */
    private void take() {
        ParsedPacket out = bytes.out;
        int[] w = out.words;
        int ether = w[HeaderWord.ETHER] & 0xffff;
        int macs =
                w[HeaderWord.IP]
                        & (Field.ETH_SRC_PRESENT.maskInWord() | Field.ETH_DST_PRESENT.maskInWord());
        int high = w[HeaderWord.MAC_HIGH];
        int middle = w[HeaderWord.MAC_MIDDLE];
        int low = w[HeaderWord.MAC_LOW];
        Arrays.fill(w, 0);
        if (ethernetAt < 0) {
            w[HeaderWord.ETHER] = ether;
            w[HeaderWord.IP] = macs;
            w[HeaderWord.MAC_HIGH] = high;
            w[HeaderWord.MAC_MIDDLE] = middle;
            w[HeaderWord.MAC_LOW] = low;
            out.columns &= LINK_COLUMNS;
        } else {
            out.columns = 0;
            link.mac(Field.ETH_DST, ethernetAt);
            link.mac(Field.ETH_SRC, ethernetAt + 6);
            vlanTags(ethernetAt + 12);
        }
        link.etherType(type);
        if (hasId) {
            w[HeaderWord.TUNNEL_ID] = id;
            w[HeaderWord.IP] |= Field.TUNNEL_ID_PRESENT.maskInWord();
            out.columns |= ParsedPacket.TUNNEL_ID;
        }
        out.fragment = 0;
        out.status = PacketStatus.OK;
        // What lies in a tunnel ends with it.
        bytes.frame = bytes.payload;
        if (type == TYPE_IPV4) {
            ip.ipv4(at);
        } else {
            ip.ipv6(at);
        }
    }

    private void vlanTags(int typeAt) {
        ParsedPacket out = bytes.out;
        for (int p = typeAt; EthernetFields.isVlanTag(bytes.shortAt(p)); p += 4) {
            if (out.has(ParsedPacket.VLAN)) {
                out.note(Note.VLAN_STACKED);
            } else {
                link.vlanTag(bytes.shortAt(p + 2));
            }
        }
    }

    private boolean behindIp() {
        int p = ip.payloadAt();
        return p >= 0
                && switch (ip.protocol()) {
                    case PROTO_IPV4 -> enter() && found(TYPE_IPV4, p);
                    case PROTO_IPV6 -> enter() && found(TYPE_IPV6, p);
                    case PROTO_UDP -> udp(p);
                    case PROTO_GRE -> gre(p);
                    case PROTO_MPLS -> mpls(p);
                    case PROTO_ETHERNET -> ethernet(p);
                    default -> false;
                };
    }

    private boolean behindType(int etherType, int p) {
        return switch (etherType) {
            case TYPE_IPV4, TYPE_IPV6 -> found(etherType, p);
            case TYPE_MPLS, TYPE_MPLS_MULTICAST -> mpls(p);
            case TYPE_PPPOE -> pppoe(p);
            default -> false;
        };
    }

    private boolean found(int etherType, int p) {
        type = etherType;
        at = p;
        return true;
    }

    /** One more header of a tunnel, if there may be one. */
    private boolean enter() {
        if (++layers > MOST) {
            bytes.out.status = PacketStatus.UNSUPPORTED_TUNNEL_DEPTH;
            return false;
        }
        return true;
    }

    /** Whether bytes are there; where they were only not captured, the packet is truncated. */
    private boolean there(long end) {
        if (bytes.has(end)) {
            return true;
        }
        if (end <= bytes.payload) {
            bytes.out.status = PacketStatus.TRUNCATED;
        }
        return false;
    }

    private boolean identified(int number) {
        hasId = true;
        id = number;
        return true;
    }

    private boolean ethernet(int p) {
        if (!enter() || !there(p + 14L)) {
            return false;
        }
        int typeAt = p + 12;
        while (EthernetFields.isVlanTag(bytes.shortAt(typeAt))) {
            typeAt += 4;
            if (!there(typeAt + 2L)) {
                return false;
            }
        }
        ethernetAt = p;
        int etherType = bytes.shortAt(typeAt);
        if (etherType == TYPE_CISCO_METADATA) {
            return ciscoMetadata(typeAt + 2);
        }
        return behindType(etherType, typeAt + 2);
    }

    private boolean udp(int p) {
        int ports = bytes.out.words[HeaderWord.PORTS];
        return switch (Field.DST_PORT.extract(ports)) {
            case 4789, 8472 -> vxlan(p + 8);
            case 6081 -> geneve(p + 8);
            case PORT_GTP -> gtp(p + 8);
            // There are gateways that answer to the port that a packet came from.
            default -> Field.SRC_PORT.extract(ports) == PORT_GTP && gtp(p + 8);
        };
    }

    private boolean vxlan(int p) {
        // The flag I: there is a VNI.
        return enter()
                && there(p + 8L)
                && (bytes.byteAt(p) & 8) != 0
                && identified(bytes.intAt(p + 4) >>> 8)
                && ethernet(p + 8);
    }

    private boolean geneve(int p) {
        if (!enter() || !there(p + 8L) || bytes.byteAt(p) >>> 6 != 0) {
            return false;
        }
        int inner = p + 8 + 4 * (bytes.byteAt(p) & 0x3f);
        identified(bytes.intAt(p + 4) >>> 8);
        int etherType = bytes.shortAt(p + 2);
        return etherType == TYPE_BRIDGED ? ethernet(inner) : behindType(etherType, inner);
    }

    private boolean gtp(int p) {
        // Version 1, protocol type GTP, a user's packet; not what the tunnel's ends tell each
        // other.
        if (!enter()
                || !there(p + 8L)
                || (bytes.byteAt(p) & 0xf0) != 0x30
                || bytes.byteAt(p + 1) != 0xff) {
            return false;
        }
        int flags = bytes.byteAt(p);
        int teid = bytes.intAt(p + 4);
        int inner = p + 8;
        if ((flags & 7) != 0) {
            if (!there(inner + 4L)) {
                return false;
            }
            int next = (flags & 4) == 0 ? 0 : bytes.byteAt(inner + 3);
            inner += 4;
            while (next != 0) {
                if (!there(inner + 1L)) {
                    return false;
                }
                int length = 4 * bytes.byteAt(inner);
                if (length == 0 || !there((long) inner + length)) {
                    return false;
                }
                next = bytes.byteAt(inner + length - 1);
                inner += length;
            }
        }
        return there(inner + 1L) && byVersion(inner) && identified(teid);
    }

    /** IP that nothing announces but its own first bits. */
    private boolean byVersion(int p) {
        int first = bytes.byteAt(p);
        return switch (first >>> 4) {
            case 4 -> (first & 0xf) >= 5 && found(TYPE_IPV4, p);
            case 6 -> found(TYPE_IPV6, p);
            default -> false;
        };
    }

    private boolean gre(int p) {
        if (!enter() || !there(p + 4L)) {
            return false;
        }
        int flags = bytes.shortAt(p);
        int etherType = bytes.shortAt(p + 2);
        int version = flags & GRE_VERSION;
        boolean pptp = version == 1 && etherType == TYPE_PPP;
        if ((flags & GRE_ROUTING) != 0 || version != 0 && !pptp) {
            return false;
        }
        int inner = p + 4 + ((flags & GRE_CHECKSUM) != 0 ? 4 : 0);
        if ((flags & GRE_KEY) != 0) {
            if (!there(inner + 4L)) {
                return false;
            }
            // In PPTP the field holds a length and the number of a call.
            if (!pptp) {
                identified(bytes.intAt(inner));
            }
            inner += 4;
        }
        boolean sequence = (flags & GRE_SEQUENCE) != 0;
        inner += sequence ? 4 : 0;
        inner += pptp && (flags & GRE_ACKNOWLEDGEMENT) != 0 ? 4 : 0;
        return switch (etherType) {
            case TYPE_BRIDGED -> ethernet(inner);
            case TYPE_PPP -> ppp(inner);
            case TYPE_ERSPAN -> ethernet(inner + (sequence ? 8 : 0));
            case TYPE_ERSPAN_3 -> erspan3(inner);
            case TYPE_CISCO_METADATA -> ciscoMetadata(inner);
            default -> behindType(etherType, inner);
        };
    }

    private boolean erspan3(int p) {
        // The last bit: a subheader of the platform follows.
        return there(p + 12L) && ethernet(p + 12 + 8 * (bytes.byteAt(p + 11) & 1));
    }

    /** Version, length in words, options, and an EtherType behind them. */
    private boolean ciscoMetadata(int p) {
        if (!enter() || !there(p + 2L)) {
            return false;
        }
        int typeAt = p + 2 + 4 * bytes.byteAt(p + 1);
        return there(typeAt + 2L) && behindType(bytes.shortAt(typeAt), typeAt + 2);
    }

    private boolean mpls(int start) {
        int p = start;
        boolean bottom = false;
        while (!bottom) {
            if (!enter() || !there(p + 4L)) {
                return false;
            }
            bottom = (bytes.byteAt(p + 2) & 1) != 0;
            p += 4;
        }
        // Ethernet comes with a control word that begins with four zeros, or without.
        return there(p + 1L)
                && (byVersion(p)
                        || bytes.byteAt(p) >>> 4 == 0 && ethernetWithIp(p + 4)
                        || ethernetWithIp(p));
    }

    /** Ethernet that nothing announces but an EtherType of IP and the version behind it. */
    private boolean ethernetWithIp(int p) {
        int typeAt = p + 12;
        while (bytes.has(typeAt + 6L) && EthernetFields.isVlanTag(bytes.shortAt(typeAt))) {
            typeAt += 4;
        }
        if (!bytes.has(typeAt + 3L)) {
            return false;
        }
        int etherType = bytes.shortAt(typeAt);
        if (!byVersion(typeAt + 2) || type != etherType) {
            return false;
        }
        ethernetAt = p;
        return true;
    }

    private boolean pppoe(int p) {
        // Version 1, type 1, a session's data.
        if (!enter() || !there(p + 6L) || bytes.shortAt(p) != 0x1100) {
            return false;
        }
        bytes.payload = Math.min(bytes.payload, p + 6L + bytes.shortAt(p + 4));
        return ppp(p + 6);
    }

    private boolean ppp(int start) {
        if (!there(start + 2L)) {
            return false;
        }
        int p = bytes.shortAt(start) == 0xff03 ? start + 2 : start;
        if (!there(p + 2L)) {
            return false;
        }
        // A protocol below 256 may be sent as one byte: then that is odd.
        boolean oneByte = (bytes.byteAt(p) & 1) != 0;
        int protocol = oneByte ? bytes.byteAt(p) : bytes.shortAt(p);
        int inner = p + (oneByte ? 1 : 2);
        return switch (protocol) {
            case 0x21 -> found(TYPE_IPV4, inner);
            case 0x57 -> found(TYPE_IPV6, inner);
            case 0x281, 0x283 -> mpls(inner);
            default -> false;
        };
    }
}
