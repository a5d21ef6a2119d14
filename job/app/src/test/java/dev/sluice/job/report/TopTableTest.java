package dev.sluice.job.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.job.report.TopTable.Entry;
import dev.sluice.schemas.codec.Column;
import dev.sluice.schemas.testing.TestSeed;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Counts are exact up to the limit, and bound the truth beyond it. */
class TopTableTest {
    @Test
    void countsAreExactUpToTheLimit() {
        TopTable<String> table = new TopTable<>(3);
        for (String key : List.of("a", "b", "a", "c", "a", "b")) {
            table.add(key, 10, 7);
        }
        assertEquals(
                List.of("a 3", "b 2", "c 1"),
                table.top(9).stream().map(e -> e.key() + " " + e.packets()).toList());
        assertEquals(List.of("a"), table.top(1).stream().map(Entry::key).toList());
        assertEquals(30, table.top(1).get(0).bytes());
        assertEquals(0, table.missed());
        assertEquals(6, table.packets());
        assertEquals(60, table.bytes());
    }

    @Test
    void timesAreThoseOfTheFirstAndTheLastPacketThatHasOne() {
        TopTable<String> table = new TopTable<>(3);
        for (long time : new long[] {Column.NO_TIME, 5, -3, 9, Column.NO_TIME}) {
            table.add("a", 0, time);
        }
        assertEquals(-3, table.top(1).get(0).firstNs());
        assertEquals(9, table.top(1).get(0).lastNs());
    }

    @Test
    void beyondTheLimitCountsBoundTheTruth() {
        Random random = TestSeed.random(2718);
        for (int round = 0; round < 60; round++) {
            int most = 1 + random.nextInt(40);
            TopTable<Integer> table = new TopTable<>(most);
            Map<Integer, Long> truth = new HashMap<>();
            for (int i = 0; i < 4000; i++) {
                int key = (int) Math.abs(random.nextGaussian() * (1 + random.nextInt(200)));
                truth.merge(key, 1L, Long::sum);
                table.add(key, 0, Column.NO_TIME);
                assertTrue(table.size() <= most);
            }
            Map<Integer, Entry<Integer>> kept = new HashMap<>();
            table.top(Long.MAX_VALUE).forEach(entry -> kept.put(entry.key(), entry));
            truth.forEach(
                    (key, packets) -> {
                        Entry<Integer> entry = kept.get(key);
                        if (entry == null) {
                            assertTrue(packets <= table.missed(), key + " is not kept");
                        } else {
                            assertTrue(entry.packets() <= packets);
                            assertTrue(packets <= entry.packets() + entry.missed());
                        }
                    });
            assertEquals(4000, table.packets());
            assertTrue(table.missed() <= 2L * 4000 / most + 1, "missed " + table.missed());
        }
    }

    @Test
    void aKeyWithMostPacketsIsKept() {
        TopTable<Integer> table = new TopTable<>(10);
        for (int i = 0; i < 10_000; i++) {
            table.add(i % 3 == 0 ? -1 : i, 0, Column.NO_TIME);
        }
        Entry<Integer> first = table.top(1).get(0);
        assertEquals(-1, first.key());
        assertEquals(3334, first.packets());
        assertEquals(0, first.missed());
        assertTrue(table.missed() > 0);
    }
}
