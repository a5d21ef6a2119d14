package dev.sluice.operators.connections;

import java.util.Locale;

/**
 * Time after which an idle connection ends; Linux's sysctl is {@code nf_conntrack_} and the label.
 */
public enum ConnectionTimeout {
    TCP_TIMEOUT_SYN_SENT(120),
    TCP_TIMEOUT_SYN_RECV(60),
    TCP_TIMEOUT_ESTABLISHED(432_000),
    TCP_TIMEOUT_FIN_WAIT(120),
    TCP_TIMEOUT_CLOSE_WAIT(60),
    TCP_TIMEOUT_LAST_ACK(30),
    TCP_TIMEOUT_TIME_WAIT(120),
    TCP_TIMEOUT_CLOSE(10),
    /**
     * Simultaneous open. Linux has no sysctl for it, only the attribute {@code syn_sent2} of a
     * timeout policy.
     */
    TCP_TIMEOUT_SYN_SENT2(120),
    /** Upper limit for an established TCP connection of which one direction alone was seen. */
    TCP_TIMEOUT_UNACKNOWLEDGED(300),
    /** UDP and UDP-Lite, until a stream is seen. */
    UDP_TIMEOUT(30),
    /** UDP that is answered and older than two seconds, and answered UDP-Lite. */
    UDP_TIMEOUT_STREAM(120),
    ICMP_TIMEOUT(30),
    ICMPV6_TIMEOUT(30),
    GRE_TIMEOUT(30),
    /** GRE that is answered. */
    GRE_TIMEOUT_STREAM(180),
    /** All other protocols. */
    GENERIC_TIMEOUT(600);

    private final int defaultSeconds;

    ConnectionTimeout(int defaultSeconds) {
        this.defaultSeconds = defaultSeconds;
    }

    /** Linux's default. */
    public int defaultSeconds() {
        return defaultSeconds;
    }

    /** The word that users write, as {@code udp_timeout}. */
    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }
}
