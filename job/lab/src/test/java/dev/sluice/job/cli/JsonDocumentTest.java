package dev.sluice.job.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.job.JsonPage;
import dev.sluice.job.Sluice;
import dev.sluice.job.read.VerdictForm;
import dev.sluice.job.read.VerdictRow;
import dev.sluice.schemas.codec.VerdictOutcome;
import dev.sluice.schemas.codec.VerdictStatus;
import dev.sluice.schemas.testing.TestData;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** The pages that tell of JSON and what commands print with {@code --json}, held to each other. */
class JsonDocumentTest {
    private static final Path CAPTURE = TestData.office("office.pcapng.gz");
    private static final Path RULES = TestData.office("office.ovs");

    /** The lines of cat are JSON as they are. */
    private static final Set<String> WITHOUT_FIGURES =
            Set.of(
                    "help",
                    "version",
                    "completion",
                    "test",
                    "package",
                    "broker",
                    "cat",
                    "rules apply",
                    "rules anonymize",
                    "rules convert",
                    "rules formats",
                    "serve");

    @TempDir Path folder;

    /**
     * Runs a command and compares.
     *
     * @param absent members that this run has no value of
     */
    private static void assertDocumented(
            String command, int status, Set<String> absent, Object... words) throws IOException {
        Sluice run = Sluice.run(words);
        assertEquals(status, run.status(), run.err());
        JsonPage.assertTells(command, run.out(), absent.toArray(String[]::new));
    }

    @Test
    void whatCommandsPrintIsWhatThePageTells() throws IOException {
        Path cut = folder.resolve("cut.pcapng.gz");
        byte[] whole = Files.readAllBytes(CAPTURE);
        Files.write(cut, Arrays.copyOf(whole, whole.length / 2));
        assertDocumented(
                "classify",
                1,
                Set.of("refused_versions[]", "dead_letters.*"),
                "classify",
                CAPTURE,
                cut,
                "--rules",
                RULES,
                "--json");
        Path out = folder.resolve("out.pcapng");
        assertDocumented(
                "filter",
                0,
                Set.of(),
                "filter",
                CAPTURE,
                "--rules",
                RULES,
                "--action",
                "drop",
                "-w",
                out,
                "--json");
        assertDocumented("headers", 1, Set.of(), "headers", CAPTURE, cut, "--count", "--json");
        assertDocumented(
                "rules hits", 0, Set.of(), "rules", "hits", CAPTURE, "--rules", RULES, "--json");
        assertDocumented("schemas", 0, Set.of(), "schemas", "--json");
        assertDocumented(
                "rules generate",
                0,
                Set.of(),
                "rules",
                "generate",
                "--shape",
                "acl",
                "--count",
                50,
                "--out",
                folder.resolve("r"),
                "--json");
        assertDocumented(
                "rules trace",
                0,
                Set.of(),
                "rules",
                "trace",
                "--rules",
                folder.resolve("r"),
                "--out",
                folder.resolve("t"),
                "--headers",
                100,
                "--expect",
                folder.resolve("e"),
                "--json");
    }

    @Test
    void rowsOfVerdictsAreWhatThePageTells() throws IOException {
        VerdictRow.RuleFacts rule = new VerdictRow.RuleFacts(4, 5, "drop", "tcp,actions=drop");
        VerdictRow row =
                new VerdictRow(
                        "a.pcap",
                        7,
                        1_700L,
                        3L,
                        rule,
                        "drop",
                        2,
                        "h",
                        VerdictStatus.OK,
                        VerdictOutcome.DENY,
                        "--assume new",
                        List.of(new VerdictRow.EarlierRule(2, rule)),
                        true,
                        Map.of());
        JsonPage.assertTells(
                "verdicts", VerdictForm.of(List.of(), List.of()).json().apply(row).toString());
    }

    @Test
    void whatChecksPagesIsWhatThePageTells() throws IOException {
        assertDocumented(
                "bench pages",
                0,
                Set.of(),
                "bench",
                "pages",
                "--raw",
                "../../docs/benchmarks",
                "--check",
                "--json");
    }

    @Test
    void everyCommandThatPrintsFiguresTakesJsonAndHasASection() throws IOException {
        Set<String> sections = JsonPage.commands();
        Set<String> lacking = new TreeSet<>();
        Set<String> known = new TreeSet<>();
        for (CommandLine command : HelpTest.all(Main.commandLine())) {
            String name = command.getCommandSpec().qualifiedName().replaceFirst("sluice ?", "");
            known.add(name);
            if (command.getCommandSpec().findOption("--json") != null) {
                if (!sections.contains(name)) {
                    lacking.add(name + " has no section");
                }
            } else if (command.getSubcommands().isEmpty() && !WITHOUT_FIGURES.contains(name)) {
                lacking.add(name + " has no --json");
            }
        }
        assertEquals(Set.of(), lacking);
        sections.removeIf(section -> known.contains(section.replaceFirst(" --.*", "")));
        assertEquals(Set.of(), sections, "sections of no command");
    }

    @Test
    void jsonGoesWhereThereAreFigures() {
        Sluice lines = Sluice.run("headers", CAPTURE, "--json");
        assertEquals(2, lines.status(), lines.err());
        assertTrue(lines.err().contains("Missing required argument(s): --count"), lines.err());
        Sluice endless = Sluice.run("run", "--bootstrap", "localhost:1", "--json");
        assertEquals(2, endless.status(), endless.err());
        assertTrue(endless.err().contains("say --bounded"), endless.err());
    }
}
