package dev.sluice.engine.tuplespace;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.engine.image.HashMultipliers;
import dev.sluice.engine.memory.Arena;
import dev.sluice.engine.rules.Match;
import dev.sluice.schemas.header.HeaderLayout;
import dev.sluice.schemas.header.HeaderWord;
import dev.sluice.schemas.testing.TestSeed;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Keys are found while they are in a table, at any load, and even where their digests collide. */
class CuckooTablesTest {
    private static final HeaderLayout LAYOUT =
            HeaderLayout.of(HeaderWord.IPV4_SRC, HeaderWord.IPV4_DST);
    private static final double DENSE = TupleTables.Settings.DENSE.load();
    private static final int REHASHES = TupleTables.Settings.DENSE.rehashes();

    private final Arena arena = new Arena("test", 1L << 28);
    private final RuleRows rows = new RuleRows(LAYOUT, arena);

    private static Match match(int a, int b) {
        return new Match.Builder()
                .word(HeaderWord.IPV4_SRC, a, -1)
                .word(HeaderWord.IPV4_DST, b, -1)
                .build();
    }

    /** A tuple of both words with its smallest table. */
    private Tuple open(CuckooTables tables) {
        int[] mask = {-1, -1};
        Tuple tuple =
                new Tuple(
                        mask,
                        arena.allocate(TupleSpaceLayout.FIRST_TERM + 2L * TupleSpaceLayout.TERM));
        arena.set(tuple.record + TupleSpaceLayout.TERMS, 2);
        for (int p = 0; p < 2; p++) {
            int term = tuple.record + TupleSpaceLayout.FIRST_TERM + TupleSpaceLayout.TERM * p;
            arena.set(term + TupleSpaceLayout.TERM_POSITION, p);
            arena.set(term + TupleSpaceLayout.TERM_MASK, -1);
        }
        tables.open(tuple);
        return tuple;
    }

    private int digest(Tuple tuple, int slot) {
        return rows.digest(tuple.record, slot, TupleSpaceLayout.SEED);
    }

    private int find(CuckooTables tables, Tuple tuple, int slot) {
        return tables.find(tuple, digest(tuple, slot), slot);
    }

    private boolean insert(CuckooTables tables, Tuple tuple, int slot) {
        tuple.keys++;
        return tables.insert(tuple, digest(tuple, slot), slot);
    }

    private void remove(CuckooTables tables, Tuple tuple, int slot) {
        int pair = find(tables, tuple, slot);
        arena.set(pair + TupleSpaceLayout.CELL_FIRST, 0); // its list is empty now
        tuple.keys--;
        tables.remove(tuple, pair);
    }

    private int cells(Tuple tuple) {
        return TupleSpaceLayout.SUBTABLES * arena.words()[tuple.record + TupleSpaceLayout.DEPTH];
    }

    /** Asserts that exactly the slots of a set are found, each by the pair that names it. */
    private void assertHas(CuckooTables tables, Tuple tuple, Set<Integer> slots, String story) {
        for (int slot : slots) {
            int pair = find(tables, tuple, slot);
            int found = pair == 0 ? 0 : arena.words()[pair + TupleSpaceLayout.CELL_FIRST];
            assertEquals(slot + 1, found, story + ", slot " + slot);
        }
        assertEquals(slots.size(), tables.pairs(tuple).length, story);
    }

    /**
     * Inverse of {@link TupleSpaceLayout#mix} in the word: the word that leads from a digest to
     * another.
     */
    private static int wordBetween(int digest, int wanted) {
        int h = wanted ^ wanted >>> 15 ^ wanted >>> 30;
        int k = h * inverse(HashMultipliers.GOLDEN) ^ digest;
        k = k ^ k >>> 15 ^ k >>> 30;
        int word = k * inverse(HashMultipliers.WORD);
        return word ^ word >>> 16;
    }

    private static int inverse(int odd) {
        int x = odd;
        for (int i = 0; i < 5; i++) {
            x *= 2 - odd * x;
        }
        return x;
    }

