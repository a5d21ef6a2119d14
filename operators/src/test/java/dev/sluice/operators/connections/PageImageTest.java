package dev.sluice.operators.connections;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Bytes of pages, which savepoints hold. */
class PageImageTest {
    private static String bytes(PageImage page) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        page.writeTo(new DataOutputStream(bytes));
        return HexFormat.of().formatHex(bytes.toByteArray());
    }

    private static PageImage read(String hex) throws IOException {
        byte[] bytes = HexFormat.of().parseHex(hex);
        return PageImage.readFrom(new DataInputStream(new ByteArrayInputStream(bytes)));
    }

    private static PageImage page(SlotLayout layout, boolean refused) {
        return new PageImage(layout, refused, 1, 0, 0, new int[] {5});
    }

    @Test
    void pagesWithoutRowsAreThoseOfEarlierSavepoints() throws IOException {
        String old = "0600000007" + "03" + "a000000000000000" + "00000002" + "0000000100000002";
        PageImage page = read(old);
        assertEquals(new SlotLayout(6, false, false, false), page.layout());
        assertEquals(List.of(7, 3), List.of(page.id(), page.depth()));
        assertArrayEquals(new int[] {1, 2}, page.words());
        assertEquals(6L << 32 | 7, page.key());
        assertEquals(old, bytes(page));
    }

    @Test
    void eachKindIsReadAsItWasWritten() throws IOException {
        for (int kind = 0; kind < 12; kind++) {
            SlotLayout layout = new SlotLayout(4, kind % 3 > 0, kind / 3 % 2 > 0, kind >= 6);
            PageImage page = page(layout, kind % 3 == 2);
            assertEquals(layout, read(bytes(page)).layout());
            assertEquals(page.refused(), read(bytes(page)).refused());
        }
        Set<Long> keys =
                Set.of(
                        page(new SlotLayout(4, true, false, false), false).key(),
                        page(new SlotLayout(4, true, false, false), true).key(),
                        page(new SlotLayout(6, true, false, false), true).key());
        assertEquals(3, keys.size());
    }

    @Test
    void otherBytesAreNone() {
        for (String first : List.of("05", "34", "00")) {
            assertThrows(
                    IOException.class,
                    () -> read(first + "00000000" + "00".repeat(9) + "00000000"));
        }
    }
}
