package dev.sluice.job.capture;

import static dev.sluice.job.capture.EthernetParser.TYPE_IPV4;
import static dev.sluice.job.capture.EthernetParser.TYPE_IPV6;

/**
 * Parser of the headers of tunnels. {@link Tunnel} lists the kinds and how they are recognized.
 *
 * <p>Sources: VXLAN RFC 7348 and draft-ietf-nvo3-vxlan-gpe, GENEVE RFC 8926, GRE RFC 2784, 2890,
 * 8086, with PPP in it RFC 2637, IP in IP RFC 2003, 2473, 4213, GTP-U 3GPP TS 29.281, GTP version 0
 * GSM 09.60, MPLS RFC 3032 and 7510, PPPoE RFC 2516, L2TP RFC 2661 and 3931, EtherIP RFC 3378,
 * Teredo RFC 4380, CAPWAP RFC 5415, NSH RFC 8300.
 *
 * <p>MPLS and L2TP version 3 do not name their payload. The first four bits decide whether MPLS
 * contains IP. Both contain Ethernet if an EtherType of IP and the version after it agree.
 *
 * <p>Not thread-safe.
 */
final class TunnelParser extends TunnelWalk {
    private static final int TYPE_BRIDGED = 0x6558;
    private static final int TYPE_PPP = 0x880b;
    private static final int TYPE_ERSPAN = 0x88be;
    private static final int TYPE_ERSPAN_3 = 0x22eb;

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

    TunnelParser(
            PacketBytes bytes,
            IpParser ip,
            EthernetParser link,
            SerialParser serial,
            WirelessParser wireless) {
        super(bytes, ip, link, serial, wireless);
    }

    @Override
    boolean open(Tunnel tunnel, int p) {
        return switch (tunnel) {
            case VXLAN -> vxlan(tunnel, p);
            case VXLAN_GPE -> vxlanGpe(tunnel, p);
            case GENEVE -> geneve(tunnel, p);
            case GRE, GRE_IN_UDP -> gre(tunnel, p);
            case IP_IN_IP -> ipInIp(tunnel, p);
            case GTP_U -> gtp(tunnel, p);
            case GTP_V0 -> gtpV0(tunnel, p);
            case MPLS, MPLS_IN_UDP -> mpls(tunnel, p);
            case PPPOE -> pppoe(tunnel, p);
            case L2TP -> l2tp(tunnel, p);
            case L2TP_V3 -> l2tpV3(tunnel, p);
            case ETHER_IP -> etherIp(tunnel, p);
            case ETHERNET -> enter(tunnel) && frame(p);
            case TZSP -> tzsp(tunnel, p);
            case TEREDO -> teredo(tunnel, p);
            case CAPWAP -> capwap(tunnel, p);
            case NSH -> nsh(tunnel, p);
            case ESP, IPCOMP, MACSEC -> shut(tunnel);
            // A keep-alive has one byte; an SPI of 0 marks a key exchange.
            case ESP_IN_UDP -> bytes.has(p + 4L) && bytes.intAt(p) != 0 && shut(tunnel);
            case WIREGUARD -> bytes.has(p + 4L) && bytes.intAt(p) == 0x04000000 && shut(tunnel);
        };
    }

    /** Enters a tunnel that cannot be decapsulated. */
    private boolean shut(Tunnel tunnel) {
        enter(tunnel);
        return false;
    }

    private boolean ipInIp(Tunnel tunnel, int p) {
        int type = ip.protocol == 4 ? TYPE_IPV4 : TYPE_IPV6;
        return enter(tunnel) && typed(type, p);
    }

    private boolean etherIp(Tunnel tunnel, int p) {
        return there(p + 2L) && bytes.byteAt(p) >>> 4 == 3 && enter(tunnel) && frame(p + 2);
    }

    private boolean vxlan(Tunnel tunnel, int p) {
        // Flag I: a VNI is present. The source's port alone is weak evidence: the rest must be 0.
        return there(p + 8L)
                && (bytes.byteAt(p) & 8) != 0
                && (!bySource || bytes.intAt(p) == 0x08000000 && bytes.byteAt(p + 7) == 0)
                && enter(tunnel)
                && identified(bytes.intAt(p + 4) >>> 8)
                && frame(p + 8);
    }

    private boolean vxlanGpe(Tunnel tunnel, int p) {
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
            case 1 -> typed(TYPE_IPV4, p);
            case 2 -> typed(TYPE_IPV6, p);
            case 3 -> frame(p);
            case 4 -> nsh(Tunnel.NSH, p);
            case 5 -> mpls(Tunnel.MPLS, p);
            default -> false;
        };
    }

    private boolean nsh(Tunnel tunnel, int p) {
        // Version 0; the length is in words.
        return there(p + 4L)
                && bytes.byteAt(p) >>> 6 == 0
                && enter(tunnel)
                && nextProtocol(bytes.byteAt(p + 3), p + 4 * (bytes.byteAt(p + 1) & 0x3f));
    }

    private boolean geneve(Tunnel tunnel, int p) {
        if (!there(p + 8L) || bytes.byteAt(p) >>> 6 != 0 || !enter(tunnel)) {
            return false;
        }
        int inner = p + 8 + 4 * (bytes.byteAt(p) & 0x3f);
        identified(bytes.intAt(p + 4) >>> 8);
        int etherType = bytes.shortAt(p + 2);
        return etherType == TYPE_BRIDGED ? frame(inner) : typed(etherType, inner);
    }

    private boolean gtp(Tunnel tunnel, int p) {
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

    private boolean gtpV0(Tunnel tunnel, int p) {
        // Version 0, protocol type GTP, a user's packet behind 20 bytes.
        return there(p + 21L)
                && (bytes.byteAt(p) & 0xf0) == 0x10
                && bytes.byteAt(p + 1) == 0xff
                && enter(tunnel)
                && byVersion(p + 20);
    }

    private boolean gre(Tunnel tunnel, int p) {
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

    private boolean mpls(Tunnel tunnel, int start) {
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

    private boolean pppoe(Tunnel tunnel, int p) {
        // Version 1, type 1, a session's data.
        if (!there(p + 6L) || bytes.shortAt(p) != 0x1100 || !enter(tunnel)) {
            return false;
        }
        bytes.payload = Math.min(bytes.payload, p + 6L + bytes.shortAt(p + 4));
        return ppp(p + 6);
    }

    private boolean l2tp(Tunnel tunnel, int start) {
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

    private boolean l2tpV3(Tunnel tunnel, int p) {
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

    private boolean tzsp(Tunnel tunnel, int start) {
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

    private boolean teredo(Tunnel tunnel, int start) {
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
        return there(p + 1L) && bytes.byteAt(p) >>> 4 == 6 && enter(tunnel) && typed(TYPE_IPV6, p);
    }

    private boolean capwap(Tunnel tunnel, int p) {
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
}
