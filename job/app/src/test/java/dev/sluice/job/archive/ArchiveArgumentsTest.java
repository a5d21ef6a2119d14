package dev.sluice.job.archive;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.sluice.job.Sluice;
import dev.sluice.schemas.testing.TestData;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Refusals of {@code archive} before it starts anything. */
class ArchiveArgumentsTest {
    @TempDir Path folder;

    private void refused(int status, String words, Object... more) {
        List<Object> all = new ArrayList<>(List.of("archive"));
        all.addAll(Arrays.asList(more));
        Sluice run = Sluice.run(all.toArray());
        assertEquals(status, run.status(), run.err());
        assertTrue(run.err().contains(words), run.err());
    }

    private Object[] archive(Object... more) {
        List<Object> all =
                new ArrayList<>(
                        List.of(
                                TestData.office("office.pcapng.gz"),
                                "--rules",
                                TestData.office("office.ovs"),
                                "--verdicts",
                                folder.resolve("verdicts")));
        all.addAll(Arrays.asList(more));
        return all.toArray();
    }

    @Test
    void optionsOfTheJobOnKafkaMeanNothingHere() {
        for (String option :
                List.of(
                        "--bootstrap=x:1",
                        "--group=g",
                        "--bounded",
                        "--batch-size=9",
                        "--stats=totals")) {
            String name = option.split("=")[0];
            refused(2, name, archive(option));
        }
        refused(2, "Unknown option: '--bootstrap=x:1'", archive("--bootstrap=x:1"));
        refused(2, "Unknown option: '--checkpoints'", archive("--checkpoints", folder));
    }

    @Test
    void aJobRunsInOnePlace() {
        refused(
                2,
                "--flink=HOST:PORT and [[--cluster[=DIR]] [--savepoint=DIR]] exclude each other",
                archive("--flink", "localhost:1", "--cluster", folder));
        refused(2, "(--flink=HOST:PORT |", archive("--watch"));
        refused(2, "(--flink=HOST:PORT |", archive("--job-name", "x"));
    }

    @Test
    void whatIsMissingIsNamed() {
        Path office = TestData.office("office.pcapng.gz");
        refused(2, "'--verdicts=DIR'", office, "--rules", "x");
        refused(2, "'--rules=FILE'", office, "--verdicts", folder);
    }

    @Test
    void aFormThatIsUnknownIsRefusedWithThoseThatAreKnown() {
        refused(
                2,
                "--format xml is unknown; use one of tsv, avro, parquet",
                archive("--format", "xml"));
    }

    @Test
    void aFolderThatHoldsFilesIsLeftAlone() throws IOException {
        Path verdicts = Files.createDirectories(folder.resolve("verdicts"));
        Files.writeString(verdicts.resolve("mine.txt"), "mine");
        refused(1, "holds files; name a new folder", archive());
        assertEquals("mine", Files.readString(verdicts.resolve("mine.txt")));
    }

    /** A folder with a file of verdicts and one of dead letters that a killed job had begun. */
    private Path left() throws IOException {
        Path verdicts = folder.resolve("verdicts");
        Path dead = Files.createDirectories(verdicts.resolve("dead-letters"));
        Files.writeString(verdicts.resolve(".verdicts-a-0.tsv.inprogress.b"), "capture");
        Files.writeString(dead.resolve(".dead-letters-a-0.tsv.inprogress.b"), "capture");
        return verdicts;
    }

    @Test
    void filesThatAKilledJobHadBegunAreDeletedAndTheSameCommandJudges() throws IOException {
        Path verdicts = left();
        List<Object> words = new ArrayList<>(List.of("archive", "--gpu", "off"));
        words.addAll(Arrays.asList(archive()));
        Sluice run = Sluice.run(words.toArray());
        assertEquals(0, run.status(), run.err());
        assertTrue(
                run.err()
                        .contains(
                                "sluice: 2 files that a killed job had begun in %s: deleted"
                                        .formatted(verdicts)),
                run.err());
        assertEquals(List.of(), VerdictFiles.unfinished(verdicts));
        assertEquals(List.of(), VerdictFiles.unfinished(verdicts.resolve("dead-letters")));
        assertFalse(VerdictFiles.parts(verdicts).isEmpty());
    }

    @Test
    void filesThatWereBegunStayBesideOthers() throws IOException {
        Path verdicts = left();
        Files.writeString(verdicts.resolve("dead-letters/mine.txt"), "mine");
        refused(1, "holds files; name a new folder", archive());
        assertEquals(1, VerdictFiles.unfinished(verdicts).size());
    }

    @Test
    @SuppressWarnings("try") // the folder is held, and not asked for anything
    void filesOfACommandThatRunsStay() throws IOException {
        Path verdicts = left();
        try (ArchiveFiles.Held other =
                ArchiveFiles.hold("--verdicts x", ArchiveFiles.folder(verdicts.toString()))) {
            refused(1, verdicts + " is written by another command; wait for its end", archive());
            assertEquals(2, VerdictFiles.unfinished(verdicts).size(), "and the lock");
        }
        assertEquals(0, VerdictFiles.unfinished(verdicts).size(), "its own go with its end");
    }

    @Test
    void filesThatAnotherJobOfAClusterMayWriteStay() throws IOException {
        Path verdicts = left();
        refused(
                1,
                "holds files that a job has begun, and a job on that cluster may still write them; name a new folder, or delete them",
                archive("--flink", "localhost:1"));
        assertEquals(1, VerdictFiles.unfinished(verdicts).size());
    }

    @Test
    void aFileOrAPlaceThatTakesNoFolderIsNamed() throws IOException {
        Path file = Files.createFile(folder.resolve("verdicts"));
        refused(
                2,
                "--verdicts " + file + " is a file; name a folder, which need not be there",
                archive());
        Path below = file.resolve("below");
        refused(
                1,
                "folder " + below + " cannot be made: " + file + " is a file; name another folder",
                verdictsIn(below));
        assumeTrue(Files.isDirectory(Path.of("/proc/self")));
        refused(1, "folder /proc/x cannot be made: /proc ", verdictsIn(Path.of("/proc/x")));
    }

    private Object[] verdictsIn(Path there) {
        Object[] words = archive();
        words[words.length - 1] = there;
        return words;
    }

    @Test
    void aFolderIsTheSameBeforeAndAfterItIsMade() throws IOException {
        Path verdicts = folder.resolve("a folder");
        String before = ArchiveFiles.folder(verdicts.toString());
        assertEquals("file:" + verdicts, before);
        Files.createDirectories(verdicts);
        assertEquals(before, ArchiveFiles.folder(verdicts.toString()));
        assertEquals(before, ArchiveFiles.folder(verdicts + "/"));
        assertEquals("s3://bucket/x", ArchiveFiles.folder("s3://bucket/x/"));
    }

    @Test
    void aPatternWithoutFilesStartsNothing() {
        refused(
                1,
                "matches no file; check the pattern",
                folder + "/*.pcap",
                "--rules",
                TestData.office("office.ovs"),
                "--verdicts",
                folder.resolve("verdicts"));
    }
}
