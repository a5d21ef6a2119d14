package dev.sluice.engine.bloom;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.engine.memory.Arena;
import dev.sluice.engine.rules.Match;
import dev.sluice.engine.tuplespace.Tuple;
import dev.sluice.engine.tuplespace.TupleSpaceLayout;
import dev.sluice.engine.tuplespace.TupleSpaceStructure;
import dev.sluice.schemas.header.HeaderLayout;
import dev.sluice.schemas.header.HeaderWord;
import dev.sluice.schemas.testing.TestSeed;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** Filters let every key of their tuple through, and few others. */
class BloomFiltersTest {
    private static final HeaderLayout LAYOUT =
            HeaderLayout.of(HeaderWord.IPV4_SRC, HeaderWord.IPV4_DST);

    private final Arena arena = new Arena("test", 1L << 28);
    private final TupleSpaceStructure structure = BloomAlgorithm.structure(LAYOUT, arena);

    private static Match match(int a, int b) {
        return new Match.Builder()
                .word(HeaderWord.IPV4_SRC, a, -1)
                .word(HeaderWord.IPV4_DST, b, -1)
                .build();
    }

    private boolean passes(int digest) {
        int[] w = arena.words();
        Tuple tuple = structure.tables().order().get(0);
        int filter = w[tuple.record + TupleSpaceLayout.FILTER];
        int bits = w[tuple.record + TupleSpaceLayout.FILTER_BITS];
        int a = TupleSpaceLayout.filterBit(digest, 0, bits);
        int b = TupleSpaceLayout.filterBit(digest, 1, bits);
        return (w[filter + (a >>> 5)] >>> a & w[filter + (b >>> 5)] >>> b & 1) != 0;
    }

    private int digest(int a, int b) {
        int[] w = arena.words();
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
        int[] w = arena.words();
        Tuple tuple = structure.tables().order().get(0);
        assertEquals(14, w[tuple.record + TupleSpaceLayout.FILTER_BITS]);
        int passed = 0;
        int asked = 2_000_000;
        for (int k = 0; k < asked; k++) {
            passed += passes(digest(random.nextInt(), random.nextInt())) ? 1 : 0;
        }
        // (1 - (1 - 1/m)^(k n))^k for m bits, n keys and k = 2 functions.
        double predicted = Math.pow(1 - Math.pow(1 - 1.0 / (1 << 14), 2 * 256), 2);
        assertEquals(9.5e-4, predicted, 0.3e-4);
        assertEquals(predicted, (double) passed / asked, 0.25 * predicted);
    }

    @Test
    void aFilterThatGrewLetsAllItsKeysThrough() {
        for (int slot = 0; slot < 3_000; slot++) {
            structure.insert(slot, slot, match(slot, 7));
        }
        for (int slot = 0; slot < 3_000; slot++) {
            assertTrue(passes(digest(slot, 7)), "key " + slot);
        }
    }
}
