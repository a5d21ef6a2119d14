package dev.sluice.operators.statistics;

import dev.sluice.schemas.codec.Column;
import dev.sluice.schemas.codec.RuleStatistics;

/** Sums of statistics of one rule. */
public final class RuleSums {
    private RuleSums() {}

    /** The sum of hits and others of the same rule, with the keys of the first. */
    public static RuleStatistics plus(RuleStatistics hits, RuleStatistics other) {
        return new RuleStatistics(
                hits.history(),
                hits.ruleId(),
                hits.windowNs(),
                hits.windowStartNs(),
                hits.part(),
                hits.packets() + other.packets(),
                hits.bytes() + other.bytes(),
                earlier(hits.firstNs(), other.firstNs()),
                Math.max(hits.lastNs(), other.lastNs()), // NO_TIME is the least of all
                Math.min(hits.fromVersion(), other.fromVersion()),
                Math.max(hits.toVersion(), other.toVersion()));
    }

    private static long earlier(long a, long b) {
        return a == Column.NO_TIME ? b : b == Column.NO_TIME ? a : Math.min(a, b);
    }

    /** The same hits under another part of their window. */
    static RuleStatistics inPart(RuleStatistics hits, long part) {
        return new RuleStatistics(
                hits.history(),
                hits.ruleId(),
                hits.windowNs(),
                hits.windowStartNs(),
                part,
                hits.packets(),
                hits.bytes(),
                hits.firstNs(),
                hits.lastNs(),
                hits.fromVersion(),
                hits.toVersion());
    }
}
