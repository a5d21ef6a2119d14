package dev.sluice.engine.rfc;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.engine.image.WordWriter;
import dev.sluice.schemas.testing.TestSeed;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Every form of a compressed table gives back the entries, with few runs and with many. */
class BitmapTableTest {
    private static final int BLOCK = 500;

    @ParameterizedTest
    @ValueSource(doubles = {0, 0.02, 0.2, 0.7, 1})
    void everyFormGivesItsEntriesBack(double changes) {
        Random random = TestSeed.random(11);
        for (boolean wide : new boolean[] {false, true}) {
            for (int size : new int[] {1, 31, 64, 129, 5_000}) {
                int[] entries = new int[size];
                for (int i = 0; i < size; i++) {
                    boolean changed = i == 0 || random.nextDouble() < changes;
                    entries[i] =
                            changed ? random.nextInt(wide ? 1 << 30 : 1 << 16) : entries[i - 1];
                }
                BitmapTable table = new BitmapTable(entries);
                check(table, entries, BitmapTable.paperForm(wide), wide, 1);
                for (BitmapTable.Form form : BitmapTable.tunedForms(wide)) {
                    check(table, entries, form, wide, Math.min(8, form.words()));
                }
            }
        }
    }

    private static void check(
            BitmapTable table, int[] entries, BitmapTable.Form form, boolean wide, int align) {
        WordWriter out = new WordWriter("test", 1 << 24);
        int[] offsets = table.write(out, form, wide, align);
        assertTrue(offsets[0] % align == 0, "a piece is not aligned");
        int[] words = out.toArray();
        BitmapTable.Place place = BitmapTable.Place.of(words, offsets[0], offsets[1], form, wide);
        int[] read = new int[entries.length];
        Arrays.setAll(read, i -> i);
        int[] block = new int[BLOCK];
        for (int from = 0; from < read.length; from += BLOCK) {
            int n = Math.min(BLOCK, read.length - from);
            System.arraycopy(read, from, block, 0, n);
            BitmapTable.read(words, place, n, block, new int[BLOCK + 1], new int[BLOCK + 1]);
            System.arraycopy(block, 0, read, from, n);
        }
        assertArrayEquals(entries, read, form + (wide ? " wide" : ""));
    }
}
