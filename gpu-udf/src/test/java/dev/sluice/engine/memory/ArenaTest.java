package dev.sluice.engine.memory;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.engine.image.MemoryBudgetException;
import dev.sluice.schemas.testing.TestSeed;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Blocks do not overlap, buffers become equal at a switch, and dirty lines miss no write. */
class ArenaTest {
    private final Arena arena = new Arena("test", 1 << 20);

    private static int[] words(MutableImage buffer) {
        return Arrays.copyOf(buffer.words(), buffer.size());
    }

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
    void aRecorderIsToldOfWrittenWordsOnly() {
        List<Integer> told = new ArrayList<>();
        int at = arena.allocate(4);
        arena.record(
                (word, value) -> {
                    told.add(word);
                    told.add(value);
                });
        arena.set(at, 7);
        arena.words()[at + 1] = 8;
        arena.words()[at + 2] = 9;
        arena.changed(at + 1, 2);
        arena.record(null);
        arena.set(at + 3, 10);
        assertEquals(List.of(at, 7, at + 1, 8, at + 2, 9), told);
    }

    @Test
    void withOneBufferThereIsNothingToSwitchTo() {
        assertThrows(IllegalStateException.class, () -> arena.switchBuffer(arena.buffer()));
    }

    @Test
    void withOneBufferDirtyLinesAreUpToDateAfterEveryWrite() {
        int at = arena.allocate(100);
        arena.buffer().trackDirtyLines();
        arena.set(at + 40, 1);
        assertEquals(1, arena.buffer().dirtyLineCount());
        assertEquals((at + 40) / MutableImage.LINE, arena.buffer().dirtyLine(0));
        arena.buffer().clearDirtyLines();
        assertEquals(0, arena.buffer().dirtyLineCount());
    }

    @Test
    void dirtyLinesThatNobodyAskedForAreNoneAndHaveNoNumbers() {
        arena.set(arena.allocate(4), 1);
        assertEquals(0, arena.buffer().dirtyLineCount());
        assertThrows(IllegalStateException.class, () -> arena.buffer().dirtyLine(0));
    }

    @Test
    void theOtherBufferChangesAtTheSwitchAndNotBefore() {
        int at = arena.allocate(4);
        arena.set(at, 1);
        MutableImage first = arena.buffer();
        MutableImage second = arena.addBuffer();
        arena.set(at, 2);
        assertEquals(1, second.words()[at]);
        arena.switchBuffer(second);
        assertEquals(2, second.words()[at]);
        arena.set(at, 3);
        assertEquals(2, first.words()[at]);
        assertEquals(3, arena.words()[at]);
    }

    /**
     * Random blocks and writes in two buffers, with a copy of each that follows its dirty lines.
     */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6})
    void buffersAndTheirCopiesFollowEveryWrite(long seed) {
        SplittableRandom random = new SplittableRandom(TestSeed.of(seed));
        MutableImage[] buffers = {arena.buffer(), null};
        buffers[1] = arena.addBuffer();
        int[][] copies = new int[2][1 << 18];
        for (int b = 0; b < 2; b++) {
            buffers[b].trackDirtyLines();
        }
        List<int[]> blocks = new ArrayList<>();
        for (int round = 0; round < 60; round++) {
            int changes = random.nextInt(10) == 0 ? 500 : random.nextInt(10);
            for (int k = 0; k < changes; k++) {
                change(random, blocks);
            }
            arena.publishDirtyLines();
            int written = round % 2;
            follow(buffers[written], copies[written]);
            int[] now = words(buffers[written]);
            assertArrayEquals(
                    now, Arrays.copyOf(copies[written], now.length), "seed " + seed + ", " + round);
            MutableImage next = buffers[1 - written];
            arena.switchBuffer(next);
            assertArrayEquals(now, words(next), "seed " + seed + ", round " + round);
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

    private static void follow(MutableImage buffer, int[] copy) {
        for (int k = 0; k < buffer.dirtyLineCount(); k++) {
            int at = buffer.dirtyLine(k) * MutableImage.LINE;
            int end = Math.min(buffer.size(), at + MutableImage.LINE);
            System.arraycopy(buffer.words(), at, copy, at, Math.max(0, end - at));
        }
        buffer.clearDirtyLines();
    }
}
