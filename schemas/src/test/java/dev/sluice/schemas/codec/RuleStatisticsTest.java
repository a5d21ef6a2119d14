package dev.sluice.schemas.codec;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.sluice.schemas.testing.TestSeed;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericRecord;
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

    /** Small and large, of either sign, or none. */
    private static long number(Random random) {
        return random.nextInt(6) == 0 ? Column.NO_TIME : random.nextLong() >> random.nextInt(64);
    }

    private static Long orNull(long time) {
        return time == Column.NO_TIME ? null : Long.valueOf(time);
    }

    @Test
    void itsBytesAreThoseOfAvrosWriter() {
        Random random = TestSeed.random(1);
        for (int i = 0; i < 5_000; i++) {
            String history =
                    "h\u00e9\u20ac".substring(random.nextInt(4)).repeat(random.nextInt(40));
            Long rule = random.nextInt(5) == 0 ? null : Long.valueOf(number(random));
            long[] n = new long[9];
            for (int k = 0; k < n.length; k++) {
                n[k] = number(random);
            }
            GenericRecord r = new GenericData.Record(MessageSchemas.current("RuleStatistics"));
            r.put("history", history);
            r.put("ruleId", rule);
            r.put("windowNs", n[0]);
            r.put("windowStartNs", orNull(n[1]));
            r.put("part", n[2]);
            r.put("packets", n[3]);
            r.put("bytes", n[4]);
            r.put("firstNs", orNull(n[5]));
            r.put("lastNs", orNull(n[6]));
            r.put("fromVersion", n[7]);
            r.put("toVersion", n[8]);
            RuleStatistics statistics =
                    new RuleStatistics(
                            history, rule, n[0], n[1], n[2], n[3], n[4], n[5], n[6], n[7], n[8]);
            assertArrayEquals(MessageCodec.encode(r), statistics.encode(), statistics.toString());
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
