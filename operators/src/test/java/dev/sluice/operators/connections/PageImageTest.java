package dev.sluice.operators.connections;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.sluice.operators.connections.PageImage.Content;
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

    @Test
    void pagesWithoutRowsAreThoseOfEarlierSavepoints() throws IOException {
        String old = "0600000007" + "03" + "a000000000000000" + "00000002" + "0000000100000002";
        PageImage page = read(old);
        assertEquals(Content.PLAIN, page.content());
        assertEquals(List.of(6, 7, 3), List.of(page.version(), page.id(), page.depth()));
        assertArrayEquals(new int[] {1, 2}, page.words());
        assertEquals(6L << 32 | 7, page.key());
        assertEquals(old, bytes(page));
    }

    @Test
    void eachKindIsReadAsItWasWritten() throws IOException {
        for (Content content : Content.values()) {
            PageImage page = new PageImage(content, 4, 1, 0, 0, new int[] {5});
            assertEquals(content, read(bytes(page)).content());
            assertEquals(4, read(bytes(page)).version());
        }
        Set<Long> keys =
                Set.of(
                        new PageImage(Content.ROWS, 4, 1, 0, 0, new int[0]).key(),
                        new PageImage(Content.REFUSED, 4, 1, 0, 0, new int[0]).key(),
                        new PageImage(Content.REFUSED, 6, 1, 0, 0, new int[0]).key());
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
