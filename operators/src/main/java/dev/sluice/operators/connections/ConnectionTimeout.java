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
    /**
     * Upper limit for an established TCP connection of which one direction alone was seen; with
     * windows also for one with data that nobody acknowledged.
     */
    TCP_TIMEOUT_UNACKNOWLEDGED(300),
    /** With windows alone: upper limit after three retransmissions, and at a window of 0. */
    TCP_TIMEOUT_MAX_RETRANS(300),
    /** UDP and UDP-Lite, until a stream is seen. */
    UDP_TIMEOUT(30),
    /** UDP that is answered and older than two seconds, and answered UDP-Lite. */
    UDP_TIMEOUT_STREAM(120),
    ICMP_TIMEOUT(30),
    ICMPV6_TIMEOUT(30),
    GRE_TIMEOUT(30),
    /** GRE that is answered. */
    GRE_TIMEOUT_STREAM(180),
    SCTP_TIMEOUT_CLOSED(10),
    SCTP_TIMEOUT_COOKIE_WAIT(3),
    SCTP_TIMEOUT_COOKIE_ECHOED(3),
    SCTP_TIMEOUT_ESTABLISHED(210),
    SCTP_TIMEOUT_SHUTDOWN_SENT(3),
    SCTP_TIMEOUT_SHUTDOWN_RECD(3),
    SCTP_TIMEOUT_SHUTDOWN_ACK_SENT(3),
    /** SCTP that began with a HEARTBEAT. */
    SCTP_TIMEOUT_HEARTBEAT_SENT(30),
    /** All other protocols. */
    GENERIC_TIMEOUT(600);

    private static final int AWS_SHORTEST = 30;
    private static final int AWS_LONGEST = 432_000;

    private final int defaultSeconds;

    ConnectionTimeout(int defaultSeconds) {
        this.defaultSeconds = defaultSeconds;
    }

    /** Linux's default. */
    public int defaultSeconds() {
        return defaultSeconds;
    }

    /** Tells whether connections of AWS have it. */
    public boolean isOfAws() {
        return switch (this) {
            case TCP_TIMEOUT_SYN_SENT2,
                    TCP_TIMEOUT_UNACKNOWLEDGED,
                    TCP_TIMEOUT_MAX_RETRANS,
                    GRE_TIMEOUT,
                    GRE_TIMEOUT_STREAM ->
                    false;
            default -> !isOfSctp();
        };
    }

    private boolean isOfSctp() {
        return compareTo(SCTP_TIMEOUT_CLOSED) >= 0 && compareTo(SCTP_TIMEOUT_HEARTBEAT_SENT) <= 0;
    }

    /** Seconds that it takes at least in AWS. */
    int awsAtLeast() {
        return switch (this) {
            case UDP_TIMEOUT_STREAM -> 180;
            case TCP_TIMEOUT_ESTABLISHED, UDP_TIMEOUT, GENERIC_TIMEOUT -> defaultSeconds;
            case TCP_TIMEOUT_TIME_WAIT, TCP_TIMEOUT_CLOSE -> 0;
            default -> AWS_SHORTEST;
        };
    }

    /** Seconds that it takes at most in AWS, which names some of the timeouts alone. */
    int awsAtMost() {
        return switch (this) {
            case TCP_TIMEOUT_ESTABLISHED, UDP_TIMEOUT, UDP_TIMEOUT_STREAM, GENERIC_TIMEOUT ->
                    awsAtLeast();
            default -> AWS_LONGEST;
        };
    }

    /** The word that users write, as {@code udp_timeout}. */
    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }
}
