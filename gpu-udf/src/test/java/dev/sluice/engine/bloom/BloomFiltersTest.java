package dev.sluice.engine.bloom;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.engine.memory.Arena;
import dev.sluice.engine.rules.Match;
import dev.sluice.engine.rules.Rule;
import dev.sluice.engine.rules.RuleDelta;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.engine.testing.RuleStory;
import dev.sluice.engine.testing.SameVerdicts;
import dev.sluice.engine.testing.Subject;
import dev.sluice.engine.tuplespace.Tuple;
import dev.sluice.engine.tuplespace.TupleSpaceLayout;
import dev.sluice.engine.tuplespace.TupleTables;
import dev.sluice.schemas.header.HeaderBatch;
import dev.sluice.schemas.header.HeaderLayout;
import dev.sluice.schemas.header.HeaderWord;
import dev.sluice.schemas.testing.TestSeed;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Filters let every key of their tuple through, and few others, while rules come and go. */
class BloomFiltersTest {
    private static final HeaderLayout LAYOUT =
            HeaderLayout.of(HeaderWord.IPV4_SRC, HeaderWord.IPV4_DST);

    private BloomStructure structure = structure();

    private static BloomStructure structure() {
        return new BloomStructure(
                LAYOUT, new Arena("test", 1L << 28), TupleTables.Settings.DENSE, 64);
    }

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

    /** Slots of the rules' ids, in a structure whose filters are looked into. */
    private final class Filters implements Subject.Session {
        Filters(RuleSet rules) {
            for (Rule rule : rules.rules()) {
                structure.insert((int) rule.id(), (int) rule.id(), rule.match());
            }
        }

        @Override
        public void apply(RuleDelta delta) {
            delta.removes().forEach(id -> structure.remove(id.intValue()));
        }

        @Override
        public long[] answers(List<int[]> headers) {
            HeaderBatch batch = new HeaderBatch(LAYOUT, headers.size() + 1);
            headers.forEach(batch::add);
            int[] slots = new int[batch.size()];
            structure.search(batch, new int[batch.size()], slots);
            return Arrays.stream(slots)
                    .mapToLong(slot -> slot < 0 ? RuleStory.NO_RULE : slot)
                    .toArray();
        }
    }

    private Subject filters() {
        return Subject.ofSessions(
                "bloom-filters",
                (rules, layout) -> {
                    structure = structure();
                    return new Filters(rules);
                });
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void aFilterForgetsKeysThatGoAndKeepsTheOthers(long seed) {
        SplittableRandom random = new SplittableRandom(TestSeed.of(seed));
        int count = 3_000;
        List<Rule> rules = new ArrayList<>();
        List<int[]> headers = new ArrayList<>();
        for (int slot = 0; slot < count; slot++) {
            rules.add(new Rule(slot, 0, match(slot, 7), "a", 0));
            int[] header = new int[HeaderWord.COUNT];
            header[HeaderWord.IPV4_SRC] = slot;
            header[HeaderWord.IPV4_DST] = 7;
            headers.add(header);
        }
        Set<Long> gone = new LinkedHashSet<>();
        for (int k = 0; k < count - 100; k++) {
            gone.add((long) random.nextInt(count));
        }
        RuleDelta removal = new RuleDelta(List.copyOf(gone), List.of());
        SameVerdicts.assertServed(
                RuleStory.of("keys", TestSeed.of(seed), rules, List.of(removal), headers),
                filters());
        long passed = gone.stream().filter(slot -> passes(digest(slot.intValue(), 7))).count();
        assertTrue(passed < 20, "seed " + seed + ": " + passed + " removed keys still pass");
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
