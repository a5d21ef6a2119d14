package dev.sluice.lab.grid;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sluice.job.JsonPage;
import dev.sluice.job.cli.OptionTypes;
import dev.sluice.job.cli.Ranges;
import dev.sluice.policy.io.SluiceException;
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

/** The command {@code bench grid} on policies of some rules. */
class GridCommandTest {
    private static final String[] SMALL = {
        "--shapes=zones", "--rules=300", "--depths=2", "--headers=2000", "--rounds=5"
    };

    @TempDir Path folder;
    private final StringWriter out = new StringWriter();

    @Test
    void cellsAreMeasuredComparedAndKept() throws Exception {
        Path program =
                RteAclTest.executable(
                        folder.resolve("program"),
                        "echo rte_acl-x,$4,$(wc -l <$1),$(wc -l <$2),0.001,0,0,0.5,1,1,,0");
        Path file = folder.resolve("grid.json");
        assertEquals(0, run("--kinds=10,100", "--rte-acl=" + program, "--out=" + file));
        JsonNode cells = new ObjectMapper().readTree(file.toFile());
        assertEquals(2, cells.size());
        JsonNode cell = cells.get(1);
        assertEquals("zones_300_100_2", cell.path("cell").asText());
        assertEquals(300, cell.path("ruleCount").asInt());
        assertEquals(2000, cell.path("linearHeaders").asInt());
        assertEquals(0, cell.path("wrong").asInt(-1));
        assertEquals(0.001, cell.path("rteAclMpps").asDouble());
        assertTrue(cell.path("mpps").asDouble() > 0.001, cell::toString);
        assertTrue(cell.path("buildSeconds").asDouble() > 0, cell::toString);
        assertTrue(cell.path("imageBytes").asLong() > 300, cell::toString);
        assertTrue(out.toString().startsWith("cell zones_300_10_2, "), out::toString);

        // Another run replaces its own cells alone.
        out.getBuffer().setLength(0);
        assertEquals(0, run("--kinds=10", "--out=" + file, "--json=true"));
        JsonPage.assertTells("bench grid", out.toString());
        JsonPage.assertTells("bench grid", cell.toString()); // beside rte_acl
        cells = new ObjectMapper().readTree(file.toFile());
        assertEquals(2, cells.size());
        assertEquals("zones_300_100_2", cells.get(0).path("cell").asText());
        assertTrue(cells.get(0).has("rteAclMpps"), cells::toString);
        assertFalse(cells.get(1).has("rteAclMpps"), cells::toString);
    }

    @Test
    void wrongAnswersMakeTheStatus() throws Exception {
        Path program =
                RteAclTest.executable(
                        folder.resolve("program"), "echo rte_acl-x,$4,1,1,1,1,1,1,1,1,,7");
        assertEquals(1, run("--kinds=10", "--rte-acl=" + program));
        assertTrue(out.toString().contains("rteAclWrong 7"), out::toString);
    }

    @Test
    void answersThatDifferAreCounted() {
        int[] all = {5, 6, 7, 8, 9};
        assertEquals(0, CellBench.differing(new int[] {5, 7, 9}, all, new int[] {0, 2, 4}));
        assertEquals(2, CellBench.differing(new int[] {5, 8, -1}, all, new int[] {0, 2, 4}));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "--shapes=routes|--shapes routes is not in the grid",
                "--shapes=stars|stars is unknown; use one of",
                "--kinds=200|leave no cell",
                "--kinds=0|--kinds 0 is below 1, the least that it takes",
                "--depths=25|--depths 25 is not in 1..24",
                "--rounds=4|--rounds 4 is not in 5..1000",
                "--headers=0|--headers 0 is below 1",
            })
    void numbersThatCannotBeAreRefusedBeforeAnythingIsMeasured(String option, String message) {
        RuntimeException e = assertThrows(RuntimeException.class, () -> run(option));
        assertTrue(String.valueOf(e.getMessage()).contains(message), e.getMessage());
        assertEquals("", out.toString());
    }

    @Test
    void aFileOfSomethingElseIsKept() throws Exception {
        Path file = folder.resolve("notes.txt");
        Files.writeString(file, "what I wanted to say");
        SluiceException e =
                assertThrows(SluiceException.class, () -> run("--kinds=10", "--out=" + file));
        assertTrue(String.valueOf(e.getMessage()).contains("notes.txt"), e.getMessage());
        assertEquals("what I wanted to say", Files.readString(file));
    }

    @Test
    void helpNamesTheOptions() {
        String help = new CommandLine(new GridCommand()).getUsageMessage();
        for (String option :
                new String[] {"--shapes", "--rules", "--kinds", "--depths", "--rte-acl", "--out"}) {
            assertTrue(help.contains(option), () -> option + " in\n" + help);
        }
    }

    private int run(String... options) throws Exception {
        GridCommand command = new GridCommand();
        CommandLine line = new CommandLine(command);
        line.setOut(new PrintWriter(out, true));
        line.setErr(new PrintWriter(new StringWriter()));
        OptionTypes.register(line);
        // The last of an option's values would be added to the first: each is given once.
        Ranges.require(
                line.parseArgs(
                        Stream.concat(
                                        Stream.of(SMALL)
                                                .filter(
                                                        s ->
                                                                Stream.of(options)
                                                                        .noneMatch(
                                                                                o -> same(o, s))),
                                        Stream.of(options))
                                .toArray(String[]::new)));
        return command.call();
    }

    private static boolean same(String option, String other) {
        return option.substring(0, option.indexOf('='))
                .equals(other.substring(0, other.indexOf('=')));
    }
}
