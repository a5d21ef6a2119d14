package dev.sluice.engine.rfc;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.sluice.engine.image.BuildMeter;
import dev.sluice.schemas.testing.TestSeed;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Classes of a product keep every rule that can be the first, however many groups a row has. */
class CoveredProductTest {
    private static final int SIZE = 128;
    private static final int WORDS = SIZE / 64;

    @ParameterizedTest
    @ValueSource(ints = {30, 700, 2100})
    void everyClassKnowsTheRulesThatCanBeFirst(int classes) {
        Random random = TestSeed.random(19);
        BuildMeter meter = new BuildMeter("test", 64L << 20);
        RuleColumns rows = columns(new long[][] {{-1L, 0}, {-1L, -1L}, {0, -1L}}, meter);
        long[][] ranges = new long[classes][WORDS];
        long[][] each = new long[SIZE / 2][WORDS];
        for (int r = 0; r < SIZE; r++) {
            int a = random.nextInt(classes);
            int b = random.nextInt(classes);
            for (int c = Math.min(a, b); c <= Math.max(a, b); c++) {
                ranges[c][r >> 6] |= 1L << r;
            }
            each[random.nextInt(each.length)][r >> 6] |= 1L << r;
        }
        RuleColumns columns = columns(ranges, meter);
        CoveredProduct.Joined joined =
                new CoveredProduct(meter, SIZE)
                        .of(rows, columns, List.of(columns(each, meter)), Long.MAX_VALUE);
        for (int row = 0; row < rows.count(); row++) {
            for (int c = 0; c < classes; c++) {
                int[] known = joined.classes().list(joined.table()[row * classes + c]);
                for (long[] later : each) {
                    assertEquals(first(rows, row, ranges[c], later), first(known, later));
                }
            }
        }
    }

    private static RuleColumns columns(long[][] rules, BuildMeter meter) {
        return RuleColumns.of(new RfcPart(new int[0], rules), SIZE, meter);
    }

    /** The first rule that a row, a column and a class of the later part allow; -1: none. */
    private static int first(RuleColumns rows, int row, long[] column, long[] later) {
        int[] rules = new int[SIZE];
        int length = rows.read(row, rules);
        for (int i = 0; i < length; i++) {
            if (allows(column, rules[i]) && allows(later, rules[i])) {
                return rules[i];
            }
        }
        return -1;
    }

    private static int first(int[] known, long[] later) {
        for (int rule : known) {
            if (allows(later, rule)) {
                return rule;
            }
        }
        return -1;
    }

    private static boolean allows(long[] part, int rule) {
        return (part[rule >> 6] >>> rule & 1) != 0;
    }
}
