package dev.sluice.job.graph;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.policy.io.SluiceException;
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

    private static Optional<Path> newest(Path folder) {
        try (CheckpointFolder opened = CheckpointFolder.open(folder, false)) {
            return opened.newest();
        }
    }

    private static void begin(Path folder, boolean bounded) {
        try (CheckpointFolder opened = CheckpointFolder.open(folder, bounded)) {
            opened.begin();
        }
    }

    private static void claim(Path folder, JobIdentity job) {
        try (CheckpointFolder opened = CheckpointFolder.open(folder, false)) {
            opened.claim(job);
        }
    }

    @Test
    void aFolderIsOneJobsAtATime() {
        try (CheckpointFolder held = CheckpointFolder.open(temporary, false)) {
            assertEquals(Optional.empty(), held.newest());
            assertTrue(refused(temporary, false).contains("is in use by another job that runs"));
        }
        assertEquals(Optional.empty(), newest(temporary));
    }

    @Test
    void checkpointsOfAnotherJobAreRefusedWithWhatDiffers() throws IOException {
        JobIdentity job = new JobIdentity("kafka-1", "packets", "rules", "sluice");
        JobIdentity other = new JobIdentity("kafka-1", "packets", "rules-of-b", "sluice");
        claim(temporary, other); // no checkpoint is here: it left nothing
        claim(temporary, job);
        checkpoint(temporary, "a", 1);
        claim(temporary, job);
        SluiceException refused =
                assertThrows(SluiceException.class, () -> claim(temporary, other));
        assertEquals(
                "the checkpoints in %s are of another job: its rules topic is rules, that of this job rules-of-b; name another folder with --checkpoints"
                        .formatted(temporary),
                refused.getMessage());
        Files.delete(temporary.resolve("job.json")); // as folders of before
        claim(temporary, other);
        assertThrows(SluiceException.class, () -> claim(temporary, job));
    }

    @Test
    void aJobGoesOnFromTheCheckpointThatWasWrittenLast() throws IOException {
        Path folder = temporary.resolve("made/for-it");
        assertEquals(Optional.empty(), newest(folder));
        checkpoint(folder, "b", 2);
        Path last = checkpoint(folder, "a", 3);
        checkpoint(folder, "b", 1);
        assertEquals(Optional.of(last), newest(folder));
    }

    @Test
    void aJobWithAnEndAndOneWithoutDoNotGoOnFromEachOther() throws IOException {
        Path folder = temporary.resolve("kept");
        begin(folder, false);
        checkpoint(folder, "a", 1);
        assertTrue(
                refused(folder, true).contains("of a job without --bounded; leave out --bounded"));
        begin(folder, false);

        Path ending = temporary.resolve("ending");
        begin(ending, true);
        Path first = checkpoint(ending, "a", 1);
        assertTrue(refused(ending, false).contains("of a job with --bounded"));
        begin(ending, true);
        Files.delete(first.resolve("_metadata"));
        begin(ending, false); // it ended: its checkpoints are gone
        checkpoint(ending, "b", 2);
        assertTrue(refused(ending, true).contains("of a job without --bounded"));
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
