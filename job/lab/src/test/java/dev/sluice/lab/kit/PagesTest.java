package dev.sluice.lab.kit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.policy.io.SluiceException;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

class PagesTest {
    @TempDir Path folder;

    private Path copy = Path.of("");

    @Test
    void committedPagesEqualWhatTheRawFilesGive() throws IOException {
        for (var page : Pages.of(committed()).entrySet()) {
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
        "gpu.json, 24810.14, 24820.14, gpu.md",
        "gpu-host.json, 22.319, 22.329, gpu-host.md",
        "gpu-updates.json, 1595000, 1595001, gpu-updates.md",
        "gpu-door.json, 1596.0, 1597.0, gpu-door.md",
        "gpu-check.csv, 4106, 0, gpu-check.md",
        "goals.csv, 11.4, 12.4, goals.md",
        "corridor.json, 14.46, 14.47, benchmarks.md",
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
    void tablesThatDifferAreWrittenAndTheTextAroundThemStays() throws IOException {
        copyOfTheFolder();
        Path page = copy.resolve("rivals.md");
        String text = Files.readString(page);
        Files.writeString(page, "By hand.\n" + text.replaceAll("(?m)^\\| acl1_1k .*\n", ""));
        assertEquals(0, run());
        assertEquals("By hand.\n" + text, Files.readString(page));
    }

    @Test
    void groupsAreSummedAndWhatIsBelowABoundStandsInBold() throws IOException {
        raw(
                "cells.json",
                """
                [{"shape": "zones", "kept": 0.3, "mpps": 10.0, "wrong": 0, "rteAclMpps": 2.0},
                 {"shape": "zones", "kept": 0.5, "mpps": 5.0, "wrong": 1},
                 {"shape": "zones", "mpps": 3.0, "wrong": 0, "rteAclMpps": 4.0}]
                """);
        assertEquals(
                """
                | ratio | kept |
                |---|---|
                | 5 | **0.3** |
                |  | 0.5 |
                | **0.75** |  |
                """,
                table(
                        "cells.json",
                        "ratio = ratio, bold below 1",
                        "kept = kept, bold below 0.333"));
        assertEquals(
                """
                | shape | cells | M/s | ratio | behind | least | wrong |
                |---|---|---|---|---|---|---|
                | zones | 3 | 3 to 10 | 0.75 to 5 | 1 | 0.3 | 1 |
                """,
                table(
                        "cells.json",
                        "group shape",
                        "shape = shape",
                        "cells = rows",
                        "M/s = span mpps 3",
                        "ratio = span ratio 3",
                        "behind = below ratio 1",
                        "least = least kept",
                        "wrong = sum wrong"));
    }

    @Test
    void elementsOfARecordHaveRowsOrArePutBesideEachOther() throws IOException {
        raw(
                "runs.json",
                """
                [{"machine": "16 cores", "mpps": 20.123456, "phases": [
                    {"name": "none", "mpps": 16.1, "changes": 0},
                    {"name": "lists", "mpps": 15.9, "changes": 1999, "ms": {"p50": 5.0, "max": 41.5}},
                    {"name": "one", "mpps": 15.0, "changes": 2}]},
                 {"machine": "2 cores"}]
                """);
        assertEquals(
                """
                | machine | phase | M/s | ms |
                |---|---|---|---|
                | 16 cores | all | 20.123 |  |
                | 16 cores | none | 16.1 |  |
                | 16 cores | lists | 15.9 | 5 / 41.5 |
                | 16 cores | one | 15 |  |
                """,
                table(
                        "runs.json",
                        "row 1",
                        "each itself, phases",
                        "machine = machine",
                        "phase = name, else all",
                        "M/s = mpps",
                        "ms = ms.p50 / ms.max"));
        assertEquals(
                """
                | machine | with changes | lists: ms | of the highest |
                |---|---|---|---|
                | 16 cores | 15.9 / 15 | 41.5 | 0.790 |
                """,
                table(
                        "runs.json",
                        "where machine ~ 1.*",
                        "machine = machine",
                        "with changes = phases[changes>0].mpps",
                        "lists: ms = phases[name=lists].ms.max",
                        "of the highest = phases[name=lists].mpps : mpps"));
    }

    @Test
    void groupsStandInTheOrderThatIsAskedFor() throws IOException {
        raw("sets.csv", "# Sets\nset,rate\nb_1k,1\na_1k,3\na_10k,5\na_9k,7\n");
        raw(
                "sets.json",
                """
                [{"set": "b_1k"}, {"set": "a_1k"}, {"set": "a_10k"}, {"set": "a_9k"}]
                """);
        assertEquals(
                """
                | size | sets |
                |---|---|
                | 10k | 1 |
                | 1k | 2 |
                """,
                table("sets.json", "group size", "order 10k; 1k", "size = size", "sets = rows"));
        assertEquals(
                "| set | rate |\n|---|---|\n| b_1k | 1 |\n| a_1k | 3 |\n| a_10k | 5 |\n| a_9k | 7 |\n",
                table("sets.csv"));
    }

    @Test
    void aLineThatIsNoPartOfATableIsNamed() {
        SluiceException failure =
                assertThrows(
                        SluiceException.class, () -> new TableSpec("rivals.json\nsorted by rate"));
        assertTrue(
                failure.getMessage().startsWith("'sorted by rate' is no part of a table of"),
                failure.getMessage());
    }

    @Test
    void aRowWithTooManyCellsIsNamed() throws IOException {
        raw("x.csv", "# X\na,b\n1,2\n1,000,2\n");
        SluiceException failure = assertThrows(SluiceException.class, () -> table("x.csv"));
        assertEquals(
                "x.csv:4: 3 cells under 2 heads; quote cells that hold commas",
                failure.getMessage());
    }

    private void raw(String file, String text) throws IOException {
        Files.writeString(folder.resolve(file), text);
    }

    private String table(String... lines) {
        return new TableSpec(String.join("\n", lines)).table(new RawFiles(folder));
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
