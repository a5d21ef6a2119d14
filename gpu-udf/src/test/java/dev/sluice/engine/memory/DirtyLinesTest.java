package dev.sluice.engine.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.sluice.schemas.testing.TestSeed;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Each line is named once, in the order of its first write. */
class DirtyLinesTest {
    private final DirtyLines dirty = new DirtyLines();

    private List<Integer> lines() {
        List<Integer> lines = new ArrayList<>();
        for (int k = 0; k < dirty.count(); k++) {
            lines.add(dirty.get(k));
        }
        return lines;
    }

    @Test
    void aLineIsNamedOnceInTheOrderOfItsFirstWrite() {
        for (int line : new int[] {9, 3, 9, 64, 3, 0, 64}) {
            dirty.add(line);
        }
        assertEquals(List.of(9, 3, 64, 0), lines());
    }

    @ParameterizedTest
    @CsvSource({"0, 0, 0", "0, 1, 1", "15, 1, 1", "15, 2, 2", "16, 16, 1", "17, 16, 2", "0, 33, 3"})
    void aRunOfWordsHasTheLinesOfItsFirstAndLastWordAndThoseBetween(int at, int words, int count) {
        dirty.addRun(at, words);
        assertEquals(count, dirty.count());
        for (int k = 0; k < count; k++) {
            assertEquals(at / MutableImage.LINE + k, dirty.get(k));
        }
    }

    @Test
    void aClearedLineMayBecomeDirtyAgain() {
        dirty.add(5);
        dirty.add(70);
        dirty.clear();
        assertEquals(0, dirty.count());
        dirty.add(70);
        assertEquals(List.of(70), lines());
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void manyLinesAreKeptApartHoweverLarge(long seed) {
        SplittableRandom random = new SplittableRandom(TestSeed.of(seed));
        List<Integer> expected = new ArrayList<>();
        for (int round = 0; round < 3; round++) {
            for (int k = 0; k < 500; k++) {
                int line = random.nextInt(1 << random.nextInt(1, 24));
                if (!expected.contains(line)) {
                    expected.add(line);
                }
                dirty.add(line);
            }
            assertEquals(expected, lines(), "seed " + seed);
            dirty.clear();
            expected.clear();
        }
    }
}
