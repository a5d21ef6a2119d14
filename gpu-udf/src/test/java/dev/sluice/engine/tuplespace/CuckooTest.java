package dev.sluice.engine.tuplespace;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.engine.bloom.BloomCompiler;
import dev.sluice.engine.bloom.BloomStructure;
import dev.sluice.engine.memory.Arena;
import dev.sluice.engine.rules.Match;
import dev.sluice.engine.tuple.TupleStructure;
import dev.sluice.schemas.header.HeaderBatch;
import dev.sluice.schemas.header.HeaderLayout;
import dev.sluice.schemas.header.HeaderWord;
import dev.sluice.schemas.testing.TestSeed;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The tables under digests that collide, at full load, and the filters' false positives. */
class CuckooTest {
    private static final HeaderLayout LAYOUT =
            HeaderLayout.of(HeaderWord.IPV4_SRC, HeaderWord.IPV4_DST);

    private static Match match(int a, int b) {
        return new Match.Builder()
                .word(HeaderWord.IPV4_SRC, a, -1)
                .word(HeaderWord.IPV4_DST, b, -1)
                .build();
    }

    /**
     * Inverse of {@link TupleSpaceLayout#mix} in the word: the word that leads from a digest to
     * another.
     */
    private static int wordBetween(int digest, int wanted) {
        int h = wanted ^ wanted >>> 15 ^ wanted >>> 30;
        int k = h * inverse(0x9e3779b1) ^ digest;
        k = k ^ k >>> 15 ^ k >>> 30;
        int word = k * inverse(0xcc9e2d51);
        return word ^ word >>> 16;
    }

    private static int inverse(int odd) {
        int x = odd;
        for (int i = 0; i < 5; i++) {
            x *= 2 - odd * x;
        }
        return x;
    }

    /** Keys whose digests are equal under the seed of a class's first table. */
    private static List<Match> colliding(int count) {
        TupleStructure probe = new TupleStructure(LAYOUT, arena(), TupleTables.Settings.DENSE);
        probe.insert(0, 0, match(1, 2));
        Tuple tuple = probe.tables().order().get(0);
        int seed = probe.arena().words()[tuple.record + TupleSpaceLayout.SEED];
        List<Match> keys = new ArrayList<>();
        for (int a = 0; a < count; a++) {
            int between = TupleSpaceLayout.mix(seed, a);
            int b = wordBetween(between, 0x12345678);
            assertEquals(0x12345678, TupleSpaceLayout.mix(between, b));
            keys.add(match(a, b));
        }
        return keys;
    }

    private static Arena arena() {
        return new Arena("test", 1L << 28);
    }

    @ParameterizedTest
    @CsvSource({"4, 10", "1000, 10", "4, 0", "1000, 0"})
    void keysWhoseDigestsCollideAreFound(int count, int rehashes) {
        List<Match> keys = colliding(count);
        BloomStructure space =
                new BloomStructure(LAYOUT, arena(), new TupleTables.Settings(0.9, rehashes), 64);
        for (int slot = 0; slot < count; slot++) {
            space.insert(slot, slot, keys.get(slot));
        }
        assertFound(space, keys);
        if (rehashes > 0) {
            assertEquals(0, space.tables().stashed(), "a new seed tells them apart");
        } else {
            // Equal digests name the same three cells.
            assertEquals(count - 3, space.tables().stashed());
        }
        for (int slot = 0; slot < count; slot += 2) {
            space.remove(slot);
        }
        HeaderBatch batch = batch(keys);
        int[] ranks = new int[count];
        int[] slots = new int[count];
        space.search(batch, ranks, slots);
        for (int slot = 0; slot < count; slot++) {
            assertEquals(slot % 2 == 0 ? -1 : slot, slots[slot]);
        }
    }

    private static HeaderBatch batch(List<Match> keys) {
        HeaderBatch batch = new HeaderBatch(LAYOUT, keys.size());
        for (Match key : keys) {
            int[] header = new int[HeaderWord.COUNT];
            header[HeaderWord.IPV4_SRC] = key.value(HeaderWord.IPV4_SRC);
            header[HeaderWord.IPV4_DST] = key.value(HeaderWord.IPV4_DST);
            batch.add(header);
        }
        return batch;
    }

    private static void assertFound(TupleSpaceStructure space, List<Match> keys) {
        int[] ranks = new int[keys.size()];
        int[] slots = new int[keys.size()];
        space.search(batch(keys), ranks, slots);
        for (int slot = 0; slot < keys.size(); slot++) {
            assertEquals(slot, slots[slot]);
        }
    }

    @Test
    void aDenseTableIsNinetyPercentFull() {
        TupleStructure space = new TupleStructure(LAYOUT, arena(), TupleTables.Settings.DENSE);
        Random random = TestSeed.random(1);
        List<Match> keys = new ArrayList<>();
        for (int slot = 0; slot < 20_000; slot++) {
            keys.add(match(random.nextInt(), random.nextInt()));
            space.insert(slot, slot, keys.get(slot));
        }
        Tuple tuple = space.tables().order().get(0);
        int depth = space.arena().words()[tuple.record + TupleSpaceLayout.DEPTH];
        assertTrue(20_000 > 0.75 * 3 * depth, "depth " + depth);
        assertEquals(0, space.tables().stashed());
        assertFound(space, keys);
    }

    @Test
    void filtersLetThroughWhatTheFormulaPredicts() {
        // 256 keys in 16,384 bits.
        BloomStructure space = new BloomStructure(LAYOUT, arena(), TupleTables.Settings.DENSE, 64);
        Random random = TestSeed.random(2);
        for (int slot = 0; slot < 256; slot++) {
            space.insert(slot, slot, match(random.nextInt(), random.nextInt()));
        }
        Tuple tuple = space.tables().order().get(0);
        int[] w = space.arena().words();
        int bits = w[tuple.record + TupleSpaceLayout.FILTER_BITS];
        assertEquals(14, bits);
        int filter = w[tuple.record + TupleSpaceLayout.FILTER];
        int passed = 0;
        int asked = 2_000_000;
        for (int k = 0; k < asked; k++) {
            int digest =
                    TupleSpaceLayout.mix(
                            w[tuple.record + TupleSpaceLayout.FILTER_SEED], random.nextInt());
            digest = TupleSpaceLayout.finish(TupleSpaceLayout.mix(digest, random.nextInt()));
            int a = TupleSpaceLayout.filterBit(digest, 0, bits);
            int b = TupleSpaceLayout.filterBit(digest, 1, bits);
            passed += w[filter + (a >>> 5)] >>> a & w[filter + (b >>> 5)] >>> b & 1;
        }
        double predicted = BloomCompiler.predictedFalsePositives(1 << 14, 256);
        assertEquals(9.5e-4, predicted, 0.3e-4);
        assertEquals(predicted, (double) passed / asked, 0.25 * predicted);
    }
}
