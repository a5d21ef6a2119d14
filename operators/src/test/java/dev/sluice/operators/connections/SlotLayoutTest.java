package dev.sluice.operators.connections;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Sections of slots, and slots of one layout as those of another. */
class SlotLayoutTest {
    private static final int SLOTS = 3;

    private static List<SlotLayout> layouts(int version) {
        List<SlotLayout> all = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            all.add(new SlotLayout(version, (i & 1) != 0, (i & 2) != 0, (i & 4) != 0));
        }
        return all;
    }

    private static int[] section(int[] words, SlotLayout of, int slot, int at, int length) {
        int from = slot * of.stride() + at;
        return Arrays.copyOfRange(words, from, from + length);
    }

    @ParameterizedTest
    @ValueSource(ints = {4, 6})
    void sectionsFollowOneAnother(int version) {
        for (SlotLayout layout : layouts(version)) {
            int at = layout.keyWords() + 5;
            assertEquals(at, layout.rowAt());
            at += layout.rows() ? ConnectionRow.WORDS : 0;
            assertEquals(at, layout.windowsAt());
            at += layout.windowed() ? WindowWords.WORDS : 0;
            assertEquals(at, layout.versionAt());
            assertEquals(at + (layout.versioned() ? 2 : 0), layout.stride());
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {4, 6})
    void eachLayoutIsConvertedIntoEachOther(int version) {
        for (SlotLayout from : layouts(version)) {
            int[] words = IntStream.rangeClosed(1, SLOTS * from.stride()).toArray();
            for (SlotLayout to : layouts(version)) {
                int[] converted = from.convert(words, to);
                assertEquals(SLOTS * to.stride(), converted.length);
                for (int slot = 0; slot < SLOTS; slot++) {
                    compare(words, from, converted, to, slot);
                }
            }
        }
    }

    private static void compare(
            int[] words, SlotLayout from, int[] converted, SlotLayout to, int slot) {
        assertArrayEquals(
                section(words, from, slot, 0, from.rowAt()),
                section(converted, to, slot, 0, to.rowAt()));
        if (to.rows()) {
            int[] none = new int[ConnectionRow.WORDS];
            assertArrayEquals(
                    from.rows() ? section(words, from, slot, from.rowAt(), none.length) : none,
                    section(converted, to, slot, to.rowAt(), none.length));
        }
        if (to.windowed() && from.windowed()) {
            int length = WindowWords.WORDS;
            assertArrayEquals(
                    section(words, from, slot, from.windowsAt(), length),
                    section(converted, to, slot, to.windowsAt(), length));
        } else if (to.windowed()) {
            int at = slot * to.stride() + to.windowsAt();
            assertTrue(WindowWords.isUnknown(converted, at), "windows are unknown");
        }
        if (to.versioned()) {
            int of = slot * from.stride() + from.versionAt();
            long before = from.versioned() ? ConnectionRow.time(words, of) : SlotLayout.NO_VERSION;
            int at = slot * to.stride() + to.versionAt();
            assertEquals(before, ConnectionRow.time(converted, at));
        }
    }
}
