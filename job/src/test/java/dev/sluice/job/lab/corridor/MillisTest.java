package dev.sluice.job.lab.corridor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.TreeMap;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class MillisTest {
    @Test
    void countedTimesGiveWhatTheirListGives() {
        for (int size = 1; size < 300; size++) {
            List<Long> list = LongStream.range(0, size).map(i -> i * i % 37).boxed().toList();
            TreeMap<Long, Long> counts = new TreeMap<>();
            list.forEach(time -> counts.merge(time, 1L, Long::sum));
            assertEquals(Millis.of(list), Millis.ofCounts(counts), "of " + size);
        }
    }

    @Test
    void noTimesAreNoNumbers() {
        assertTrue(Double.isNaN(Millis.ofCounts(new TreeMap<>()).p50()));
    }
}
