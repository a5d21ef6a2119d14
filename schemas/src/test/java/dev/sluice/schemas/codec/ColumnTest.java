package dev.sluice.schemas.codec;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;

import dev.sluice.schemas.testing.TestSeed;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ColumnTest {
    @ParameterizedTest
    @ValueSource(
            longs = {0, 1, 255, 256, 65_535, 65_536, 0xffffffffL, 0x100000000L, Long.MAX_VALUE, -1})
    void valuesComeOutAsTheyWentIn(long span) {
        Random random = TestSeed.random(span);
        long[] longs = new long[333];
        int[] words = new int[333];
        for (int i = 0; i < longs.length; i++) {
            long step = i == 0 ? 0 : i == 1 ? span : random.nextLong() & span;
            longs[i] = 1_700_000_000_000_000_000L + step;
            words[i] = 0x7ffffff0 + (int) step;
        }
        Column ofLongs = Column.ofLongs(Column.TIME_NS, longs, 0, longs.length);
        Column ofWords = Column.ofWords(3, words, 0, words.length);
        int[] copied = new int[400];
        ofWords.copyWords(30, 300, copied, 50);
        for (int i = 0; i < longs.length; i++) {
            assertEquals(longs[i], ofLongs.get(i));
            assertEquals(words[i], (int) ofWords.get(i));
            if (i >= 30 && i < 330) {
                assertEquals(words[i], copied[50 + i - 30]);
            }
        }
        assertEquals(longs.length * ofLongs.width(), ofLongs.data().length);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 4, 8})
    void everyWidthIsReadByBothWays(int width) {
        byte[] data = new byte[width * 9];
        TestSeed.random(width).nextBytes(data);
        Column column = new Column(0, -5, width, data);
        int[] copied = new int[9];
        long[] whole = new long[9];
        column.copyWords(0, 9, copied, 0);
        column.copyLongs(2, 6, whole, 3);
        for (int i = 0; i < 9; i++) {
            assertEquals((int) column.get(i), copied[i]);
            assertEquals(i < 3 ? 0 : column.get(i - 1), whole[i]);
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 200, 60_000, 1L << 30, Long.MAX_VALUE})
    void aSliceHasTheValuesFromItsFirstOn(long span) {
        Random random = TestSeed.random(span);
        long[] values = new long[50];
        values[49] = span;
        for (int i = 1; i < 49; i++) {
            values[i] = random.nextLong() & span;
        }
        Column whole = Column.ofLongs(Column.TIME_NS, values, 0, 50);
        assertSame(whole, whole.slice(0, 50));
        for (int from = 0; from < 50; from += 7) {
            for (int count = 1; from + count <= 50; count += 5) {
                Column slice = whole.slice(from, count);
                assertEquals(Column.TIME_NS, slice.id());
                assertEquals(slice.width() * count, slice.data().length);
                for (int i = 0; i < count; i++) {
                    assertEquals(values[from + i], slice.get(i));
                }
            }
        }
    }
}
