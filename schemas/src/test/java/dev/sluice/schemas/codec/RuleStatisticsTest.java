package dev.sluice.schemas.codec;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class RuleStatisticsTest {
    private static final RuleStatistics TOTAL =
            new RuleStatistics("h", -5L, 0, Column.NO_TIME, 0, 7, 8, -9, 10, 11, 12);

    private static String key(RuleStatistics statistics) {
        return new String(statistics.key(), StandardCharsets.UTF_8);
    }

    @Test
    void everyFieldComesOutAsItWentIn() throws Exception {
        RuleStatistics untimed =
                new RuleStatistics(
                        "", null, 0, Column.NO_TIME, 0, 1, 2, Column.NO_TIME, Column.NO_TIME, 3, 4);
        RuleStatistics window = new RuleStatistics("h", 6L, 100, -200, 3, 7, 8, -199, -101, 11, 12);
        for (RuleStatistics statistics : List.of(TOTAL, untimed, window)) {
            assertEquals(statistics, RuleStatistics.decode(statistics.encode()));
        }
    }

    @Test
    void aKeyNamesWhatIsCountedAndNotTheCount() {
        assertEquals("h/-5", key(TOTAL));
        assertEquals(
                key(TOTAL),
                key(new RuleStatistics("h", -5L, 0, Column.NO_TIME, 0, 70, 80, 1, 2, 3, 4)));
        Set<String> keys = new HashSet<>();
        int distinct = 0;
        for (Long rule : new Long[] {null, -1L, 1L}) {
            for (String history : List.of("", "h")) {
                keys.add(key(statistics(history, rule, 0, Column.NO_TIME, 0)));
                keys.add(key(statistics(history, rule, 10, Column.NO_TIME, 0)));
                keys.add(key(statistics(history, rule, 10, -10, 0)));
                keys.add(key(statistics(history, rule, 10, 10, 0)));
                keys.add(key(statistics(history, rule, 10, 10, 1)));
                keys.add(key(statistics(history, rule, 5, 10, 0)));
                distinct += 6;
            }
        }
        assertEquals(distinct, keys.size());
    }

    private static RuleStatistics statistics(
            String history, Long rule, long window, long start, long part) {
        return new RuleStatistics(history, rule, window, start, part, 1, 1, 1, 1, 1, 1);
    }
}
