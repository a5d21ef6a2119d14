package dev.sluice.job.graph;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.job.SluiceException;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.List;
import java.util.Optional;
import org.apache.flink.runtime.checkpoint.Checkpoints;
import org.apache.flink.runtime.checkpoint.metadata.CheckpointMetadata;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a job finds in the folder of its checkpoints. */
class CheckpointFolderTest {
    @TempDir Path temporary;

    /** A checkpoint as Flink writes it, of a job without operators. */
    private static Path checkpoint(Path folder, String job, int number) throws IOException {
        Path checkpoint =
                Files.createDirectories(folder.resolve("checkpoints/" + job + "/chk-" + number));
        Path metadata = checkpoint.resolve("_metadata");
        try (DataOutputStream out = new DataOutputStream(Files.newOutputStream(metadata))) {
            Checkpoints.storeCheckpointMetadata(
                    new CheckpointMetadata(number, List.of(), List.of()), out);
        }
        Files.setLastModifiedTime(metadata, FileTime.fromMillis(1_000_000L * number));
        return checkpoint;
    }

    private static String refused(Path folder, boolean bounded) {
        return assertThrows(SluiceException.class, () -> CheckpointFolder.open(folder, bounded))
                .getMessage();
    }

    @Test
    void aJobGoesOnFromTheCheckpointThatWasWrittenLast() throws IOException {
        Path folder = temporary.resolve("made/for-it");
        assertEquals(Optional.empty(), CheckpointFolder.open(folder, false).newest());
        checkpoint(folder, "b", 2);
        Path last = checkpoint(folder, "a", 3);
        checkpoint(folder, "b", 1);
        assertEquals(Optional.of(last), CheckpointFolder.open(folder, false).newest());
    }

    @Test
    void aJobWithAnEndAndOneWithoutDoNotGoOnFromEachOther() throws IOException {
        Path folder = temporary.resolve("kept");
        CheckpointFolder.open(folder, false).begin();
        checkpoint(folder, "a", 1);
        assertTrue(refused(folder, true).contains("of a job without an end: leave out --bounded"));
        CheckpointFolder.open(folder, false).begin();

        Path ending = temporary.resolve("ending");
        CheckpointFolder.open(ending, true).begin();
        Path first = checkpoint(ending, "a", 1);
        assertTrue(refused(ending, false).contains("of a job with --bounded"));
        CheckpointFolder.open(ending, true).begin();
        Files.delete(first.resolve("_metadata"));
        CheckpointFolder.open(ending, false).begin(); // it ended: its checkpoints are gone
        checkpoint(ending, "b", 2);
        assertTrue(refused(ending, true).contains("of a job without an end"));
    }

    @Test
    void aBrokenCheckpointIsNamedWithItsRemedy() throws IOException {
        Path only = checkpoint(temporary, "a", 3);
        Files.writeString(only.resolve("_metadata"), "no checkpoint");
        String alone = refused(temporary, false);
        assertTrue(alone.startsWith("checkpoint " + only + " cannot be read: "), alone);
        assertTrue(
                alone.endsWith("; delete it to start without a state: no other is there"), alone);
        Path before = checkpoint(temporary, "a", 2);
        Files.setLastModifiedTime(before.resolve("_metadata"), FileTime.fromMillis(1));
        String second = refused(temporary, false);
        assertTrue(second.endsWith("; delete it to go on from the one before"), second);
    }

    @Test
    void aFolderThatCannotBeIsNamedWithItsOption() throws IOException {
        Path file = Files.createFile(temporary.resolve("file"));
        for (Path folder : List.of(file, file.resolve("inside"))) {
            String refused = refused(folder, false);
            assertTrue(
                    refused.startsWith("--checkpoints " + folder + " cannot be used: "), refused);
        }
    }
}
