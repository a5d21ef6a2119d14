package dev.sluice.job.replay;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.sluice.policy.io.DiskSpace;
import dev.sluice.policy.io.SluiceException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is said of disks: of the file that is written, and of the folder of temporary files. */
class OutputFileTest {
    @TempDir Path folder;

    @Test
    void aFileOnAFullDiskIsNamedAndNoOtherDiskIs() {
        Path full = Path.of("/dev/full");
        assumeTrue(Files.exists(full));
        SluiceException e = assertThrows(SluiceException.class, () -> write(full));
        assertEquals(
                "file /dev/full cannot be written: no space is left in /dev; free some, or name a file on a larger disk",
                e.getMessage());
    }

    private static void write(Path file) {
        try (OutputFile out = new OutputFile(file)) {
            out.write(new LineBytes(1).append("capture\n"));
            out.complete();
        }
    }

    @Test
    void whatWasWrittenIsThere() throws Exception {
        Path file = folder.resolve("verdicts");
        write(file);
        assertEquals("capture\n", Files.readString(file));
    }

    /** A file system that does not tell its size, as procfs, is taken to have room. */
    @Test
    void whereFreeSpaceCannotBeAskedWorkGoesOn() {
        DiskSpace.require(Path.of("/proc/self"), "files", "none");
        DiskSpace.require(folder.resolve("none"), "files", "none");
        try (TemporaryDirectory directory = new TemporaryDirectory(folder)) {
            directory.requireSpace();
            assertTrue(Files.isDirectory(directory.path()));
        }
    }
}