    /** Writes rows whose keys have one digest under the tuple's first seed. */
    private void writeColliding(Tuple tuple, int count) {
        int seed = arena.words()[tuple.record + TupleSpaceLayout.SEED];
        for (int a = 0; a < count; a++) {
            int between = TupleSpaceLayout.mix(seed, a);
            rows.write(a, a, match(a, wordBetween(between, 0x12345678)));
            assertEquals(digest(tuple, 0), digest(tuple, a));
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {4, 1_000})
    void otherSeedsTellKeysOfOneDigestApart(int count) {
        CuckooTables tables = new CuckooTables(rows, DENSE, REHASHES);
        Tuple tuple = open(tables);
        writeColliding(tuple, count);
        boolean rehashed = false;
        for (int slot = 0; slot < count; slot++) {
            rehashed |= insert(tables, tuple, slot);
        }
        assertTrue(rehashed);
        assertNotEquals(digest(tuple, 0), digest(tuple, 1));
        assertEquals(0, tables.stashed(tuple));
        assertHas(tables, tuple, range(count), "all");
    }

    @ParameterizedTest
    @ValueSource(ints = {4, 200})
    void keysOfOneDigestThatKeepTheirSeedAreFoundInTheStash(int count) {
        CuckooTables tables = new CuckooTables(rows, DENSE, 0);
        Tuple tuple = open(tables);
        writeColliding(tuple, count);
        for (int slot = 0; slot < count; slot++) {
            insert(tables, tuple, slot);
        }
        // Equal digests name the same three cells.
        assertEquals(count - 3, tables.stashed(tuple));
        assertHas(tables, tuple, range(count), "all");
        Set<Integer> left = range(count);
        for (int slot = 0; slot < count; slot += 2) {
            remove(tables, tuple, slot);
            left.remove(slot);
        }
        assertHas(tables, tuple, left, "every second one removed");
    }

    private static Set<Integer> range(int count) {
        return new HashSet<>(IntStream.range(0, count).boxed().toList());
    }

    @ParameterizedTest
    @CsvSource({"1, 0.9", "2, 0.9", "3, 0.6", "4, 0.6", "5, 0.3"})
    void keysAreFoundExactlyWhileTheyAreThere(long seed, double load) {
        SplittableRandom random = new SplittableRandom(TestSeed.of(seed));
        CuckooTables tables = new CuckooTables(rows, load, REHASHES);
        Tuple tuple = open(tables);
        int count = 600;
        for (int slot = 0; slot < count; slot++) {
            rows.write(slot, slot, match(slot % 40, slot / 40));
        }
        Set<Integer> there = new HashSet<>();
        for (int step = 0; step < 3_000; step++) {
            int slot = random.nextInt(count);
            if (there.remove(slot)) {
                remove(tables, tuple, slot);
            } else {
                insert(tables, tuple, slot);
                there.add(slot);
            }
            assertTrue(there.size() <= Math.ceil(load * cells(tuple)), "seed " + seed);
            if (step % 250 == 0) {
                assertHas(tables, tuple, there, "seed " + seed + ", step " + step);
            }
        }
    }

    @Test
    void aDenseTableGrowsWhenItIsNinetyPercentFullToAboutEightyPercent() {
        CuckooTables tables = new CuckooTables(rows, DENSE, REHASHES);
        Tuple tuple = open(tables);
        SplittableRandom random = new SplittableRandom(TestSeed.of(1));
        List<Double> fullest = new ArrayList<>();
        for (int slot = 0; slot < 20_000; slot++) {
            rows.write(slot, slot, match(random.nextInt(), slot));
            int before = cells(tuple);
            insert(tables, tuple, slot);
            if (cells(tuple) != before && slot > 1_000) {
                fullest.add((double) slot / before);
                double after = (slot + 1.0) / cells(tuple);
                assertEquals(0.8, after, 0.01, "full after growth");
            }
        }
        assertTrue(fullest.size() > 20, fullest.size() + " growths");
        for (double full : fullest) {
            assertTrue(full > 0.89 && full <= 0.9, "full before growth: " + full);
        }
        assertEquals(0, tables.stashed(tuple));
        assertHas(tables, tuple, range(20_000), "all");
    }

    @Test
    void aClosedTableGivesItsMemoryBack() {
        CuckooTables tables = new CuckooTables(rows, DENSE, 0);
        Tuple tuple = open(tables);
        writeColliding(tuple, 50);
        for (int slot = 0; slot < 50; slot++) {
            insert(tables, tuple, slot);
        }
        int cells = cells(tuple);
        int cellsAt = arena.words()[tuple.record + TupleSpaceLayout.CELLS];
        int stashAt = arena.words()[tuple.record + TupleSpaceLayout.STASH];
        tables.close(tuple);
        int[] again = {
            arena.allocate((long) TupleSpaceLayout.CELL * cells),
            arena.allocate((long) TupleSpaceLayout.CELL * 47)
        };
        Arrays.sort(again);
        assertEquals(
                List.of(Math.min(cellsAt, stashAt), Math.max(cellsAt, stashAt)),
                List.of(again[0], again[1]));
    }
}
