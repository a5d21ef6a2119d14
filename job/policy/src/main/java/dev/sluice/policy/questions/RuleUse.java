package dev.sluice.policy.questions;

import dev.sluice.engine.rules.Match;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Use of a rule by the packets of a window of time.
 *
 * @param packets number of packets that hit it
 * @param firstNs time of the first one, in ns since 1970; without packets any
 * @param lastNs time of the last one
 * @param parts addresses, ports and protocols of the packets; null: not known
 * @param unsure tells boxes that may have taken packets of which nobody knows the rule
 * @param doubtful whether the rule may have taken such packets, and none for certain
 */
public record RuleUse(
        long packets,
        long firstNs,
        long lastNs,
        @Nullable UsedParts parts,
        Predicate<Match> unsure,
        boolean doubtful) {
    /** The use of a rule that takes the packets of a box. */
    RuleUse with(Match box) {
        return packets > 0 || doubtful || !unsure.test(box)
                ? this
                : new RuleUse(0, 0, 0, null, unsure, true);
    }

    /**
     * The use of a rule that no packet reaches: none of the packets of unknown rules was its own.
     */
    RuleUse ofDead() {
        return new RuleUse(packets, firstNs, lastNs, parts, unsure, false);
    }

    /** The use of a line by two of its rules; the parts of two are not told. */
    public RuleUse and(RuleUse other) {
        if (packets == 0 || other.packets == 0) {
            return packets == 0 ? other : this;
        }
        return new RuleUse(
                packets + other.packets,
                Math.min(firstNs, other.firstNs),
                Math.max(lastNs, other.lastNs),
                null,
                unsure,
                false);
    }
}
