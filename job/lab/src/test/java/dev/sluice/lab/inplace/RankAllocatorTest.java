package dev.sluice.lab.inplace;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.schemas.testing.TestSeed;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Ranks follow priority and age, also when intervals run out and all ranks are given anew. */
class RankAllocatorTest {
    private static final int LARGEST = Integer.MAX_VALUE - 2;

    private final RankAllocator ranks = new RankAllocator();

    private static final class Ranked {
        final int priority;
        int rank;

        Ranked(int priority) {
            this.priority = priority;
        }
    }

    @Test
    void theFirstPriorityHasAllRanks() {
        assertEquals(0, ranks.next(5));
        assertEquals(1, ranks.next(5));
        assertEquals(2, ranks.next(5));
    }

    @Test
    void aWorsePriorityTakesHalfOfWhatTheBetterOneHasLeft() {
        assertEquals(0, ranks.next(5));
        int worse = ranks.next(4);
        assertEquals((1 + Integer.MAX_VALUE - 1) / 2, worse, 1);
        assertEquals(1, ranks.next(5));
        assertEquals(worse + 1, ranks.next(4));
    }

    @Test
    void aPriorityBetterThanAllHasNoRanksBeforeTheyAreSpread() {
        assertEquals(0, ranks.next(5));
        assertEquals(-1, ranks.next(6));
        ranks.spread(Map.of(5, 1, 6, 1));
        int better = ranks.next(6);
        assertTrue(better >= 0);
        assertTrue(ranks.next(5) > better);
    }

    @Test
    void anIntervalThatIsHalvedAgainAndAgainRunsOut() {
        int opened = 0;
        while (ranks.next(1_000 - opened) >= 0) {
            opened++;
        }
        assertTrue(opened >= 29 && opened <= 31, opened + " priorities had ranks");
    }

    @Test
    void ranksAreSpreadInProportionToTheRulesOfAPriority() {
        ranks.spread(Map.of(1, 999, 2, 99, 3, 0));
        assertEquals(0, ranks.next(3));
        double second = ranks.next(2);
        double third = ranks.next(1);
        assertEquals(1.0 / 1_101, second / LARGEST, 1e-6);
        assertEquals(101.0 / 1_101, third / LARGEST, 1e-6);
    }

    @Test
    void aSpreadHasRoomForEveryRuleThatItCounted() {
        Map<Integer, Integer> sizes = new HashMap<>();
        for (int priority = 0; priority < 1_000; priority++) {
            sizes.put(priority, priority % 7);
        }
        ranks.spread(sizes);
        int last = -1;
        for (int priority = 999; priority >= 0; priority--) {
            for (int k = 0; k <= priority % 7; k++) {
                int rank = ranks.next(priority);
                assertTrue(rank > last, "rank " + rank + " behind " + last);
                last = rank;
            }
        }
        assertTrue(last <= LARGEST);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void ranksAreUniqueAndInOrderOfPriorityAndAge(long seed) {
        SplittableRandom random = new SplittableRandom(TestSeed.of(seed));
        int priorities = 1 + random.nextInt(60);
        List<Ranked> byAge = new ArrayList<>();
        byAge.add(new Ranked(0)); // takes all ranks, so that any better priority asks for a spread
        byAge.get(0).rank = ranks.next(0);
        int spreads = 0;
        for (int step = 0; step < 400; step++) {
            if (!byAge.isEmpty() && random.nextInt(3) == 0) {
                byAge.remove(random.nextInt(byAge.size()));
                continue;
            }
            Ranked rule = new Ranked(random.nextInt(priorities));
            rule.rank = ranks.next(rule.priority);
            byAge.add(rule);
            if (rule.rank < 0) {
                spreads++;
                spread(byAge);
            }
            assertOrdered(byAge, "seed " + seed + ", step " + step);
        }
        assertTrue(priorities == 1 || spreads > 0, "seed " + seed + " never spread the ranks");
    }

    private void spread(List<Ranked> byAge) {
        Map<Integer, Integer> sizes = new HashMap<>();
        for (Ranked rule : byAge) {
            sizes.merge(rule.priority, 1, Integer::sum);
        }
        ranks.spread(sizes);
        for (Ranked rule : byAge) {
            rule.rank = ranks.next(rule.priority);
        }
    }

    private static void assertOrdered(List<Ranked> byAge, String story) {
        List<Ranked> expected = new ArrayList<>(byAge);
        expected.sort(Comparator.comparingInt((Ranked rule) -> rule.priority).reversed());
        Set<Integer> seen = new HashSet<>();
        int last = -1;
        for (Ranked rule : expected) {
            assertTrue(rule.rank > last, story + ": rank " + rule.rank + " behind " + last);
            assertTrue(rule.rank <= LARGEST && seen.add(rule.rank), story);
            last = rule.rank;
        }
    }
}
