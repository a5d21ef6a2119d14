package dev.sluice.policy.flatten;

/** Truth of a condition about a packet, of which a header does not tell all. */
public enum Truth {
    YES,
    /** It hangs on what no header tells. */
    MAYBE,
    NO
}
