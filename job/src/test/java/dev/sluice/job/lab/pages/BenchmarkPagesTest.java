package dev.sluice.job.lab.pages;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.job.SluiceException;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

class BenchmarkPagesTest {
    @TempDir Path folder;

    private Path copy = Path.of("");

    @Test
    void committedPagesEqualWhatTheRawFilesGive() throws IOException {
        for (var page : BenchmarkPages.of(committed()).entrySet()) {
            assertEquals(
                    page.getValue(),
                    Files.readString(page.getKey()),
                    page.getKey() + " is stale: run the command pages");
        }
    }

    @ParameterizedTest
    @CsvSource({
        "corridor.json, 300000000, 300000001, corridor.md",
        "rivals.json, 58.305, 58.315, rivals.md",
        "grid.json, 111.542, 911.542, grid.md",
        "engine.json, 186.31637, 186.41637, algorithms.md",
        "sweep.csv, 84000, 84001, sweeps.md",
        "bitmap-rfc.csv, 45.36, 45.37, studies.md",
        "gpu.json, 24810.14, 24820.14, gpu.md",
        "gpu-host.json, 22.319, 22.329, gpu-host.md",
        "gpu-updates.json, 1595000, 1595001, gpu-updates.md",
        "gpu-door.json, 794457, 733573, gpu-door.md",
        "gpu-check.csv, 4106, 0, gpu-check.md",
        "goals.csv, 11.4, 12.4, goals.md",
        "corridor.json, 300000000, 300000001, benchmarks.md",
        "gpu-door.json, 794457, 733573, benchmarks.md",
        "goals.csv, 0.94, 0.96, benchmarks.md",
    })
    void checkFailsOnAChangedNumberAndNamesThePage(
            String raw, String number, String other, String page) throws IOException {
        copyOfTheFolder();
        assertEquals(0, run("--check"));
        Path file = copy.resolve(raw);
        String text = Files.readString(file);
        assertTrue(text.contains(number), raw + " holds no " + number);
        Files.writeString(file, text.replaceFirst(number.replace(".", "\\."), other));

        Path named = page.equals("benchmarks.md") ? folder.resolve(page) : copy.resolve(page);
        String stale = Files.readString(named);
        SluiceException failure = assertThrows(SluiceException.class, () -> run("--check"));

        assertTrue(failure.getMessage().contains(page), failure.getMessage());
        assertEquals(stale, Files.readString(named), "--check wrote the page");
    }

    @Test
    void pagesAreWrittenWhereTheyAreMissing() throws IOException {
        copyOfTheFolder();
        Files.delete(copy.resolve("rivals.md"));
        assertEquals(0, run());
        assertEquals(
                Files.readString(committed().resolve("rivals.md")),
                Files.readString(copy.resolve("rivals.md")));
    }

    @Test
    void rulesThatWereNotMeasuredInTheJobAreSaidToBeMissing() throws IOException {
        copyOfTheFolder();
        Files.writeString(copy.resolve("rule-changes.json"), "[]");
        RawFiles raw = new RawFiles(copy);
        assertTrue(
                new RuleChangesPage().text(raw).endsWith("\nNothing was measured yet.\n"),
                new RuleChangesPage().text(raw));
        assertEquals("Nothing was measured yet.\n", RuleChangesPage.headline(raw));
    }

