package dev.sluice.engine.memory;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.sluice.schemas.testing.TestSeed;
import java.util.SplittableRandom;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A log of writes repeats them elsewhere and names the lines that they touched. */
class WriteLogTest {
    private final WriteLog log = new WriteLog();

    private static TreeSet<Integer> lines(WriteLog log) {
        DirtyLines dirty = new DirtyLines();
        log.addLinesTo(dirty);
        TreeSet<Integer> lines = new TreeSet<>();
        for (int k = 0; k < dirty.count(); k++) {
            lines.add(dirty.get(k));
        }
        assertEquals(dirty.count(), lines.size(), "a line came twice");
        return lines;
    }

    @Test
    void onlyTheWordsThatWereWrittenAreRepeated() {
        int[] from = {1, 2, 3, 4, 5, 6};
        int[] to = new int[6];
        log.add(0);
        log.addRun(2, 3);
        log.repeat(from, to);
        assertArrayEquals(new int[] {1, 0, 3, 4, 5, 0}, to);
        assertEquals(4, log.words());
    }

    @Test
    void aWordWrittenTwiceIsRepeatedWithItsLastValueAndCountsTwice() {
        int[] from = {7};
        int[] to = {0};
        log.add(0);
        log.add(0);
        log.repeat(from, to);
        assertEquals(7, to[0]);
        assertEquals(2, log.words());
    }

    @Test
    void theRunAtOffsetZeroIsARun() {
        int[] to = new int[3];
        log.addRun(0, 2);
        log.repeat(new int[] {4, 5, 6}, to);
        assertArrayEquals(new int[] {4, 5, 0}, to);
    }

    @Test
    void afterClearNothingIsRepeated() {
        log.add(0);
        log.clear();
        int[] to = {3};
        log.repeat(new int[] {4}, to);
        assertEquals(3, to[0]);
        assertEquals(0, log.words());
        assertEquals(new TreeSet<>(), lines(log));
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5})
    void aLongLogRepeatsAllAndNamesExactlyTheTouchedLines(long seed) {
        SplittableRandom random = new SplittableRandom(TestSeed.of(seed));
        int size = 5_000;
        int[] from = new int[size];
        int[] to = new int[size];
        TreeSet<Integer> touched = new TreeSet<>();
        long words = 0;
        for (int k = 0; k < 400; k++) {
            int length = random.nextInt(3) == 0 ? random.nextInt(60) : 1;
            int at = random.nextInt(size - length);
            for (int w = at; w < at + length; w++) {
                from[w] = random.nextInt();
                touched.add(w / MutableImage.LINE);
            }
            if (length == 1) {
                log.add(at);
            } else {
                log.addRun(at, length);
            }
            words += length;
        }
        log.repeat(from, to);
        assertArrayEquals(from, to, "seed " + seed);
        assertEquals(touched, lines(log), "seed " + seed);
        assertEquals(words, log.words(), "seed " + seed);
    }
}
