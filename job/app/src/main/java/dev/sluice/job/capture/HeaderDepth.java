package dev.sluice.job.capture;

/** Choice of the IP header of a packet in tunnels. */
public enum HeaderDepth {
    /** The first IP header; no tunnel is decapsulated. */
    OUTER,
    /** The last IP header, inside all tunnels that {@link TunnelParser} knows. */
    INNER
}
