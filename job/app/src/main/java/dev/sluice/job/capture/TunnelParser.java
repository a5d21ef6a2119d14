package dev.sluice.job.capture;

import dev.sluice.schemas.header.Field;
import dev.sluice.schemas.header.HeaderWord;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Parser of tunnels for the innermost IP header, which replaces the header before it. {@link
 * Tunnel} lists the kinds and how they are recognized.
 *
 * <p>Sources: VXLAN RFC 7348 and draft-ietf-nvo3-vxlan-gpe, GENEVE RFC 8926, GRE RFC 2784, 2890,
 * 8086, with PPP in it RFC 2637, IP in IP RFC 2003, 2473, 4213, GTP-U 3GPP TS 29.281, GTP version 0
 * GSM 09.60, MPLS RFC 3032 and 7510, PPPoE RFC 2516, L2TP RFC 2661 and 3931, EtherIP RFC 3378,
 * Teredo RFC 4380, CAPWAP RFC 5415, NSH RFC 8300.
 *
 * <p>MPLS and L2TP version 3 do not name their payload. The first four bits decide whether MPLS
 * contains IP. Both contain Ethernet if an EtherType of IP and the version after it agree.
 *
 * <p>A tunnel without IP leaves its outer header, and is reported as {@link ParsedPacket#shut}. If
 * the tunnel's content was only not captured, the packet is truncated, since the header to classify
 * is missing. At most {@link #MOST} headers are decapsulated. Not thread-safe.
 */
final class TunnelParser {
    /** Maximal number of tunnel headers; each label of MPLS counts as one. */
    static final int MOST = 16;

    private static final int TYPE_BRIDGED = 0x6558;
    private static final int TYPE_PPP = 0x880b;
    private static final int TYPE_ERSPAN = 0x88be;
    private static final int TYPE_ERSPAN_3 = 0x22eb;
    private static final int PROTO_UDP = 17;

    private static final int GRE_CHECKSUM = 0x8000;
    private static final int GRE_ROUTING = 0x4000;
    private static final int GRE_KEY = 0x2000;
    private static final int GRE_SEQUENCE = 0x1000;
    private static final int GRE_ACKNOWLEDGEMENT = 0x0080;
    private static final int GRE_VERSION = 7;

    private static final int L2TP_CONTROL = 0x8000;
    private static final int L2TP_LENGTH = 0x4000;
    private static final int L2TP_SEQUENCE = 0x0800;
    private static final int L2TP_OFFSET = 0x0200;

    private static final int TZSP_ETHERNET = 1;
    private static final int TZSP_WIRELESS = 18;

    private static final int LINK_COLUMNS =
            ParsedPacket.ETH_SRC | ParsedPacket.ETH_DST | ParsedPacket.VLAN;

    private final PacketBytes bytes;
    private final IpParser ip;
    private final LinkParser links;

    /** Number of tunnel headers parsed so far. */
    private int layers;

    /** Tunnel that was entered last; null: none since the last IP header. */
    private @Nullable Tunnel entered;

    /** True if only the source's port identifies the tunnel. */
    private boolean bySource;

    private boolean hasId;
    private int id;

    // The outer header of a tunnel, until an inner one is found.
    private final int[] keptWords = new int[HeaderWord.COUNT];
    private int keptColumns;
    private int keptFragment;
    private PacketStatus keptStatus = PacketStatus.OK;

    TunnelParser(PacketBytes bytes, IpParser ip, LinkParser links) {
        this.bytes = bytes;
        this.ip = ip;
        this.links = links;
    }

    /** Decapsulates the parsed packet. */
    void lookThrough() {
        layers = 0;
        hasId = false;
        entered = null;
        boolean found = links.isIp() ? behindIp() : behindType();
        while (found && bytes.out.status == PacketStatus.OK) {
            entered = null;
            found = behindIp();
        }
        if (!found && entered != null) {
            restore();
            bytes.out.shut = bytes.out.status.isClassified() ? entered : null;
        }
    }

    private boolean behindIp() {
        int p = ip.payloadAt();
        if (p < 0) {
            return false;
        }
        int protocol = ip.protocol();
        bySource = false;
        Tunnel tunnel = protocol == PROTO_UDP ? ofPorts() : Tunnel.ofProtocol(protocol);
        return tunnel != null && tunnel.open(this, protocol == PROTO_UDP ? p + 8 : p);
    }

    private @Nullable Tunnel ofPorts() {
        int ports = bytes.out.words[HeaderWord.PORTS];
        Tunnel tunnel = Tunnel.ofDestination(Field.DST_PORT.extract(ports));
        if (tunnel == null) {
            // Some tunnel ends send from the well-known port, to the peer's source port.
            tunnel = Tunnel.ofSource(Field.SRC_PORT.extract(ports));
            bySource = tunnel != null;
        }
        return tunnel;
    }

    /** Parses on after a link layer without IP, whose payload may be a tunnel. */
    private boolean behindType() {
        Tunnel tunnel = links.otherType() < 0 ? null : Tunnel.ofType(links.otherType());
        return tunnel != null && tunnel.open(this, links.otherAt());
    }

    /** Enters one further tunnel header, up to the maximum. */
    private boolean enter(Tunnel tunnel) {
        if (entered == null) {
            keep();
        }
        entered = tunnel;
        if (++layers > MOST) {
            bytes.out.status = PacketStatus.UNSUPPORTED_TUNNEL_DEPTH;
            return false;
        }
        return true;
    }

    private void keep() {
        ParsedPacket out = bytes.out;
        System.arraycopy(out.words, 0, keptWords, 0, keptWords.length);
        keptColumns = out.columns;
        keptFragment = out.fragment;
        keptStatus = out.status;
    }

    /** Restores the outer header; a truncated or too deep packet keeps that status. */
    private void restore() {
        ParsedPacket out = bytes.out;
        System.arraycopy(keptWords, 0, out.words, 0, keptWords.length);
        out.columns = keptColumns;
        out.fragment = keptFragment;
        if (out.status != PacketStatus.TRUNCATED
                && out.status != PacketStatus.UNSUPPORTED_TUNNEL_DEPTH) {
            out.status = keptStatus;
        }
    }

    /** Tells whether bytes can be read; a packet whose capture lacks them becomes truncated. */
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

    /**
     * Clears the fields for the inner header.
     *
     * @param link whether the inner packet has a link layer of its own; if not, the outer one stays
     */
    private void begin(boolean link) {
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
        if (link) {
            out.columns = 0;
        } else {
            w[HeaderWord.ETHER] = ether;
            w[HeaderWord.IP] = macs;
            w[HeaderWord.MAC_HIGH] = high;
            w[HeaderWord.MAC_MIDDLE] = middle;
            w[HeaderWord.MAC_LOW] = low;
            out.columns &= LINK_COLUMNS;
        }
        out.fragment = 0;
        out.status = PacketStatus.OK;
        // The content of a tunnel ends with the tunnel.
        bytes.frame = bytes.payload;
        links.reset();
    }

    /** Tells whether an IP header was found, possibly in a further tunnel. */
    private boolean end() {
        ParsedPacket out = bytes.out;
        if (!links.isIp()) {
            return out.status == PacketStatus.NOT_IP && behindType();
        }
        if (hasId) {
            out.words[HeaderWord.TUNNEL_ID] = id;
            out.words[HeaderWord.IP] |= Field.TUNNEL_ID_PRESENT.maskInWord();
            out.columns |= ParsedPacket.TUNNEL_ID;
        }
        return true;
    }

    private boolean typed(int etherType, int p) {
        begin(false);
        links.typed(etherType, p);
        return end();
    }

    private boolean frame(int p) {
        begin(true);
        links.ethernet(p);
        return end();
    }

    private boolean ppp(int p) {
        begin(false);
        links.serial().ppp(p);
        return end();
    }

    private boolean wireless(int p) {
        begin(true);
        links.wireless().maybeSwapped(p);
        return end();
    }

    /** Parses IP that only its own first bits identify. */
    private boolean byVersion(int p) {
        int type = versionAt(p);
        return type != 0 && typed(type, p);
    }

    /** Returns the EtherType of the IP version at a place within reach; 0: none. */
    private int versionAt(int p) {
        int first = bytes.byteAt(p);
        return switch (first >>> 4) {
            case 4 -> (first & 0xf) >= 5 ? LinkParser.TYPE_IPV4 : 0;
            case 6 -> LinkParser.TYPE_IPV6;
            default -> 0;
        };
    }

    /** Tells whether Ethernet may start here: an EtherType of IP, then the matching version. */
    private boolean isEthernetWithIp(int p) {
        int typeAt = p + 12;
        while (bytes.has(typeAt + 6L) && EthernetFields.isVlanTag(bytes.shortAt(typeAt))) {
            typeAt += 4;
        }
        return bytes.has(typeAt + 3L) && versionAt(typeAt + 2) == bytes.shortAt(typeAt);
    }

    /** Enters a tunnel that cannot be decapsulated. */
    boolean shut(Tunnel tunnel, int p) {
        enter(tunnel);
        return false;
    }

    boolean ipInIp(Tunnel tunnel, int p) {
        int type = ip.protocol() == 4 ? LinkParser.TYPE_IPV4 : LinkParser.TYPE_IPV6;
        return enter(tunnel) && typed(type, p);
    }

    boolean ethernet(Tunnel tunnel, int p) {
        return enter(tunnel) && frame(p);
    }

    boolean etherIp(Tunnel tunnel, int p) {
        return there(p + 2L) && bytes.byteAt(p) >>> 4 == 3 && enter(tunnel) && frame(p + 2);
    }

    boolean vxlan(Tunnel tunnel, int p) {
        // Flag I: a VNI is present. The source's port alone is weak evidence: the rest must be 0.
        return there(p + 8L)
                && (bytes.byteAt(p) & 8) != 0
                && (!bySource || bytes.intAt(p) == 0x08000000 && bytes.byteAt(p + 7) == 0)
                && enter(tunnel)
                && identified(bytes.intAt(p + 4) >>> 8)
                && frame(p + 8);
    }

    boolean vxlanGpe(Tunnel tunnel, int p) {
        // Version 0, and the flag I.
        if (!there(p + 8L) || (bytes.byteAt(p) & 0x38) != 8 || !enter(tunnel)) {
            return false;
        }
        identified(bytes.intAt(p + 4) >>> 8);
        boolean named = (bytes.byteAt(p) & 4) != 0;
        return named ? nextProtocol(bytes.byteAt(p + 3), p + 8) : frame(p + 8);
    }

    /** Parses a payload by the protocol numbers that VXLAN-GPE and NSH share. */
    private boolean nextProtocol(int protocol, int p) {
        return switch (protocol) {
            case 1 -> typed(LinkParser.TYPE_IPV4, p);
            case 2 -> typed(LinkParser.TYPE_IPV6, p);
            case 3 -> frame(p);
            case 4 -> nsh(Tunnel.NSH, p);
            case 5 -> mpls(Tunnel.MPLS, p);
            default -> false;
        };
    }

    boolean nsh(Tunnel tunnel, int p) {
        // Version 0; the length is in words.
        return there(p + 4L)
                && bytes.byteAt(p) >>> 6 == 0
                && enter(tunnel)
                && nextProtocol(bytes.byteAt(p + 3), p + 4 * (bytes.byteAt(p + 1) & 0x3f));
    }

    boolean geneve(Tunnel tunnel, int p) {
        if (!there(p + 8L) || bytes.byteAt(p) >>> 6 != 0 || !enter(tunnel)) {
            return false;
        }
        int inner = p + 8 + 4 * (bytes.byteAt(p) & 0x3f);
        identified(bytes.intAt(p + 4) >>> 8);
        int etherType = bytes.shortAt(p + 2);
        return etherType == TYPE_BRIDGED ? frame(inner) : typed(etherType, inner);
    }

    boolean gtp(Tunnel tunnel, int p) {
        // Version 1, protocol type GTP, a user's packet; no control message.
        if (!there(p + 8L)
                || (bytes.byteAt(p) & 0xf0) != 0x30
                || bytes.byteAt(p + 1) != 0xff
                || !enter(tunnel)) {
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
        return there(inner + 1L)
                && versionAt(inner) != 0
                && identified(teid)
                && typed(versionAt(inner), inner);
    }

    boolean gtpV0(Tunnel tunnel, int p) {
        // Version 0, protocol type GTP, a user's packet behind 20 bytes.
        return there(p + 21L)
                && (bytes.byteAt(p) & 0xf0) == 0x10
                && bytes.byteAt(p + 1) == 0xff
                && enter(tunnel)
                && byVersion(p + 20);
    }

    boolean gre(Tunnel tunnel, int p) {
        if (!there(p + 4L) || !enter(tunnel)) {
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
            case TYPE_BRIDGED -> frame(inner);
            case TYPE_PPP -> ppp(inner);
            case TYPE_ERSPAN -> frame(inner + (sequence ? 8 : 0));
            case TYPE_ERSPAN_3 -> erspan3(inner);
            default -> typed(etherType, inner);
        };
    }

    private boolean erspan3(int p) {
        // The last bit: a subheader of the platform follows.
        return there(p + 12L) && frame(p + 12 + 8 * (bytes.byteAt(p + 11) & 1));
    }

    boolean mpls(Tunnel tunnel, int start) {
        int p = start;
        boolean bottom = false;
        while (!bottom) {
            if (!there(p + 4L) || !enter(tunnel)) {
                return false;
            }
            bottom = (bytes.byteAt(p + 2) & 1) != 0;
            p += 4;
        }
        if (!there(p + 1L)) {
            return false;
        }
        if (versionAt(p) != 0) {
            return byVersion(p);
        }
        // Ethernet comes with a control word that begins with four zeros, or without.
        if (bytes.byteAt(p) >>> 4 == 0 && isEthernetWithIp(p + 4)) {
            return frame(p + 4);
        }
        return isEthernetWithIp(p) && frame(p);
    }

    boolean pppoe(Tunnel tunnel, int p) {
        // Version 1, type 1, a session's data.
        if (!there(p + 6L) || bytes.shortAt(p) != 0x1100 || !enter(tunnel)) {
            return false;
        }
        bytes.payload = Math.min(bytes.payload, p + 6L + bytes.shortAt(p + 4));
        return ppp(p + 6);
    }

    boolean l2tp(Tunnel tunnel, int start) {
        if (!there(start + 6L)) {
            return false;
        }
        int flags = bytes.shortAt(start);
        int version = flags & 0xf;
        if ((flags & L2TP_CONTROL) != 0 || version != 2 && version != 3) {
            return false; // a control message
        }
        if (version == 3) {
            return enter(tunnel) && session(start + 8);
        }
        // Length, tunnel and session, sequence numbers, and an offset to the payload.
        int p = start + ((flags & L2TP_LENGTH) != 0 ? 8 : 6);
        p += (flags & L2TP_SEQUENCE) != 0 ? 4 : 0;
        if ((flags & L2TP_OFFSET) != 0) {
            if (!there(p + 2L)) {
                return false;
            }
            p += 2 + bytes.shortAt(p);
        }
        return enter(tunnel) && ppp(p);
    }

    boolean l2tpV3(Tunnel tunnel, int p) {
        // Session 0 carries control messages.
        return there(p + 4L) && bytes.intAt(p) != 0 && enter(tunnel) && session(p + 4);
    }

    /** Parses Ethernet after a cookie and a sublayer, whose lengths only the tunnel's ends know. */
    private boolean session(int start) {
        if (!there(start + 1L)) {
            return false;
        }
        for (int p = start; p <= start + 12; p += 4) {
            if (isEthernetWithIp(p)) {
                return frame(p);
            }
        }
        return false;
    }

    boolean tzsp(Tunnel tunnel, int start) {
        // Version 1, a packet; its link layer; then tags up to the one that ends them.
        if (!there(start + 4L) || bytes.byteAt(start) != 1 || bytes.byteAt(start + 1) > 1) {
            return false;
        }
        int protocol = bytes.shortAt(start + 2);
        int p = start + 4;
        while (true) {
            if (!there(p + 1L)) {
                return false;
            }
            int tag = bytes.byteAt(p++);
            if (tag == 1) {
                break;
            }
            if (tag != 0) {
                if (!there(p + 1L)) {
                    return false;
                }
                p += 1 + bytes.byteAt(p);
            }
        }
        return enter(tunnel)
                && switch (protocol) {
                    case TZSP_ETHERNET -> frame(p);
                    case TZSP_WIRELESS -> wireless(p);
                    default -> false;
                };
    }

    boolean teredo(Tunnel tunnel, int start) {
        if (!there(start + 8L)) {
            return false;
        }
        int p = start;
        if (bytes.shortAt(p) == 1) { // authentication: client, value, nonce, confirmation
            p += 13 + bytes.byteAt(p + 2) + bytes.byteAt(p + 3);
            if (!there(p + 8L)) {
                return false;
            }
        }
        if (bytes.shortAt(p) == 0) { // the origin's address and port
            p += 8;
        }
        return there(p + 1L)
                && bytes.byteAt(p) >>> 4 == 6
                && enter(tunnel)
                && typed(LinkParser.TYPE_IPV6, p);
    }

    boolean capwap(Tunnel tunnel, int p) {
        if (!there(p + 8L) || bytes.byteAt(p) >>> 4 != 0) {
            return false;
        }
        // 8 bits of version and type, 5 of length in words, 5 of radio, 5 of binding, and flags.
        int head = bytes.intAt(p);
        boolean encrypted = (head >>> 24 & 0xf) != 0;
        boolean keepAlive = (head & 0x08) != 0;
        boolean laterFragment = (head & 0x80) != 0 && (bytes.intAt(p + 4) >>> 3 & 0x1fff) != 0;
        if (keepAlive && !encrypted || !enter(tunnel) || encrypted || laterFragment) {
            return false;
        }
        int inner = p + 4 * (head >>> 19 & 0x1f);
        boolean wirelessFrame = (head & 0x100) != 0 && (head >>> 9 & 0x1f) == 1;
        return wirelessFrame ? wireless(inner) : (head & 0x100) == 0 && frame(inner);
    }

    boolean espInUdp(Tunnel tunnel, int p) {
        // A keep-alive has one byte; an SPI of 0 marks a key exchange.
        return bytes.has(p + 4L) && bytes.intAt(p) != 0 && shut(tunnel, p);
    }

    boolean wireGuard(Tunnel tunnel, int p) {
        return bytes.has(p + 4L) && bytes.intAt(p) == 0x04000000 && shut(tunnel, p);
    }
}
