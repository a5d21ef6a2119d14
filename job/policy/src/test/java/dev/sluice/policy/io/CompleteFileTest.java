package dev.sluice.policy.io;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A file has its name when it is complete, and one command writes it. */
class CompleteFileTest {
    @TempDir Path folder;
    private Path file;
    private Path part;

    @BeforeEach
    void name() throws IOException {
        file = Files.writeString(folder.resolve("v.tsv"), "old");
        part = folder.resolve("v.tsv.part");
    }

    private static void write(CompleteFile to, String text) throws IOException {
        to.out().write(text.getBytes(StandardCharsets.UTF_8));
        to.out().flush();
    }

    @Test
    void theOldFileStaysUntilTheNewOneIsComplete() throws IOException {
        Files.writeString(part, "of a command that was killed, and longer");
        try (CompleteFile to = CompleteFile.open(file)) {
            write(to, "new");
            assertEquals("old", Files.readString(file));
            assertEquals("new", Files.readString(part));
            to.complete();
            assertEquals("new", Files.readString(file));
        }
        assertEquals("new", Files.readString(file));
        assertFalse(Files.exists(part));
    }

    @Test
    void whatIsNotCompleteIsRemovedOrKeptBeside() throws IOException {
        try (CompleteFile to = CompleteFile.open(file)) {
            write(to, "cut");
        }
        assertEquals("old", Files.readString(file));
        assertFalse(Files.exists(part));
        try (CompleteFile to = CompleteFile.open(file)) {
            write(to, "cut");
            assertEquals(part, to.keep());
        }
        assertEquals("old", Files.readString(file));
        assertEquals("cut", Files.readString(part));
    }

    @Test
    void aSecondWriterIsRefused() throws IOException {
        try (CompleteFile first = CompleteFile.open(file)) {
            String message =
                    assertThrows(SluiceException.class, () -> CompleteFile.open(file)).getMessage();
            assertEquals(
                    "file %s is written by another command; wait for its end, or name another file"
                            .formatted(file),
                    message);
            write(first, "new");
            first.complete();
        }
        assertEquals("new", Files.readString(file));
        try (CompleteFile next = CompleteFile.open(file)) {
            next.complete();
        }
        assertEquals("", Files.readString(file));
    }

    @Test
    void aGrowingFileHasItsNameAndIsOfOneWriter() throws IOException {
        try (CompleteFile to = CompleteFile.growing(file)) {
            write(to, "line");
            assertEquals("line", Files.readString(file));
            assertThrows(SluiceException.class, () -> CompleteFile.growing(file));
        }
        assertEquals("line", Files.readString(file));
        assertFalse(Files.exists(part));
    }

    @Test
    void aLinkStaysALinkAndADeviceADevice() throws IOException {
        Path link = Files.createSymbolicLink(folder.resolve("link"), Path.of("v.tsv"));
        try (CompleteFile to = CompleteFile.open(link)) {
            write(to, "new");
            to.complete();
        }
        assertTrue(Files.isSymbolicLink(link));
        assertEquals("new", Files.readString(file));
        Path none = Path.of("/dev/null");
        if (Files.exists(none, LinkOption.NOFOLLOW_LINKS)) {
            try (CompleteFile to = CompleteFile.open(none)) {
                write(to, "new");
                to.complete();
            }
            assertFalse(Files.exists(Path.of("/dev/null.part")));
        }
    }
}
