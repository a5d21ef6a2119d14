package dev.sluice.job.archive;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.job.SluiceException;
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
        assertTrue(unknown.getMessage().contains("FLINK_PLUGINS_DIR"), unknown.getMessage());
    }

    private String failure(String pattern) {
        return String.valueOf(
                assertThrows(SluiceException.class, () -> found(pattern)).getMessage());
    }

    @Test
    void aFileThatIsNoCaptureIsNamedBeforeAnythingStarts() throws IOException {
        CaptureGlob.requireCaptures(CaptureGlob.expand(List.of(folder + "/*.pcap")));
        Files.writeString(folder.resolve("a.txt"), "some text");
        List<CaptureFile> files = CaptureGlob.expand(List.of(folder + "/a.*"));
        SluiceException bad =
                assertThrows(SluiceException.class, () -> CaptureGlob.requireCaptures(files));
        assertTrue(bad.getMessage().contains("a.txt: bad-magic"), bad.getMessage());
        assertTrue(bad.getMessage().endsWith("leave it out"), bad.getMessage());
    }
}
