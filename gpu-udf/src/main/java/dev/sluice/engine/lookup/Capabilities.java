package dev.sluice.engine.lookup;

/**
 * What an algorithm can do.
 *
 * @param anyMask masks with holes are allowed; otherwise each match field must be a prefix
 * @param ranges how port ranges are served
 * @param ipv6 IPv6 addresses are allowed
 * @param updates how a delta reaches it
 * @param sensibleRules rules beyond which memory or time usually run away; not a limit
 */
public record Capabilities(
        boolean anyMask, Ranges ranges, boolean ipv6, Updates updates, int sensibleRules) {
    /** How port ranges are served. */
    public enum Ranges {
        /** As bounds. */
        NATIVE,
        /** Left out of the search key and verified in the bucket. */
        VERIFIED,
        /** Cut into prefixes. */
        EXPANDED,
        /** Not at all. */
        NONE
    }

    /** How a delta reaches the compiled rules. */
    public enum Updates {
        /** Into the idle one of two copies. */
        IN_PLACE,
        /** Into a small overlay, while a background compile replaces the base. */
        OVERLAY
    }
}
