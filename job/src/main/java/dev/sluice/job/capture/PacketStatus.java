package dev.sluice.job.capture;

/** What the parser made of a packet. All but {@link #OK} and {@link #NOT_IP} are dead letters. */
public enum PacketStatus {
    OK("ok"),
    /** A frame that is not IP: classified by the fields that it has. */
    NOT_IP("not-ip"),
    /** A byte of a field lies beyond the captured bytes, but within the frame. */
    TRUNCATED("truncated"),
    /** The link header lies beyond the frame. */
    MALFORMED_LINK("malformed:link-header-short"),
    /** The IP version is not the one that the link layer announces. */
    MALFORMED_IP_VERSION("malformed:ip-version"),
    /** The IPv4 header length is below 5 words. */
    MALFORMED_IP_HEADER_LENGTH("malformed:ip-header-length"),
    /** The IP header lies beyond the frame. */
    MALFORMED_IP_HEADER_SHORT("malformed:ip-header-short"),
    /** The IPv4 total length is below the header's. */
    MALFORMED_IP_TOTAL_LENGTH("malformed:ip-total-length"),
    /** An IPv6 extension header lies beyond the payload. */
    MALFORMED_IPV6_EXTENSION("malformed:ipv6-extension"),
    /** Ports, ICMP type and code or TCP flags lie beyond the IP payload. */
    MALFORMED_L4_SHORT("malformed:l4-short"),
    /** A link type that Sluice does not read. */
    UNSUPPORTED_LINK("unsupported-link"),
    /** More tunnels in each other than are looked through. */
    UNSUPPORTED_TUNNEL_DEPTH("unsupported-tunnel-depth");

    private final String label;

    PacketStatus(String label) {
        this.label = label;
    }

    /** The stable text that commands print. */
    public String label() {
        return label;
    }

    /**
     * Why a packet with this status is a dead letter; the link type is part of it where it is why.
     */
    public String reason(int linkType) {
        return this == UNSUPPORTED_LINK ? label + " " + linkType : label;
    }

    /** Whether the packet is classified; else it is a dead letter. */
    public boolean isClassified() {
        return this == OK || this == NOT_IP;
    }
}
