package dev.sluice.job.cli;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.job.Sluice;
import dev.sluice.schemas.testing.TestData;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Files that a command reads are never written over. */
class OutputPathTest {
    @TempDir Path folder;

    private Path capture;
    private Path rules;
    private Path actions;

    @BeforeEach
    void copyInputs() throws IOException {
        capture =
                Files.copy(TestData.office("office.pcapng.gz"), folder.resolve("office.pcapng.gz"));
        rules = Files.copy(TestData.office("office.ovs"), folder.resolve("office.ovs"));
        actions = Files.writeString(folder.resolve("actions"), "1 drop\n");
    }

    private void assertRefused(Path inDanger, Object... words) throws IOException {
        byte[] before = Files.readAllBytes(inDanger);
        Sluice run = Sluice.run(words);
        assertEquals(2, run.status(), run.err());
        assertTrue(run.err().contains(" would be written over: "), run.err());
        assertTrue(run.err().contains("name another "), run.err());
        assertArrayEquals(before, Files.readAllBytes(inDanger));
    }

    @Test
    void verdictsDoNotGoWhereCapturesOrRulesAre() throws IOException {
        Path history =
                Files.writeString(folder.resolve("history"), "2026-11-20T00:00:00Z office.ovs\n");
        for (String command : List.of("classify", "replay")) {
            for (Path input : List.of(capture, rules, actions)) {
                assertRefused(
                        input,
                        command,
                        capture,
                        "--rules",
                        rules,
                        "--actions",
                        actions,
                        "--verdicts",
                        input);
            }
        }
        for (Path input : List.of(capture, rules, history)) {
            assertRefused(
                    input, "replay", capture, "--rules-history", history, "--verdicts", input);
        }
    }

    @Test
    void aCaptureIsNotFilteredIntoItselfNorIntoItsRules() throws IOException {
        for (Path input : List.of(capture, rules)) {
            assertRefused(
                    input, "filter", capture, "--rules", rules, "--action", "drop", "-w", input);
        }
    }

    @Test
    void linksAreFollowed() throws IOException {
        Path symbolic = Files.createSymbolicLink(folder.resolve("symbolic"), capture);
        Path hard = Files.createLink(folder.resolve("hard"), capture);
        for (Path link : List.of(symbolic, hard, folder.resolve("./office.pcapng.gz"))) {
            assertRefused(capture, "classify", capture, "--rules", rules, "--verdicts", link);
        }
    }

    @Test
    void aTraceIsNotWrittenOverItsRulesNorOverItsAnswers() throws IOException {
        assertRefused(rules, "rules", "trace", "--rules", rules, "--out", rules);
        Path made = folder.resolve("made");
        Sluice run =
                Sluice.run("rules", "trace", "--rules", rules, "--out", made, "--expect", made);
        assertEquals(2, run.status(), run.err());
        assertTrue(Files.notExists(made), run.err());
    }

    @Test
    void aLinkThatLeadsNowhereYetIsFollowed() throws IOException {
        Path made = folder.resolve("made");
        Path link = Files.createSymbolicLink(folder.resolve("link"), Path.of("made"));
        Sluice run =
                Sluice.run("rules", "trace", "--rules", rules, "--out", made, "--expect", link);
        assertEquals(2, run.status(), run.err());
        assertTrue(Files.notExists(made), run.err());
    }

    @Test
    void aCommandDoesNotReadWhatItPrints() throws Exception {
        for (List<Object> words :
                List.<List<Object>>of(
                        List.of(
                                "filter",
                                capture,
                                "--rules",
                                rules,
                                "--action",
                                "NORMAL",
                                "-w",
                                "-"),
                        List.of("classify", capture, "--rules", rules),
                        List.of("headers", capture))) {
            byte[] before = Files.readAllBytes(capture);
            ProcessBuilder process =
                    Sluice.process(words.toArray())
                            .redirectOutput(ProcessBuilder.Redirect.appendTo(capture.toFile()));
            Sluice run = Sluice.end(process, folder.resolve("said"));
            assertEquals(2, run.status());
            assertTrue(run.err().contains("standard output goes into " + capture), run.err());
            assertArrayEquals(before, Files.readAllBytes(capture));
        }
    }

    @Test
    void aFileIsNoFolderForSchemasOrASoak() throws IOException {
        for (Object[] words :
                new Object[][] {
                    {"schemas", "--out", actions},
                    {"soak", "--cluster", actions}
                }) {
            Sluice run = Sluice.run(words);
            assertEquals(2, run.status(), run.err());
            assertEquals("", run.out());
            assertTrue(
                    run.err().contains(actions + " is a file; name a folder, which need not"),
                    run.err());
        }
        Sluice none = Sluice.run("schemas", "--out", "");
        assertEquals(2, none.status(), none.err());
        assertTrue(none.err().contains("--out names no folder; for the current one write ."));
    }

    @Test
    void aFolderAndADashAreNoFiles() {
        Sluice dash = Sluice.run("classify", capture, "--rules", rules, "--verdicts", "-");
        assertEquals(2, dash.status());
        assertTrue(dash.err().contains("./-"), dash.err());
        Sluice in = Sluice.run("classify", capture, "--rules", rules, "--verdicts", folder);
        assertEquals(1, in.status());
        assertTrue(
                in.err().contains(folder + " cannot be written: it is a folder; name a file in it"),
                in.err());
    }
}
