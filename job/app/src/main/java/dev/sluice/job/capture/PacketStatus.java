package dev.sluice.job.capture;

import dev.sluice.schemas.codec.DeadLetterReason;

/**
 * Result of parsing a packet. All but {@link #OK} and {@link #NOT_IP} are dead letters, explained
 * by their {@link DeadLetterReason}.
 */
public enum PacketStatus {
    OK("ok"),
    /** Frame other than IP, which is classified by the fields that it has. */
    NOT_IP("not-ip"),
    TRUNCATED(DeadLetterReason.TRUNCATED),
    MALFORMED_LINK(DeadLetterReason.LINK_HEADER_SHORT),
    MALFORMED_IP_VERSION(DeadLetterReason.IP_VERSION),
    MALFORMED_IP_HEADER_LENGTH(DeadLetterReason.IP_HEADER_LENGTH),
    MALFORMED_IP_HEADER_SHORT(DeadLetterReason.IP_HEADER_SHORT),
    MALFORMED_IP_TOTAL_LENGTH(DeadLetterReason.IP_TOTAL_LENGTH),
    MALFORMED_IPV6_EXTENSION(DeadLetterReason.IPV6_EXTENSION),
    MALFORMED_L4_SHORT(DeadLetterReason.L4_SHORT),
    UNSUPPORTED_LINK(DeadLetterReason.UNSUPPORTED_LINK),
    UNSUPPORTED_TUNNEL_DEPTH(DeadLetterReason.UNSUPPORTED_TUNNEL_DEPTH);

    private final String label;

    PacketStatus(String label) {
        this.label = label;
    }

    PacketStatus(DeadLetterReason reason) {
        this(reason.text());
    }

    /** Returns the stable text that commands print. */
    public String label() {
        return label;
    }

    /**
     * Returns the reason why a packet with this status is a dead letter; it contains an unsupported
     * link type.
     */
    public String reason(int linkType) {
        return this == UNSUPPORTED_LINK ? label + " " + linkType : label;
    }

    /** Tells whether the packet is classified, and no dead letter. */
    public boolean isClassified() {
        return this == OK || this == NOT_IP;
    }
}
