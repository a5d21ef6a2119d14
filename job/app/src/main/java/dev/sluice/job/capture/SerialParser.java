package dev.sluice.job.capture;

/**
 * Parser of the link layers of serial lines: PPP, Cisco HDLC, Frame Relay.
 *
 * <p>Sources: RFC 1661, RFC 1662, RFC 1547 section 4.3.1, RFC 2427. Not thread-safe.
 */
record SerialParser(PacketBytes bytes, EthernetParser link) {
    private static final int PPP_ADDRESS = 0xff;
    private static final int UNNUMBERED = 3;
    private static final int PPP_IPV4 = 0x21;
    private static final int PPP_IPV6 = 0x57;
    private static final int PPP_MPLS = 0x281;
    private static final int PPP_MPLS_MULTICAST = 0x283;
    private static final int CISCO_UNICAST = 0x0f;
    private static final int CISCO_BROADCAST = 0x8f;
    private static final int NLPID_SNAP = 0x80;
    private static final int NLPID_IPV6 = 0x8e;
    private static final int NLPID_IPV4 = 0xcc;
    private static final int NLPID_PPP = 0xcf;
    private static final int OUI_BRIDGED = 0x0080c2;
    private static final int MOST_ADDRESS_BYTES = 4;

    /** Parses PPP with or without address and control field, or Cisco HDLC. */
    void ppp(int at) {
        if (!link.reach(at + 2L)) {
            return;
        }
        int address = bytes.byteAt(at);
        int control = bytes.byteAt(at + 1);
        if (address == PPP_ADDRESS && control == UNNUMBERED) {
            pppProtocol(at + 2);
        } else if (address == CISCO_BROADCAST || address == CISCO_UNICAST && control == 0) {
            ciscoHdlc(at);
        } else {
            pppProtocol(at);
        }
    }

    private void pppProtocol(int at) {
        if (!link.reach(at + 1L)) {
            return;
        }
        // A protocol below 256 may be sent as one byte, which is odd.
        boolean oneByte = (bytes.byteAt(at) & 1) != 0;
        int next = at + (oneByte ? 1 : 2);
        if (!link.reach(next)) {
            return;
        }
        switch (oneByte ? bytes.byteAt(at) : bytes.shortAt(at)) {
            case PPP_IPV4 -> link.network(EthernetParser.TYPE_IPV4, next);
            case PPP_IPV6 -> link.network(EthernetParser.TYPE_IPV6, next);
            case PPP_MPLS, PPP_MPLS_MULTICAST -> link.network(Tunnel.MPLS_TYPE, next);
            default -> link.notIp();
        }
    }

    /** Parses Cisco HDLC: address, control, EtherType. */
    void ciscoHdlc(int at) {
        if (link.reach(at + 4L)) {
            link.network(bytes.shortAt(at + 2), at + 4);
        }
    }

    void frameRelay(int start) {
        int at = start;
        boolean last;
        do {
            if (!link.reach(at + 1L)) {
                return;
            }
            last = (bytes.byteAt(at) & 1) != 0;
            at++;
        } while (!last && at - start < MOST_ADDRESS_BYTES);
        if (!last || at - start == 1) {
            link.notIp(); // no address of Q.922
        } else if (link.reach(at + 2L)) {
            if (bytes.byteAt(at) == UNNUMBERED) {
                multiprotocol(at + 1);
            } else {
                link.network(bytes.shortAt(at), at + 2); // Cisco's encapsulation
            }
        }
    }

    /** Parses the multiprotocol encapsulation (RFC 2427): padding, and the protocol's number. */
    private void multiprotocol(int start) {
        int at = start;
        if (bytes.byteAt(at) == 0) {
            at++;
            if (!link.reach(at + 1L)) {
                return;
            }
        }
        switch (bytes.byteAt(at)) {
            case NLPID_IPV4 -> link.network(EthernetParser.TYPE_IPV4, at + 1);
            case NLPID_IPV6 -> link.network(EthernetParser.TYPE_IPV6, at + 1);
            case NLPID_PPP -> pppProtocol(at + 1);
            case NLPID_SNAP -> snap(at + 1);
            default -> link.notIp();
        }
    }

    private void snap(int at) {
        if (!link.reach(at + 5L)) {
            return;
        }
        int organization = bytes.intAt(at) >>> 8;
        int protocol = bytes.shortAt(at + 3);
        if (organization == 0) {
            link.network(protocol, at + 5);
        } else if (organization == OUI_BRIDGED && (protocol == 1 || protocol == 7)) {
            link.ethernet(at + 5);
        } else {
            link.notIp();
        }
    }
}
