package dev.sluice.job.capture;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** Supported link types, with libpcap's number and name; {@link PacketParser} reads each. */
enum LinkType {
    NULL(0, "loopback of BSD and macOS, family in either byte order"),
    ETHERNET(1, "Ethernet"),
    PPP(9, "PPP"),
    RAW_BSD(12, "raw IP"),
    RAW_OPENBSD(14, "raw IP of OpenBSD"),
    PPP_HDLC(50, "PPP or Cisco HDLC in HDLC-like framing"),
    PPP_ETHER(51, "PPPoE, read with --headers inner"),
    ATM_RFC1483(100, "LLC over ATM"),
    RAW(101, "raw IP"),
    C_HDLC(104, "Cisco HDLC"),
    IEEE802_11(105, "802.11"),
    FRELAY(107, "Frame Relay"),
    LOOP(108, "loopback of OpenBSD"),
    ENC(109, "IPsec interface of OpenBSD"),
    LINUX_SLL(113, "Linux cooked"),
    PFLOG(117, "log of the firewall pf"),
    IEEE802_11_RADIOTAP(127, "802.11 with radiotap"),
    PPI(192, "per-packet information"),
    PPP_WITH_DIR(204, "PPP behind a direction"),
    C_HDLC_WITH_DIR(205, "Cisco HDLC behind a direction"),
    FRELAY_WITH_DIR(206, "Frame Relay behind a direction"),
    MPLS(219, "MPLS, read with --headers inner"),
    IPNET(226, "ipnet of Solaris"),
    IPV4(228, "raw IPv4"),
    IPV6(229, "raw IPv6"),
    NFLOG(239, "log of Linux' netfilter"),
    PKTAP(258, "pktap of macOS"),
    LINUX_SLL2(276, "Linux cooked, version 2"),
    DSA(284, "Ethernet with Marvell DSA"),
    EDSA(285, "Ethernet with Marvell EDSA");

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

    LinkType(int number, String title) {
        this.number = number;
        this.title = title;
    }

    /** Returns the link type of a number; null if it is not supported. */
    static @Nullable LinkType of(int number) {
        return number >= 0 && number < BY_NUMBER.length ? BY_NUMBER[number] : null;
    }

    /** Tells whether its packets start with a header that names another link type. */
    boolean wraps() {
        return List.of(PPI, PKTAP).contains(this);
    }
}
