package dev.sluice.policy.questions;

import org.jspecify.annotations.Nullable;

/**
 * Use of a rule by the packets of a window of time.
 *
 * @param packets number of packets that hit it
 * @param firstNs time of the first one, in ns since 1970; without packets any
 * @param lastNs time of the last one
 * @param parts addresses, ports and protocols of the packets; null: not known
 */
public record RuleUse(long packets, long firstNs, long lastNs, @Nullable UsedParts parts) {
    /** The use of a line by two of its rules; the parts of two are not told. */
    public RuleUse and(RuleUse other) {
        if (packets == 0 || other.packets == 0) {
            return packets == 0 ? other : this;
        }
        return new RuleUse(
                packets + other.packets,
                Math.min(firstNs, other.firstNs),
                Math.max(lastNs, other.lastNs),
                null);
    }
}
