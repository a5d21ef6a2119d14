package dev.sluice.engine.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.engine.image.MemoryBudgetException;
import dev.sluice.schemas.testing.TestSeed;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Blocks do not overlap, and are zero when they are given out. */
class ArenaTest {
    private final Arena arena = new Arena("test", 1 << 20);

    @Test
    void aReleasedBlockIsGivenOutAgainAndIsZero() {
        int at = arena.allocate(10);
        arena.set(at + 9, 5);
        arena.release(at, 10);
        assertEquals(at, arena.allocate(9), "a block of the same size");
        for (int w = at; w < at + 10; w++) {
            assertEquals(0, arena.words()[w]);
        }
    }

    @Test
    void blocksStartAtEvenOffsets() {
        for (int count = 1; count < 200; count++) {
            assertEquals(0, arena.allocate(count) % 2);
        }
    }

    @Test
    void aBlockThatGrowsKeepsItsContent() {
        int at = arena.allocate(3);
        arena.set(at, 1);
        arena.set(at + 2, 3);
        int to = arena.grow(at, 3, 300);
        assertEquals(1, arena.words()[to]);
        assertEquals(3, arena.words()[to + 2]);
        assertEquals(0, arena.words()[to + 3]);
        assertEquals(at, arena.allocate(3), "the old block is free");
    }

    @Test
    void anAllocationBeyondTheBudgetIsRefusedAndChangesNothing() {
        arena.allocate(1_000);
        int size = arena.size();
        assertTrue(arena.hasRoom(100_000));
        assertTrue(!arena.hasRoom(1 << 18));
        assertThrows(MemoryBudgetException.class, () -> arena.allocate(1 << 18));
        assertThrows(MemoryBudgetException.class, () -> arena.allocate(1L << 40));
        assertEquals(size, arena.size());
    }

    @Test
    void wordsAreNotedWhenTheyAreWritten() {
        int at = arena.allocate(4);
        GrowingWords noted = new GrowingWords(arena.words(), arena.size());
        arena.record(noted);
        arena.set(at, 7);
        arena.set(at + 3, 10);
        arena.words()[at + 1] = 8;
        arena.changed(at + 1, 2);
        noted.publish(arena.words(), arena.size());
        List<Long> runs = new ArrayList<>();
        while (noted.taken() < noted.end()) {
            runs.add(noted.take());
        }
        assertEquals(List.of(run(at, 1), run(at + 3, 1), run(at + 1, 2)), runs);
    }

    private static long run(int at, int count) {
        return (long) at << 32 | count;
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6})
    void blocksAreZeroWhateverComesAndGoes(long seed) {
        SplittableRandom random = new SplittableRandom(TestSeed.of(seed));
        List<int[]> blocks = new ArrayList<>();
        for (int k = 0; k < 3_000; k++) {
            change(random, blocks);
        }
    }

    private void change(SplittableRandom random, List<int[]> blocks) {
        if (blocks.isEmpty() || random.nextInt(3) == 0) {
            int count = 1 + random.nextInt(1 << random.nextInt(1, 9));
            int at = arena.allocate(count);
            for (int w = at; w < at + count; w++) {
                assertEquals(0, arena.words()[w], "a block that is not zero");
                arena.set(w, random.nextInt() | 1);
            }
            blocks.add(new int[] {at, count});
        } else if (random.nextInt(3) == 0) {
            int[] block = blocks.remove(random.nextInt(blocks.size()));
            arena.release(block[0], block[1]);
        } else {
            int[] block = blocks.get(random.nextInt(blocks.size()));
            arena.set(block[0] + random.nextInt(block[1]), random.nextInt());
        }
    }
}
