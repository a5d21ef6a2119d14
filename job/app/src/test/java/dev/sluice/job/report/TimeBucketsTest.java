package dev.sluice.job.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.schemas.codec.Column;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class TimeBucketsTest {
    private static final int SERIES = 3;

    /** Each bucket has the packets of its time, however the times were spread and ordered. */
    @Test
    void bucketsCountThePacketsOfTheirTime() {
        Random random = new Random(1);
        for (int round = 0; round < 400; round++) {
            TimeBuckets buckets = new TimeBuckets(SERIES, 300);
            long[] times = new long[1 + random.nextInt(200)];
            int[] series = new int[times.length];
            long origin = random.nextLong() >> random.nextInt(40);
            long spread = 1 + (random.nextLong() >>> 1 + random.nextInt(62));
            for (int i = 0; i < times.length; i++) {
                long time = origin + random.nextLong() % spread;
                times[i] = time == Column.NO_TIME ? 0 : time;
                series[i] = random.nextInt(SERIES);
                buckets.add(series[i], times[i]);
            }
            assertTrue(buckets.size() <= 300);
            Map<String, Long> expected = new TreeMap<>();
            for (int i = 0; i < times.length; i++) {
                long millis = Math.floorDiv(times[i], 1_000_000L);
                long start = Math.floorDiv(millis, buckets.widthMillis()) * buckets.widthMillis();
                expected.merge(start + "/" + series[i], 1L, Long::sum);
            }
            Map<String, Long> counted = new TreeMap<>();
            for (int i = 0; i < buckets.size(); i++) {
                for (int s = 0; s < SERIES; s++) {
                    if (buckets.count(i, s) > 0) {
                        counted.put(buckets.startMillis(i) + "/" + s, buckets.count(i, s));
                    }
                }
            }
            assertEquals(expected, counted);
        }
    }

    @Test
    void bucketsStayAsNarrowAsTheirNumberAllows() {
        TimeBuckets buckets = new TimeBuckets(1, 300);
        buckets.add(0, 0);
        buckets.add(0, 299_000_000L);
        assertEquals(1, buckets.widthMillis());
        assertEquals(300, buckets.size());
        buckets.add(0, 300_000_000L);
        assertEquals(5, buckets.widthMillis());
        assertEquals(61, buckets.size());
        buckets.add(0, Column.NO_TIME);
        assertEquals(1, buckets.untimed());
    }
}
