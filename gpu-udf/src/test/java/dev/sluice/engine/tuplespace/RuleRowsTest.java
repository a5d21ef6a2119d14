package dev.sluice.engine.tuplespace;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.engine.memory.Arena;
import dev.sluice.engine.rules.Match;
import dev.sluice.schemas.header.Field;
import dev.sluice.schemas.header.HeaderLayout;
import dev.sluice.schemas.header.HeaderWord;
import dev.sluice.schemas.testing.TestSeed;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Rows hold their rules, share masks and form lists in the order of their ranks. */
class RuleRowsTest {
    private static final HeaderLayout LAYOUT =
            HeaderLayout.of(HeaderWord.IPV4_SRC, HeaderWord.IPV4_DST, HeaderWord.PORTS);
    private static final int[] NOTHING = {};

    private final Arena arena = new Arena("test", 1 << 24);
    private final RuleRows rows = new RuleRows(LAYOUT, arena);

    private static Match match(int src, int srcMask, int dst, int dstMask) {
        return new Match.Builder()
                .word(HeaderWord.IPV4_SRC, src, srcMask)
                .word(HeaderWord.IPV4_DST, dst, dstMask)
                .build();
    }

    private int word(int slot, int offset) {
        return arena.words()[rows.at(slot) + offset];
    }

    @Test
    void aRowHasTheRulesRankValuesMaskAndRanges() {
        Match match =
                new Match.Builder()
                        .word(HeaderWord.IPV4_DST, 0x0a000000, 0xff000000)
                        .ports(Field.DST_PORT, 5, 7)
                        .build();
        rows.write(3, 17, match);
        assertEquals(17, rows.rank(3));
        int dst = LAYOUT.position(HeaderWord.IPV4_DST);
        assertEquals(0x0a000000, word(3, TupleSpaceLayout.VALUES + dst));
        assertEquals(0xff000000, arena.words()[word(3, TupleSpaceLayout.MASK) + dst]);
        assertEquals(Match.ANY_PORT, word(3, TupleSpaceLayout.SRC_PORTS));
        assertEquals(5 << 16 | 7, word(3, TupleSpaceLayout.DST_PORTS));
    }

    @Test
    void rulesOfOneMaskShareIt() {
        RuleMask a = rows.write(0, 0, match(1, -1, 0, 0));
        RuleMask b = rows.write(1, 1, match(2, -1, 0, 0));
        RuleMask other = rows.write(2, 2, match(0, 0, 2, -1));
        assertSame(a, b);
        assertNotSame(a, other);
    }

    @Test
    void aSlotThatWasNotWrittenHasNoRule() {
        rows.write(2, 0, match(1, -1, 2, -1));
        assertThrows(IllegalStateException.class, () -> rows.mask(1));
    }

    @Test
    void rowsKeepTheirContentWhenTheyMove() {
        for (int slot = 0; slot < 10; slot++) {
            rows.write(slot, slot, match(slot, -1, 0, 0));
        }
        int before = rows.at(0);
        rows.write(5_000, 1, match(1, -1, 1, -1));
        assertTrue(rows.at(0) != before);
        for (int slot = 0; slot < 10; slot++) {
            assertEquals(slot, rows.rank(slot));
            assertEquals(slot, word(slot, TupleSpaceLayout.VALUES));
        }
    }

    @Test
    void theWordThatIsComparedFirstHasTheMostBitsThatTheTupleDoesNotImply() {
        Match match = match(0x0a0b0c0d, -1, 0x0a000000, 0xff000000);
        int src = LAYOUT.position(HeaderWord.IPV4_SRC);
        int dst = LAYOUT.position(HeaderWord.IPV4_DST);
        int[] mask = rows.write(0, 0, match).words;
        rows.chooseCheck(0, mask, NOTHING);
        assertEquals(src, word(0, TupleSpaceLayout.CHECK));
        int[] implied = new int[LAYOUT.size()];
        implied[src] = -1;
        rows.chooseCheck(0, mask, implied);
        assertEquals(dst, word(0, TupleSpaceLayout.CHECK));
        assertEquals(0x0a000000, word(0, TupleSpaceLayout.CHECK_VALUE));
        assertEquals(0xff000000, word(0, TupleSpaceLayout.CHECK_MASK));
    }

    @Test
    void rulesHaveTheSameKeyIfTheirValuesAgreeUnderTheMask() {
        rows.write(0, 0, match(0x0a000001, -1, 7, -1));
        rows.write(1, 1, match(0x0a000002, -1, 7, -1));
        int[] upper = new int[LAYOUT.size()];
        upper[LAYOUT.position(HeaderWord.IPV4_SRC)] = 0xffffff00;
        int[] whole = new int[LAYOUT.size()];
        whole[LAYOUT.position(HeaderWord.IPV4_SRC)] = -1;
        assertTrue(rows.sameKey(upper, 0, 1));
        assertFalse(rows.sameKey(whole, 0, 1));
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5})
    void aListIsInTheOrderOfRanksWhateverComesAndGoes(long seed) {
        SplittableRandom random = new SplittableRandom(TestSeed.of(seed));
        int head = arena.allocate(1);
        List<Integer> expected = new ArrayList<>();
        int[] rankOf = new int[500];
        for (int slot = 0; slot < 500; slot++) {
            rankOf[slot] = slot * 7_919 % 500;
            rows.write(slot, rankOf[slot], match(slot, -1, 0, 0));
        }
        for (int step = 0; step < 2_000; step++) {
            int slot = random.nextInt(random.nextInt(10) == 0 ? 500 : 20);
            if (expected.remove((Integer) slot)) {
                rows.unlink(head, slot);
            } else {
                int better = 0;
                for (int there : expected) {
                    better += rankOf[there] < rankOf[slot] ? 1 : 0;
                }
                assertEquals(better, rows.link(head, slot), "seed " + seed + ", step " + step);
                expected.add(slot);
                expected.sort(Comparator.comparingInt(s -> rankOf[s]));
            }
            assertArrayEquals(
                    expected.stream().mapToInt(Integer::intValue).toArray(),
                    rows.slots(head),
                    "seed " + seed + ", step " + step);
            assertEquals(expected.size(), rows.length(head));
        }
    }

    @Test
    void aListIsTakenApartRowByRow() {
        int head = arena.allocate(1);
        rows.write(0, 5, match(1, -1, 0, 0));
        rows.write(1, 3, match(2, -1, 0, 0));
        rows.link(head, 0);
        rows.link(head, 1);
        assertEquals(1 + 1, arena.words()[head]);
        assertEquals(0 + 1, rows.detach(1));
        assertEquals(0, rows.detach(0));
    }
}
