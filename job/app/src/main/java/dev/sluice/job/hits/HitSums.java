package dev.sluice.job.hits;

import dev.sluice.operators.statistics.HitRows;
import dev.sluice.operators.statistics.RuleSums;
import dev.sluice.schemas.codec.RuleStatistics;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Sums of hits by rule. A counter may emit several rows of one rule where many rules are hit. Not
 * thread-safe.
 */
public final class HitSums {
    private final Map<@Nullable Long, RuleStatistics> byRule = new HashMap<>();

    /** Adds hits of any version. */
    public void add(HitRows rows) {
        rows.forEach(hits -> byRule.merge(hits.ruleId(), hits, RuleSums::plus));
    }

    /** Returns the sums since the last call, in no order. */
    public List<RuleStatistics> take() {
        List<RuleStatistics> sums = List.copyOf(byRule.values());
        byRule.clear();
        return sums;
    }
}
