package dev.sluice.engine.bloom;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.engine.memory.Arena;
import dev.sluice.engine.rules.Match;
import dev.sluice.engine.tuplespace.Tuple;
import dev.sluice.engine.tuplespace.TupleSpaceLayout;
import dev.sluice.engine.tuplespace.TupleTables;
import dev.sluice.schemas.header.HeaderBatch;
import dev.sluice.schemas.header.HeaderLayout;
import dev.sluice.schemas.header.HeaderWord;
import dev.sluice.schemas.testing.TestSeed;
import java.util.HashSet;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Filters let every key of their tuple through, and few others, while rules come and go. */
class BloomFiltersTest {
    private static final HeaderLayout LAYOUT =
            HeaderLayout.of(HeaderWord.IPV4_SRC, HeaderWord.IPV4_DST);

    private final BloomStructure structure =
            new BloomStructure(LAYOUT, new Arena("test", 1L << 28), TupleTables.Settings.DENSE, 64);

    private static Match match(int a, int b) {
        return new Match.Builder()
                .word(HeaderWord.IPV4_SRC, a, -1)
                .word(HeaderWord.IPV4_DST, b, -1)
                .build();
    }

    private boolean passes(int digest) {
        int[] w = structure.arena().words();
        Tuple tuple = structure.tables().order().get(0);
        int filter = w[tuple.record + TupleSpaceLayout.FILTER];
        int bits = w[tuple.record + TupleSpaceLayout.FILTER_BITS];
        int a = TupleSpaceLayout.filterBit(digest, 0, bits);
        int b = TupleSpaceLayout.filterBit(digest, 1, bits);
        return (w[filter + (a >>> 5)] >>> a & w[filter + (b >>> 5)] >>> b & 1) != 0;
    }

    private int digest(int a, int b) {
        int[] w = structure.arena().words();
        Tuple tuple = structure.tables().order().get(0);
        int digest = TupleSpaceLayout.mix(w[tuple.record + TupleSpaceLayout.FILTER_SEED], a);
        return TupleSpaceLayout.finish(TupleSpaceLayout.mix(digest, b));
    }

    @Test
    void filtersLetThroughWhatTheFormulaPredicts() {
        // 256 keys in 16,384 bits.
        SplittableRandom random = new SplittableRandom(TestSeed.of(2));
        for (int slot = 0; slot < 256; slot++) {
            structure.insert(slot, slot, match(random.nextInt(), random.nextInt()));
        }
        int[] w = structure.arena().words();
        Tuple tuple = structure.tables().order().get(0);
        assertEquals(14, w[tuple.record + TupleSpaceLayout.FILTER_BITS]);
        int passed = 0;
        int asked = 2_000_000;
        for (int k = 0; k < asked; k++) {
            passed += passes(digest(random.nextInt(), random.nextInt())) ? 1 : 0;
        }
        double predicted = BloomCompiler.predictedFalsePositives(1 << 14, 256);
        assertEquals(9.5e-4, predicted, 0.3e-4);
        assertEquals(predicted, (double) passed / asked, 0.25 * predicted);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void aFilterForgetsKeysThatGoAndKeepsTheOthers(long seed) {
        SplittableRandom random = new SplittableRandom(TestSeed.of(seed));
        int count = 3_000;
        Set<Integer> there = new HashSet<>();
        for (int slot = 0; slot < count; slot++) {
            structure.insert(slot, slot, match(slot, 7));
            there.add(slot);
        }
        for (int slot = 0; slot < count - 100; slot++) {
            int gone = random.nextInt(count);
            if (there.remove(gone)) {
                structure.remove(gone);
            }
        }
        int passed = 0;
        for (int slot = 0; slot < count; slot++) {
            boolean passes = passes(digest(slot, 7));
            assertTrue(passes || !there.contains(slot), "seed " + seed + ", slot " + slot);
            passed += passes && !there.contains(slot) ? 1 : 0;
        }
        assertTrue(passed < 20, "seed " + seed + ": " + passed + " removed keys still pass");
        assertFinds(there, count, seed);
    }

    private void assertFinds(Set<Integer> there, int count, long seed) {
        HeaderBatch batch = new HeaderBatch(LAYOUT, count);
        for (int slot = 0; slot < count; slot++) {
            int[] header = new int[HeaderWord.COUNT];
            header[HeaderWord.IPV4_SRC] = slot;
            header[HeaderWord.IPV4_DST] = 7;
            batch.add(header);
        }
        int[] ranks = new int[count];
        int[] slots = new int[count];
        structure.search(batch, ranks, slots);
        for (int slot = 0; slot < count; slot++) {
            assertEquals(there.contains(slot) ? slot : -1, slots[slot], "seed " + seed);
        }
    }

    @Test
    void aTupleThatIsOpenedAgainHasAnEmptyFilter() {
        structure.insert(0, 0, match(1, 1));
        structure.remove(0);
        structure.insert(0, 0, match(2, 2));
        assertTrue(passes(digest(2, 2)));
        assertTrue(!passes(digest(1, 1)));
    }
}
