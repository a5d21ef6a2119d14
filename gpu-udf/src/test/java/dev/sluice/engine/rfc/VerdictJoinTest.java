package dev.sluice.engine.rfc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.engine.image.BuildMeter;
import dev.sluice.engine.image.MemoryBudgetException;
import dev.sluice.schemas.testing.TestSeed;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** However parts are joined, each combination of their classes gives the first rule of all. */
class VerdictJoinTest {
    private static final long BUDGET = 256L << 20;

    @ParameterizedTest
    @CsvSource({
        "2, 40, 0.3",
        "3, 40, 0.7",
        "4, 15, 0.05",
        "4, 15, 0.5",
        "4, 12, 1",
        "3, 20, 0",
        "4, 1, 0.9"
    })
    void everyCombinationOfClassesHasItsFirstRule(int count, int classes, double wild) {
        Random random = TestSeed.random(17);
        for (int size : new int[] {1, 63, 64, 300}) {
            List<RfcPart> parts = new ArrayList<>();
            StepTables tables = new StepTables(RfcTarget.PLAIN, new BuildMeter("test", BUDGET));
            int[] steps = new int[count];
            for (int p = 0; p < count; p++) {
                parts.add(part(random, size, 1 + random.nextInt(classes), wild));
                steps[p] = add(tables, parts.get(p));
            }
            VerdictJoin join =
                    new VerdictJoin(size, new BuildMeter("test", BUDGET), tables, new KnownOrder());
            assertTrue(join.join(parts, steps));
            check(parts, tables.steps(), new int[count], 0);
        }
    }

    /** Whatever order is known, verdicts are right; and that of the rules before spares work. */
    @Test
    void anOrderOfOtherRulesServes() {
        Random random = TestSeed.random(19);
        KnownOrder known = new KnownOrder();
        long first = 0;
        for (int round = 0; round < 6; round++) {
            int size = 300 - round;
            BuildMeter meter = new BuildMeter("test", BUDGET);
            StepTables tables = new StepTables(RfcTarget.PLAIN, meter);
            List<RfcPart> parts = new ArrayList<>();
            for (int p = 0; p < 4; p++) {
                parts.add(part(random, size, 30, 0.1));
                add(tables, parts.get(p));
            }
            assertTrue(
                    new VerdictJoin(size, meter, tables, known)
                            .join(parts, new int[] {0, 1, 2, 3}));
            check(parts, tables.steps(), new int[4], 0);
            first = round == 0 ? meter.words() : first;
            assertTrue(round == 0 || meter.words() < 0.9 * first, meter.words() + " of " + first);
        }
    }

    @Test
    void anOrderIsForgottenInTime() {
        List<Integer> parts = List.of(5, 6, 7);
        KnownOrder known = new KnownOrder();
        assertNull(known.of("parts", 320, parts));
        known.keep("parts", 320, parts, List.of(7, 5, 6));
        assertNull(known.of("other parts", 320, parts));
        assertNull(known.of("parts", 341, parts));
        assertNull(known.of("parts", 299, parts));
        for (int use = 0; use < KnownOrder.MOST_SERVED; use++) {
            assertEquals(List.of(7, 5, 6), known.of("parts", 300 + use, parts));
        }
        assertNull(known.of("parts", 320, parts));
        known.keep("parts", 320, parts, List.of(5, 6, 7));
        assertEquals(List.of(5, 6, 7), known.of("parts", 320, parts));
    }

    @ParameterizedTest
    @ValueSource(longs = {1 << 12, 1 << 16, 1 << 20})
    void whatPassesTheBudgetIsRefused(long budget) {
        Random random = TestSeed.random(18);
        BuildMeter meter = new BuildMeter("test", budget);
        List<RfcPart> parts = new ArrayList<>();
        for (int p = 0; p < 4; p++) {
            parts.add(part(random, 2_000, 120, 0.02));
        }
        VerdictJoin join =
                new VerdictJoin(
                        2_000, meter, new StepTables(RfcTarget.PLAIN, meter), new KnownOrder());
        assertThrows(MemoryBudgetException.class, () -> join.join(parts, new int[] {0, 1, 2, 3}));
        assertTrue(meter.peakBytes() <= budget, () -> meter.peakBytes() + " bytes held");
    }

    /** Rules that contain one another in thousands make lists as long as that. */
    @Test
    void nothingIsAddedOrHeldWhereListsAreTheWrongWay() {
        int size = 4_000;
        BuildMeter meter = new BuildMeter("test", BUDGET);
        StepTables tables = new StepTables(RfcTarget.PLAIN, meter);
        List<RfcPart> parts = List.of(nested(size, 2), nested(size, 2_000), nested(size, 2_000));
        assertFalse(
                new VerdictJoin(size, meter, tables, new KnownOrder())
                        .join(parts, new int[] {0, 1, 2}));
        assertEquals(List.of(), tables.steps());
        assertEquals(BUDGET, meter.room());
        assertTrue(meter.words() < 1 << 28, () -> meter.words() + " words");
    }

    /** Adds a table that gives a part's classes; returns its step. */
    private static int add(StepTables tables, RfcPart part) {
        int[] table = new int[part.classes()];
        Arrays.setAll(table, i -> i);
        return tables.add("part", null, new int[0], new int[0], table, table.length);
    }

    /** Each rule allows the classes of the one before, or one more. */
    private static RfcPart nested(int size, int classes) {
        long[][] rules = new long[classes][(size + 63) / 64];
        for (int r = 0; r < size; r++) {
            for (int c = 0; c <= (long) r * classes / size; c++) {
                rules[c][r >> 6] |= 1L << r;
            }
        }
        return new RfcPart(new int[0], rules);
    }

    /** Classes in a random order, of which a rule allows a run, or all with some probability. */
    private static RfcPart part(Random random, int size, int classes, double wild) {
        long[][] rules = new long[classes][(size + 63) / 64];
        for (int r = 0; r < size; r++) {
            boolean all = random.nextDouble() < wild;
            int from = all ? 0 : random.nextInt(classes);
            int to = all ? classes : Math.min(classes, from + 1 + random.nextInt(3));
            for (int c = from; c < to; c++) {
                rules[c][r >> 6] |= 1L << r;
            }
        }
        return new RfcPart(new int[0], rules);
    }

    private static void check(
            List<RfcPart> parts, List<StepTables.Step> steps, int[] classes, int from) {
        if (from < classes.length) {
            for (int c = 0; c < parts.get(from).classes(); c++) {
                classes[from] = c;
                check(parts, steps, classes, from + 1);
            }
            return;
        }
        int[] entries = new int[steps.size()];
        for (int s = 0; s < steps.size(); s++) {
            StepTables.Step step = steps.get(s);
            int index = s < classes.length ? classes[s] : 0;
            for (int i = 0; i < step.inputs().length; i++) {
                index += entries[step.inputs()[i]] * step.strides()[i];
            }
            entries[s] = step.entries()[index];
        }
        assertEquals(first(parts, classes) + 1, entries[entries.length - 1]);
    }

    private static int first(List<RfcPart> parts, int[] classes) {
        for (int w = 0; w < parts.get(0).rules()[0].length; w++) {
            long all = -1L;
            for (int p = 0; p < classes.length; p++) {
                all &= parts.get(p).rules()[classes[p]][w];
            }
            if (all != 0) {
                return 64 * w + Long.numberOfTrailingZeros(all);
            }
        }
        return -1;
    }
}
