package dev.sluice.policy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.sluice.policy.io.SluiceException;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Words for folders and files that cannot be made or written. */
class TextFilesTest {
    @TempDir Path folder;

    private static String refused(Path wanted) {
        return assertThrows(SluiceException.class, () -> TextFiles.makeFolder(wanted)).getMessage();
    }

    @Test
    void aFolderIsMadeWithThoseAboveIt() {
        TextFiles.makeFolder(folder.resolve("a/b"));
        TextFiles.makeFolder(folder.resolve("a/b"));
        assertTrue(Files.isDirectory(folder.resolve("a/b")));
    }

    @Test
    void whatIsInTheWayOfAFolderIsNamed() throws IOException {
        Path file = Files.createFile(folder.resolve("file"));
        assertEquals(
                "folder %s cannot be made: it is a file; name another folder".formatted(file),
                refused(file));
        assertEquals(
                "folder %s/a/b cannot be made: %s is a file; name another folder"
                        .formatted(file, file),
                refused(file.resolve("a/b")));
        Path link = Files.createSymbolicLink(folder.resolve("link"), folder.resolve("none"));
        assertEquals(
                "folder %s cannot be made: it is a link to nothing; name another folder"
                        .formatted(link),
                refused(link));
    }

    @Test
    void theFolderOfAFullDiskIsNamedWithTheRemedy() {
        Path file = folder.resolve("v.tsv");
        assertEquals(
                "file %s cannot be written: no space is left in %s; free some, or name a file on a larger disk"
                        .formatted(file, folder),
                TextFiles.describeWriting(file, new IOException("No space left on device")));
    }

    /** Permissions hold back everyone but root, so that the failure is made here. */
    @Test
    void theFolderThatMayNotBeWrittenIsNamed() {
        Path below = folder.resolve("a/b");
        assertEquals(
                "folder %s cannot be made: %s may not be written; check its permissions, or name another folder"
                        .formatted(below, folder),
                TextFiles.describeMaking(below, new AccessDeniedException(below.toString())));
        assertEquals(
                "folder %s may not be written; check its permissions, or name another"
                        .formatted(folder),
                TextFiles.describeMaking(folder, new AccessDeniedException(folder.toString())));
        assertEquals(
                "folder %s cannot be made: Read-only file system; name another folder"
                        .formatted(below),
                TextFiles.describeMaking(
                        below, new FileSystemException("x", null, "Read-only file system")));
    }

    @Test
    void aFileSystemThatTakesNothingSaysSo() {
        assumeTrue(Files.isDirectory(Path.of("/proc/self")));
        String made = refused(Path.of("/proc/x"));
        assertTrue(made.startsWith("folder /proc/x cannot be made: /proc "), made);
        Path file = Path.of("/proc/x");
        String written =
                assertThrows(SluiceException.class, () -> TextFiles.write(file, "")).getMessage();
        assertFalse(written.contains("there is no folder"), written);
    }

    @Test
    void whetherAFileCanBeWrittenIsAskedWithoutATrace() throws IOException {
        Path none = folder.resolve("none");
        TextFiles.requireWritable(none);
        assertFalse(Files.exists(none));
        Path some = Files.writeString(folder.resolve("some"), "text");
        TextFiles.requireWritable(some);
        assertEquals("text", Files.readString(some));
        assertThrows(
                SluiceException.class, () -> TextFiles.requireWritable(folder.resolve("no/x")));
    }
}
