package dev.sluice.job.capture;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** Supported link types, with libpcap's number and name, and the reader of each. */
@SuppressWarnings("ImmutableEnumChecker") // readers are methods without state
enum LinkType {
    NULL(0, "loopback of BSD and macOS, family in either byte order", LinkParser::loopback),
    ETHERNET(1, "Ethernet", LinkParser::ethernet),
    PPP(9, "PPP", (p, at) -> p.serial().ppp(at)),
    RAW_BSD(12, "raw IP", (p, at) -> p.rawIp(at, 0)),
    RAW_OPENBSD(14, "raw IP of OpenBSD", (p, at) -> p.rawIp(at, 0)),
    PPP_HDLC(50, "PPP or Cisco HDLC in HDLC-like framing", (p, at) -> p.serial().ppp(at)),
    PPP_ETHER(51, "PPPoE, read with --headers inner", (p, at) -> p.network(Tunnel.PPPOE_TYPE, at)),
    ATM_RFC1483(100, "LLC over ATM", LinkParser::llc),
    RAW(101, "raw IP", (p, at) -> p.rawIp(at, 0)),
    C_HDLC(104, "Cisco HDLC", (p, at) -> p.serial().ciscoHdlc(at)),
    IEEE802_11(105, "802.11", (p, at) -> p.wireless().frame(at, false)),
    FRELAY(107, "Frame Relay", (p, at) -> p.serial().frameRelay(at)),
    LOOP(108, "loopback of OpenBSD", LinkParser::loopbackBigEndian),
    ENC(109, "IPsec interface of OpenBSD", (p, at) -> p.systems().enc(at)),
    LINUX_SLL(113, "Linux cooked", LinkParser::linuxCooked),
    PFLOG(117, "log of the firewall pf", (p, at) -> p.systems().pflog(at)),
    IEEE802_11_RADIOTAP(127, "802.11 with radiotap", (p, at) -> p.wireless().radiotap(at)),
    PPI(192, "per-packet information", (p, at) -> p.systems().ppi(at)),
    PPP_WITH_DIR(204, "PPP behind a direction", (p, at) -> p.serial().directed(at, PPP)),
    C_HDLC_WITH_DIR(
            205, "Cisco HDLC behind a direction", (p, at) -> p.serial().directed(at, C_HDLC)),
    FRELAY_WITH_DIR(
            206, "Frame Relay behind a direction", (p, at) -> p.serial().directed(at, FRELAY)),
    MPLS(219, "MPLS, read with --headers inner", (p, at) -> p.network(Tunnel.MPLS_TYPE, at)),
    IPNET(226, "ipnet of Solaris", (p, at) -> p.systems().ipnet(at)),
    IPV4(228, "raw IPv4", (p, at) -> p.rawIp(at, 4)),
    IPV6(229, "raw IPv6", (p, at) -> p.rawIp(at, 6)),
    NFLOG(239, "log of Linux' netfilter", (p, at) -> p.systems().nflog(at)),
    PKTAP(258, "pktap of macOS", (p, at) -> p.systems().pktap(at)),
    LINUX_SLL2(276, "Linux cooked, version 2", LinkParser::linuxCooked2),
    DSA(284, "Ethernet with Marvell DSA", LinkParser::dsa),
    EDSA(285, "Ethernet with Marvell EDSA", LinkParser::edsa);

    private static final @Nullable LinkType[] BY_NUMBER = new LinkType[EDSA.number + 1];

    static {
        for (LinkType type : values()) {
            BY_NUMBER[type.number] = type;
        }
    }

    /** Number of libpcap's LINKTYPE_ of this name; for raw IP the numbers of its DLT_ too. */
    final int number;

    /** Name in documents. */
    final String title;

    private final Reader reader;

    /** Reader of a packet from its first byte. */
    private interface Reader {
        void read(LinkParser parser, int at);
    }

    LinkType(int number, String title, Reader reader) {
        this.number = number;
        this.title = title;
        this.reader = reader;
    }

    /** Returns the link type of a number; null if it is not supported. */
    static @Nullable LinkType of(int number) {
        return number >= 0 && number < BY_NUMBER.length ? BY_NUMBER[number] : null;
    }

    /** Tells whether its packets start with a header that names another link type. */
    boolean wraps() {
        return List.of(PPI, PKTAP).contains(this);
    }

    /** Reads a packet of this link type. */
    void read(LinkParser parser, int at) {
        reader.read(parser, at);
    }
}
