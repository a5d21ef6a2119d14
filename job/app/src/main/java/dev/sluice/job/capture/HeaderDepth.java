package dev.sluice.job.capture;

/** Which header of a packet in tunnels is read. */
public enum HeaderDepth {
    /** The first IP header; no tunnel is opened. */
    OUTER,
    /** The last IP header, behind all tunnels that {@link TunnelParser} knows. */
    INNER
}