    @Test
    void rulesThatChangedInTheJobHaveARowForEachRunAndForEachKindOfChange() throws IOException {
        copyOfTheFolder();
        Files.writeString(
                copy.resolve("rule-changes.json"),
                """
                [{"machine": "16 cores", "backend": "cpu", "rules": "sets/acl1_100k.rules.gz",
                  "ruleCount": 99285, "parallelism": 16, "block": 4096,
                  "firstVerdictSeconds": 1.25, "highestMpps": 20.123456,
                  "checkpointBytes": 9000000, "checkpointMillis": 40,
                  "phases": [
                    {"name": "no changes", "mpps": 16.1, "transactions": 0,
                     "changesPerSecond": 0.0,
                     "heldMillis": {"p50": 2.0, "p99": 6.0, "max": 11.0}},
                    {"name": "single changes", "mpps": 16.2, "transactions": 2000,
                     "changesPerSecond": 100.0,
                     "visibleMillis": {"p50": 3.0, "p99": 8.0, "max": 100.0},
                     "everywhereMillis": {"p50": 4.0, "p99": 9.0, "max": 31.0},
                     "heldMillis": {"p50": 2.0, "p99": 7.0, "max": 12.0}},
                    {"name": "lists of 1000", "mpps": 15.9, "transactions": 1999,
                     "changesPerSecond": 99950.5,
                     "visibleMillis": {"p50": 5.0, "p99": 10.0, "max": 41.0},
                     "everywhereMillis": {"p50": 6.0, "p99": 13.0, "max": 42.0},
                     "heldMillis": {"p50": 3.0, "p99": 14.0, "max": 51.0}},
                    {"name": "most hit rule removed", "mpps": 16.0, "transactions": 1,
                     "changesPerSecond": 0.0,
                     "visibleMillis": {"p50": 15.0, "p99": 15.0, "max": 15.0},
                     "everywhereMillis": {"p50": 17.0, "p99": 17.0, "max": 17.0},
                     "heldMillis": {"p50": 2.0, "p99": 6.0, "max": 18.0}}]}]
                """);
        RawFiles raw = new RawFiles(copy);
        String page = new RuleChangesPage().text(raw);

        assertLine(
                "| 16 cores | cpu | acl1_100k | 99285 | 16 | 4096 | 20.123 | 1.25 | 9000000 | 40 |",
                page);
        assertLine(
                "| 16 cores | cpu | 16 | 99285 | no changes | 16.1 | 0 | 0 |  |  | 2 / 6 / 11 |",
                page);
        assertLine(
                "| 16 cores | cpu | 16 | 99285 | single changes | 16.2 | 2000 | 100 |"
                        + " 3 / 8 / 100 | 4 / 9 / 31 | 2 / 7 / 12 |",
                page);
        assertLine(
                "| 16 cores | cpu | 99285 | 20.123 | 3 / 8 / 100 | 99951 | 5 / 10 / 41 | 3 / 14 / 51 |"
                        + " 2 / 6 / 11 | 15 | 1.25 | 9000000 | 40 |",
                RuleChangesPage.headline(raw));
    }

    @Test
    void cellsOnADeviceHaveATableOnceTheyWereMeasured() throws IOException {
        copyOfTheFolder();
        RawFiles raw = new RawFiles(copy);
        Files.deleteIfExists(copy.resolve("grid-device.json"));
        assertFalse(new GridPage().text(raw).contains("## On a device"));
        Files.writeString(
                copy.resolve("grid-device.json"),
                """
                [{"cell": "zones_100000_10000_24", "shape": "zones", "rules": 100000,
                  "kinds": 10000, "depth": 24, "ruleCount": 100000, "algorithm": "merged-tuple",
                  "mpps": 3704, "imageBytes": 9000000, "best": "merged-tuple", "bestMpps": 3704,
                  "onCpu": "forest", "chooseSeconds": 9.5,
                  "rates": {"merged-tuple": 3704, "forest": 384}, "wrong": 0},
                 {"cell": "fw_100000", "shape": "fw", "rules": 100000, "ruleCount": 90000,
                  "algorithm": "forest", "mpps": 5000, "imageBytes": 8000000, "best": "pairs",
                  "bestMpps": 10000, "onCpu": "forest", "chooseSeconds": 8.25,
                  "rates": {"pairs": 10000, "merged-tuple": 600, "forest": 5000}, "wrong": 2}]
                """);
        String page = new GridPage().text(raw);
        assertLine(
                "| zones | 100000 | 10000 | 24 | forest | merged-tuple | **3700** |  | 3704 | 384 |"
                        + " 1 | 9.5 | 9000000 | 0 |",
                page);
        assertLine(
                "| fw | 100000 |  |  | forest | forest | 5000 | 10000 | 600 | 5000 | **0.5** |"
                        + " 8.25 | 8000000 | 2 |",
                page);
    }

