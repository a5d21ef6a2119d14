package dev.sluice.job.archive;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.sluice.policy.io.SluiceException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CaptureGlobTest {
    @TempDir Path folder;

    @BeforeEach
    void files() throws IOException {
        for (String name :
                List.of("b.pcap", "a.pcap", "a.txt", ".x.pcap", "d 1/c.pcap", "d 1/e/f.pcap")) {
            Path file = folder.resolve(name);
            Files.createDirectories(file.getParent());
            Files.write(file, MadeCaptures.pcap(0));
        }
    }

    private List<String> found(String... patterns) {
        List<String> whole =
                List.of(patterns).stream().map(pattern -> folder + "/" + pattern).toList();
        return CaptureGlob.expand(whole).stream()
                .map(file -> file.name().substring(folder.toString().length() + 1))
                .toList();
    }

    @Test
    void aPatternFindsFilesByNameAndNoHiddenOnes() {
        assertEquals(List.of("a.pcap", "b.pcap"), found("*.pcap"));
        assertEquals(List.of("a.pcap", "a.txt"), found("a.{pcap,txt}"));
        assertEquals(List.of("d 1/c.pcap"), found("d*/[a-z].pcap"));
        assertEquals(List.of(".x.pcap"), found(".*.pcap"));
    }

    @Test
    void twoStarsAreAnyFoldersAndNone() {
        assertEquals(List.of("a.pcap", "b.pcap", "d 1/c.pcap", "d 1/e/f.pcap"), found("**/*.pcap"));
        assertEquals(List.of("d 1/c.pcap", "d 1/e/f.pcap"), found("d 1/**/*.pcap"));
    }

    @Test
    void aFileThatTwoPatternsNameIsReadOnce() {
        assertEquals(List.of("b.pcap", "a.pcap"), found("b.pcap", "*.pcap"));
    }

    @Test
    void aRelativePatternKeepsItsWords() {
        Path here = Path.of("").toAbsolutePath();
        String up = "../".repeat(here.getNameCount());
        List<CaptureFile> files =
                CaptureGlob.expand(List.of(up + folder.toString().substring(1) + "/a.pcap"));
        assertEquals(up + folder.toString().substring(1) + "/a.pcap", files.get(0).name());
        CaptureGlob.requireCaptures(files);
    }

    @Test
    void whatNoFileFitsIsSaidByItsKind() {
        assertTrue(failure("*.pcapng").endsWith("*.pcapng matches no file; check the pattern"));
        assertTrue(failure("none.pcap").endsWith("none.pcap does not exist; check the path"));
        assertTrue(failure("none/*.pcap").endsWith("matches no file; check the pattern"));
        assertTrue(failure("[").contains("is no pattern"));
        SluiceException unknown =
                assertThrows(
                        SluiceException.class,
                        () -> CaptureGlob.expand(List.of("nosuch://bucket/*.pcap")));
        assertTrue(
                unknown.getMessage()
                        .startsWith(
                                "capture nosuch://bucket/*.pcap: Flink's file system for it is not installed; put Flink's plugin of it into a folder"),
                unknown.getMessage());
        SluiceException s3 =
                assertThrows(
                        SluiceException.class,
                        () -> CaptureGlob.expand(List.of("s3://bucket/*.pcap")));
        assertTrue(
                s3.getMessage().contains("put the jar of flink-s3-fs-hadoop of Flink 2."),
                s3.getMessage());
        assertTrue(s3.getMessage().contains("FLINK_PLUGINS_DIR"), s3.getMessage());
        SluiceException hdfs =
                assertThrows(
                        SluiceException.class,
                        () -> CaptureGlob.expand(List.of("hdfs://host/*.pcap")));
        assertTrue(hdfs.getMessage().contains("set HADOOP_CLASSPATH"), hdfs.getMessage());
    }

    private String failure(String pattern) {
        return String.valueOf(
                assertThrows(SluiceException.class, () -> found(pattern)).getMessage());
    }

    @Test
    void namesMayHaveColonsBlanksAndSignsThatUrisEscape() throws IOException {
        assertFound(List.of("x #%41?.pcap", "x 10:15:00.pcap"));
    }

    @Test
    void namesMayHaveLettersOfAnyLanguage() throws IOException {
        String names = System.getProperty("sun.jnu.encoding");
        assumeTrue("UTF-8".equals(names), "files here have names in " + names + " alone");
        assertFound(List.of("x Zürich.pcap", "x 東京.pcap"));
    }

    private void assertFound(List<String> names) throws IOException {
        for (String name : names) {
            Files.write(folder.resolve(name), MadeCaptures.pcap(1));
        }
        List<CaptureFile> files = CaptureGlob.expand(List.of(folder + "/x*"));
        assertEquals(
                names.stream().map(name -> folder + "/" + name).toList(),
                files.stream().map(CaptureFile::name).toList());
        CaptureGlob.requireCaptures(files);
        for (CaptureFile file : files) {
            assertEquals(Files.size(Path.of(file.name())), file.bytes());
            assertEquals(List.of(file), CaptureGlob.expand(List.of(escaped(file.name()))));
        }
    }

    /** A name as a pattern that no other name fits. */
    private static String escaped(String name) {
        return name.replace("?", "[?]");
    }

    @Test
    void foldersAreNoCapturesEvenIfTheirNamesFit() throws IOException {
        Files.createDirectories(folder.resolve("c.pcap/in"));
        assertEquals(List.of("a.pcap", "b.pcap"), found("*.pcap"));
        assertEquals(
                "capture %s/d 1/ is a folder; write '%s/d 1/*' for the files in it, or '%s/d 1/**' for those in its folders, too"
                        .formatted(folder, folder, folder),
                failure("d 1/"));
    }

    @Test
    void twoStarsFollowNoLinksToFolders() throws IOException {
        Files.createSymbolicLink(folder.resolve("d 1/up"), folder);
        assertEquals(List.of("d 1/c.pcap", "d 1/e/f.pcap"), found("d 1/**/*.pcap"));
        assertEquals(List.of("d 1/up/a.pcap", "d 1/up/b.pcap"), found("d 1/u*/*.pcap"));
    }

    @Test
    void aLinkToNothingIsNamedAndHidesNoOtherFile() throws IOException {
        Files.createSymbolicLink(folder.resolve("z.pcap"), folder.resolve("none"));
        assertEquals(List.of("a.pcap", "b.pcap", "z.pcap"), found("*.pcap"));
        List<CaptureFile> files = CaptureGlob.expand(List.of(folder + "/*.pcap"));
        SluiceException bad =
                assertThrows(SluiceException.class, () -> CaptureGlob.requireCaptures(files));
        assertTrue(
                bad.getMessage().startsWith("1 of 3 files cannot be judged: " + folder + "/z.pcap"),
                bad.getMessage());
    }

    @Test
    void capturesOfTheSameNameInTwoFoldersAreTwo() throws IOException {
        Files.write(folder.resolve("d 1/a.pcap"), MadeCaptures.pcap(0));
        assertEquals(List.of("a.pcap", "d 1/a.pcap"), found("**/a.pcap"));
    }

    @Test
    void filesThatAreNoCapturesAreNamedTogetherBeforeAnythingStarts() throws IOException {
        CaptureGlob.requireCaptures(CaptureGlob.expand(List.of(folder + "/*.pcap")));
        Files.writeString(folder.resolve("a.txt"), "some text");
        for (int i = 0; i < 11; i++) {
            Files.write(folder.resolve("a.short%02d".formatted(i)), new byte[3]);
        }
        List<CaptureFile> files = CaptureGlob.expand(List.of(folder + "/a.*"));
        SluiceException bad =
                assertThrows(SluiceException.class, () -> CaptureGlob.requireCaptures(files));
        String told = bad.getMessage();
        assertTrue(told.startsWith("12 of 13 files cannot be judged: "), told);
        assertTrue(told.contains("a.short00: truncated-file-header at byte 0"), told);
        assertTrue(told.endsWith("; and 2 more; leave them out"), told);
        Files.createFile(folder.resolve("a.empty"));
        CaptureGlob.requireCaptures(CaptureGlob.expand(List.of(folder + "/a.{pcap,empty}")));
        List<CaptureFile> empty = CaptureGlob.expand(List.of(folder + "/*.empty"));
        told =
                assertThrows(SluiceException.class, () -> CaptureGlob.requireCaptures(empty))
                        .getMessage();
        assertEquals("capture " + folder + "/a.empty is empty; name another one", told);
        List<CaptureFile> text = CaptureGlob.expand(List.of(folder + "/a.txt"));
        told =
                assertThrows(SluiceException.class, () -> CaptureGlob.requireCaptures(text))
                        .getMessage();
        assertTrue(told.contains("a.txt: bad-magic"), told);
    }
}
