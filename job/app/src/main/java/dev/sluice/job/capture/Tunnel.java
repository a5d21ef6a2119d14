package dev.sluice.job.capture;

import org.jspecify.annotations.Nullable;

/**
 * Kinds of tunnels, and how a packet in each is recognized. {@link TunnelParser} decapsulates it.
 * Encrypted and compressed kinds are only counted.
 */
@SuppressWarnings("ImmutableEnumChecker") // arrays are never written
public enum Tunnel {
    VXLAN("vxlan", "VXLAN", Known.byUdpEither(4789, 8472)),
    VXLAN_GPE("vxlan-gpe", "VXLAN-GPE", Known.byUdp(4790)),
    GENEVE("geneve", "GENEVE", Known.byUdp(6081)),
    GRE("gre", "GRE, with PPP, ERSPAN or Ethernet in it, too", Known.byProtocol(47)),
    GRE_IN_UDP("gre-in-udp", "GRE in UDP", Known.byUdp(4754)),
    IP_IN_IP("ip-in-ip", "IP in IP", Known.byProtocol(4, 41)),
    GTP_U("gtp-u", "GTP-U", Known.byUdpEither(2152)),
    GTP_V0("gtp-v0", "GTP version 0", Known.byUdpEither(3386)),
    MPLS("mpls", "MPLS", Known.byProtocol(137).orType(Tunnel.MPLS_TYPE, 0x8848)),
    MPLS_IN_UDP("mpls-in-udp", "MPLS in UDP", Known.byUdp(6635)),
    PPPOE("pppoe", "PPPoE", Known.byType(Tunnel.PPPOE_TYPE)),
    L2TP("l2tp", "L2TP, versions 2 and 3", Known.byUdpEither(1701)),
    L2TP_V3("l2tpv3", "L2TP version 3 over IP", Known.byProtocol(115)),
    ETHER_IP("etherip", "EtherIP", Known.byProtocol(97)),
    ETHERNET("ethernet", "Ethernet in IP", Known.byProtocol(143)),
    TZSP("tzsp", "TZSP", Known.byUdp(37008)),
    TEREDO("teredo", "Teredo", Known.byUdpEither(3544)),
    CAPWAP("capwap", "CAPWAP data", Known.byUdpEither(5247)),
    NSH("nsh", "NSH", Known.byType(0x894f)),
    ESP("esp", "ESP: encrypted, stays shut", Known.byProtocol(50)),
    ESP_IN_UDP("esp-in-udp", "ESP in UDP: encrypted, stays shut", Known.byUdpEither(4500)),
    IPCOMP("ipcomp", "IPComp: compressed, stays shut", Known.byProtocol(108)),
    MACSEC("macsec", "MACsec with encryption: stays shut", Known.byType(LinkTag.MACSEC.type)),
    WIREGUARD("wireguard", "WireGuard: encrypted, stays shut", Known.byUdpEither(51820));

    static final int MPLS_TYPE = 0x8847;
    static final int PPPOE_TYPE = 0x8864;

    static final @Nullable Tunnel[] BY_PROTOCOL = new Tunnel[1 << 8];
    static final @Nullable Tunnel[] BY_TYPE = new Tunnel[1 << 16];
    static final @Nullable Tunnel[] BY_DESTINATION = new Tunnel[1 << 16];
    static final @Nullable Tunnel[] BY_SOURCE = new Tunnel[1 << 16];

    static {
        for (Tunnel tunnel : values()) {
            fill(BY_PROTOCOL, tunnel.known.protocols, tunnel);
            fill(BY_TYPE, tunnel.known.types, tunnel);
            fill(BY_DESTINATION, tunnel.known.ports, tunnel);
            if (tunnel.known.eitherEnd) {
                fill(BY_SOURCE, tunnel.known.ports, tunnel);
            }
        }
    }

    private final String label;

    /** Name in documents. */
    final String title;

    final Known known;

    /**
     * Recognition of a tunnel.
     *
     * @param eitherEnd whether the source's UDP port may match, too
     */
    record Known(int[] ports, boolean eitherEnd, int[] protocols, int[] types) {
        private static final int[] NONE = {};

        static Known byUdp(int... ports) {
            return new Known(ports, false, NONE, NONE);
        }

        static Known byUdpEither(int... ports) {
            return new Known(ports, true, NONE, NONE);
        }

        static Known byProtocol(int... protocols) {
            return new Known(NONE, false, protocols, NONE);
        }

        static Known byType(int... types) {
            return new Known(NONE, false, NONE, types);
        }

        Known orType(int... more) {
            return new Known(ports, eitherEnd, protocols, more);
        }
    }

    Tunnel(String label, String title, Known known) {
        this.label = label;
        this.title = title;
        this.known = known;
    }

    private static void fill(@Nullable Tunnel[] table, int[] keys, Tunnel tunnel) {
        for (int key : keys) {
            table[key] = tunnel;
        }
    }

    /** Returns the label that commands print. */
    public String label() {
        return label;
    }
}