    @Test
    void aStepThatLosesTooMuchAndACellBehindAreInBold() throws IOException {
        copyOfTheFolder();
        Files.writeString(
                copy.resolve("grid.json"),
                """
                [{"shape": "zones", "rules": 1000, "kinds": 300, "depth": 2, "ruleCount": 1000,
                  "algorithm": "pairs", "mpps": 3.0, "buildSeconds": 0.25, "imageBytes": 50000,
                  "wrong": 0, "rteAclMpps": 4.0, "rteAclBuildSeconds": 0.5, "rteAclWrong": 0},
                 {"shape": "zones", "rules": 1000, "kinds": 30, "depth": 2, "ruleCount": 1000,
                  "algorithm": "rfc", "mpps": 10.0, "buildSeconds": 0.5, "imageBytes": 80000,
                  "wrong": 0, "rteAclMpps": 2.0, "rteAclBuildSeconds": 0.5, "rteAclWrong": 0},
                 {"shape": "zones", "rules": 1000, "kinds": 30, "depth": 8, "ruleCount": 1000,
                  "algorithm": "rfc", "mpps": 5.0, "buildSeconds": 0.5, "imageBytes": 90000,
                  "wrong": 1, "rteAclFailure": "not done after 9 s"},
                 {"shape": "acl", "rules": 1000, "ruleCount": 990,
                  "algorithm": "pairs", "mpps": 7.0, "buildSeconds": 0.5, "imageBytes": 9900,
                  "wrong": 0}]
                """);
        RawFiles raw = new RawFiles(copy);
        String page = new GridPage().text(raw);

        assertLine("| zones | 1000 | 30 | 2 | rfc | 10 | 2 | 5 | 0.5 | 0.5 | 80 |  |  | 0 |", page);
        assertLine(
                "| zones | 1000 | 30 | 8 | rfc | 5 | not built: not done after 9 s |  | 0.5 |  |"
                        + " 90 |  | 0.5 | 1 |",
                page);
        assertLine(
                "| zones | 1000 | 300 | 2 | pairs | 3 | 4 | **0.75** | 0.25 | 0.5 | 50 |"
                        + " **0.3** |  | 0 |",
                page);
        assertLine("| acl | 1000 |  |  | pairs | 7 |  |  | 0.5 |  | 10 |  |  | 0 |", page);
        String headline = GridPage.headline(raw);
        assertLine(
                "| zones | 1000 | 3 | 3 to 10 | 0.75 to 5 | 1 | 0.3 | 0.25 to 0.5 | 50 to 90 | 1 |",
                headline);
        assertLine("| acl | 1000 | 1 | 7 |  | 0 |  | 0.5 | 10 | 0 |", headline);
        assertTrue(page.contains(headline), page);
    }

    private static void assertLine(String line, String text) {
        assertTrue(text.lines().anyMatch(line::equals), () -> line + " is missing from\n" + text);
    }

    @Test
    void aTableThatNobodyMakesIsNamed() {
        SluiceException failure =
                assertThrows(
                        SluiceException.class,
                        () ->
                                Headlines.fill(
                                        "<!-- table rates -->\n<!-- end -->",
                                        new RawFiles(committed())));
        assertTrue(failure.getMessage().startsWith("no table is named rates"));
    }

    @Test
    void aRowWithTooManyCellsIsNamed() {
        SluiceException failure =
                assertThrows(
                        SluiceException.class,
                        () -> NotedCsv.parse("x.csv", List.of("# X", "a,b", "1,2", "1,000,2")));
        assertEquals(
                "x.csv:4: 3 cells under 2 heads; quote cells that hold commas",
                failure.getMessage());
    }

    private int run(String... options) throws IOException {
        PagesCommand command = new PagesCommand();
        CommandLine line = new CommandLine(command);
        line.setOut(new PrintWriter(new StringWriter()));
        line.parseArgs(
                Stream.concat(Stream.of("--raw", copy.toString()), Stream.of(options))
                        .toArray(String[]::new));
        return command.call();
    }

    private void copyOfTheFolder() throws IOException {
        copy = Files.createDirectory(folder.resolve("benchmarks"));
        Files.copy(committed().resolveSibling("benchmarks.md"), folder.resolve("benchmarks.md"));
        try (Stream<Path> files = Files.list(committed())) {
            for (Path file : files.toList()) {
                Files.copy(file, copy.resolve(file.getFileName()));
            }
        }
    }

    private static Path committed() {
        for (Path at = Path.of("").toAbsolutePath(); at != null; at = at.getParent()) {
            Path folder = at.resolve("docs/benchmarks");
            if (Files.isDirectory(folder)) {
                return folder;
            }
        }
        throw new AssertionError("docs/benchmarks is missing from the checkout");
    }
}
