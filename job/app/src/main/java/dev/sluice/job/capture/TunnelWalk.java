package dev.sluice.job.capture;

import dev.sluice.schemas.header.Field;
import dev.sluice.schemas.header.HeaderWord;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Walk through the tunnels of a packet for the innermost IP header, which replaces the header
 * before it; {@link TunnelParser} reads the headers of tunnels on the way.
 *
 * <p>A tunnel without IP leaves its outer header, and is reported as {@link ParsedPacket#shut}. If
 * the tunnel's content was only not captured, the packet is truncated, since the header to classify
 * is missing. At most {@link #MOST} headers are decapsulated. Not thread-safe.
 */
abstract class TunnelWalk {
    /** Maximal number of tunnel headers; each label of MPLS counts as one. */
    static final int MOST = 16;

    private static final int PROTO_UDP = 17;

    /** Bits of the link layer in each header word. */
    private static final int[] LINK_MASKS = new int[HeaderWord.COUNT];

    static {
        LINK_MASKS[HeaderWord.ETHER] = 0xffff;
        LINK_MASKS[HeaderWord.IP] =
                Field.ETH_SRC_PRESENT.maskInWord() | Field.ETH_DST_PRESENT.maskInWord();
        Arrays.fill(LINK_MASKS, HeaderWord.MAC_HIGH, HeaderWord.MAC_LOW + 1, -1);
    }

    final PacketBytes bytes;
    final IpParser ip;
    private final EthernetParser link;
    private final SerialParser serial;
    private final WirelessParser wireless;

    /** Number of tunnel headers parsed so far. */
    private int layers;

    /** Tunnel that was entered last; null: none since the last IP header. */
    private @Nullable Tunnel entered;

    /** True if only the source's port identifies the tunnel. */
    boolean bySource;

    private boolean hasId;
    private int id;

    /** The outer header of a tunnel, until an inner one is found. */
    private final ParsedPacket kept = new ParsedPacket();

    TunnelWalk(
            PacketBytes bytes,
            IpParser ip,
            EthernetParser link,
            SerialParser serial,
            WirelessParser wireless) {
        this.bytes = bytes;
        this.ip = ip;
        this.link = link;
        this.serial = serial;
        this.wireless = wireless;
    }

    /** Reads the header of a tunnel; returns whether an IP header was found inside. */
    abstract boolean open(Tunnel tunnel, int at);

    /** Decapsulates the parsed packet. */
    void lookThrough() {
        layers = 0;
        hasId = false;
        entered = null;
        boolean found = link.isIp ? behindIp() : behindType();
        while (found) {
            bytes.out.keep(kept);
            if (bytes.out.status != PacketStatus.OK) {
                return;
            }
            entered = null;
            found = behindIp();
        }
        if (entered != null) {
            restore();
            bytes.out.shut = bytes.out.status.isClassified() ? entered : null;
        }
    }

    private boolean behindIp() {
        int p = ip.payloadAt;
        if (p < 0) {
            return false;
        }
        int protocol = ip.protocol;
        bySource = false;
        Tunnel tunnel = protocol == PROTO_UDP ? ofPorts() : Tunnel.BY_PROTOCOL[protocol];
        return tunnel != null && open(tunnel, protocol == PROTO_UDP ? p + 8 : p);
    }

    private @Nullable Tunnel ofPorts() {
        int ports = bytes.out.words[HeaderWord.PORTS];
        Tunnel tunnel = Tunnel.BY_DESTINATION[Field.DST_PORT.extract(ports)];
        if (tunnel == null) {
            // Some tunnel ends send from the well-known port, to the peer's source port.
            tunnel = Tunnel.BY_SOURCE[Field.SRC_PORT.extract(ports)];
            bySource = tunnel != null;
        }
        return tunnel;
    }

    /** Parses on after a link layer without IP, whose payload may be a tunnel. */
    private boolean behindType() {
        Tunnel tunnel = link.otherType < 0 ? null : Tunnel.BY_TYPE[link.otherType];
        return tunnel != null && open(tunnel, link.otherAt);
    }

    /** Enters one further tunnel header, up to the maximum. */
    boolean enter(Tunnel tunnel) {
        if (entered == null) {
            kept.copy(bytes.out);
        }
        entered = tunnel;
        if (++layers > MOST) {
            bytes.out.status = PacketStatus.UNSUPPORTED_TUNNEL_DEPTH;
            return false;
        }
        return true;
    }

    /** Restores the outer header; a truncated or too deep packet keeps that status. */
    private void restore() {
        PacketStatus status = bytes.out.status;
        bytes.out.copy(kept);
        if (status == PacketStatus.TRUNCATED || status == PacketStatus.UNSUPPORTED_TUNNEL_DEPTH) {
            bytes.out.status = status;
            bytes.out.keep(kept);
        }
    }

    /** Tells whether bytes can be read; a packet whose capture lacks them becomes truncated. */
    boolean there(long end) {
        if (bytes.has(end)) {
            return true;
        }
        if (end <= bytes.payload) {
            bytes.out.status = PacketStatus.TRUNCATED;
        }
        return false;
    }

    boolean identified(int number) {
        hasId = true;
        id = number;
        return true;
    }

    /**
     * Clears the fields for the inner header.
     *
     * @param ownLink whether the inner packet has a link layer of its own; if not, the outer one
     *     stays
     */
    private void begin(boolean ownLink) {
        ParsedPacket out = bytes.out;
        for (int i = 0; i < HeaderWord.COUNT; i++) {
            out.words[i] &= ownLink ? 0 : LINK_MASKS[i];
        }
        out.columns = 0;
        out.status = PacketStatus.OK;
        // The content of a tunnel ends with the tunnel.
        bytes.frame = bytes.payload;
        link.reset();
    }

    /** Tells whether an IP header was found, possibly in a further tunnel. */
    private boolean end() {
        ParsedPacket out = bytes.out;
        if (!link.isIp) {
            return out.status == PacketStatus.NOT_IP && behindType();
        }
        if (hasId) {
            out.words[HeaderWord.TUNNEL_ID] = id;
            out.words[HeaderWord.IP] |= Field.TUNNEL_ID_PRESENT.maskInWord();
        }
        return true;
    }

    boolean typed(int etherType, int p) {
        begin(false);
        link.typed(etherType, p);
        return end();
    }

    boolean frame(int p) {
        begin(true);
        link.ethernet(p);
        return end();
    }

    boolean ppp(int p) {
        begin(false);
        serial.ppp(p);
        return end();
    }

    boolean wireless(int p) {
        begin(true);
        wireless.maybeSwapped(p);
        return end();
    }

    /** Parses IP that only its own first bits identify. */
    boolean byVersion(int p) {
        int type = versionAt(p);
        return type != 0 && typed(type, p);
    }

    /** Returns the EtherType of the IP version at a place within reach; 0: none. */
    int versionAt(int p) {
        int first = bytes.byteAt(p);
        return switch (first >>> 4) {
            case 4 -> (first & 0xf) >= 5 ? EthernetParser.TYPE_IPV4 : 0;
            case 6 -> EthernetParser.TYPE_IPV6;
            default -> 0;
        };
    }

    /** Tells whether Ethernet may start here: an EtherType of IP, then the matching version. */
    boolean isEthernetWithIp(int p) {
        int typeAt = p + 12;
        while (bytes.has(typeAt + 6L) && EthernetParser.isVlanTag(bytes.shortAt(typeAt))) {
            typeAt += 4;
        }
        return bytes.has(typeAt + 3L) && versionAt(typeAt + 2) == bytes.shortAt(typeAt);
    }
}
