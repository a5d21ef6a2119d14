package dev.sluice.job.hits;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.sluice.engine.CountedRules;
import dev.sluice.operators.statistics.HitCounter;
import dev.sluice.operators.statistics.StatisticsOptions;
import dev.sluice.schemas.codec.RuleStatistics;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Hits of so many rules that the counter hands some out before the end. */
class HitSumsTest {
    private static final int RULES = 70_000;

    private static final CountedRules COUNTED =
            new CountedRules() {
                @Override
                public String history() {
                    return "";
                }

                @Override
                public long version() {
                    return 1;
                }

                @Override
                public int slots() {
                    return RULES;
                }

                @Override
                public long ruleId(int verdict) {
                    return 1_000 + verdict;
                }
            };

    @Test
    void eachRuleIsThereOnceWithAllOfItsHits() {
        HitCounter counter = new HitCounter(StatisticsOptions.TOTALS);
        HitSums sums = new HitSums();
        int[] found = new int[RULES];
        Arrays.setAll(found, rule -> rule);
        long[] times = new long[RULES];
        int[] lengths = new int[RULES];
        Arrays.fill(lengths, 100);
        for (int round = 1; round <= 3; round++) {
            Arrays.fill(times, round);
            counter.count(found, 0, RULES, times, lengths, COUNTED);
            counter.takeFull(sums::add);
        }
        counter.drain(sums::add);
        List<RuleStatistics> taken = sums.take();
        Map<Long, RuleStatistics> byRule = new HashMap<>();
        taken.forEach(rule -> byRule.put(rule.ruleId(), rule));
        assertEquals(RULES, taken.size());
        assertEquals(RULES, byRule.size());
        for (RuleStatistics rule : taken) {
            assertEquals(
                    List.of(3L, 300L, 1L, 3L),
                    List.of(rule.packets(), rule.bytes(), rule.firstNs(), rule.lastNs()));
        }
        assertEquals(List.of(), sums.take());
    }
}
