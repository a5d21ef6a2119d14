package dev.sluice.job.lab.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sluice.engine.Engine;
import dev.sluice.engine.EngineOptions;
import dev.sluice.engine.lookup.Algorithm;
import dev.sluice.job.JsonPage;
import dev.sluice.job.SluiceException;
import dev.sluice.job.UsageException;
import dev.sluice.job.lab.generate.Answers;
import dev.sluice.job.lab.generate.RuleGenerator;
import dev.sluice.job.lab.generate.RuleShape;
import dev.sluice.job.lab.sets.GeneratedSet;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

/** The command {@code bench table} on small rule sets. */
class EngineTableCommandTest {
    private static final int HEADERS = 500;

    @TempDir Path folder;
    private final StringWriter out = new StringWriter();

    private int run(String... arguments) throws Exception {
        EngineTableCommand command = new EngineTableCommand();
        CommandLine line = new CommandLine(command);
        line.setOut(new PrintWriter(out, true));
        line.parseArgs(arguments);
        return command.call();
    }

    private void compress(Path from, String name) throws Exception {
        try (OutputStream to = new GZIPOutputStream(Files.newOutputStream(folder.resolve(name)))) {
            Files.copy(from, to);
        }
    }

    /** A set with port ranges; the answer of its first header is the one that is asked for. */
    private void writeSet(int wrong) throws Exception {
        Path generated = Files.createDirectory(folder.resolve("generated"));
        GeneratedSet set =
                GeneratedSet.generate(
                        new RuleGenerator(
                                RuleShape.FW, 200, 1, new RuleGenerator.MaskCounts(1, 1, 1, 5), 0),
                        HEADERS,
                        0.1,
                        1,
                        generated);
        compress(GeneratedSet.rulesIn(generated), "fw.rules.gz");
        compress(GeneratedSet.traceIn(generated), "fw.trace.gz");
        int[] answers =
                Answers.positions(
                        Engine.compile(set.rules(), EngineOptions.of(Algorithm.of("linear"))),
                        set.trace());
        answers[0] += wrong;
        Path expected = folder.resolve("expected");
        Files.writeString(
                expected,
                IntStream.of(answers)
                        .mapToObj(Integer::toString)
                        .collect(Collectors.joining("\n", "", "\n")));
        compress(expected, "fw.exp.gz");
    }

    private static JsonNode read(Path file) throws Exception {
        return new ObjectMapper().readTree(file.toFile());
    }

    @Test
    void expandedRangesStandBesideVerifiedOnesAndRowsOfOtherRunsStay() throws Exception {
        writeSet(0);
        Path file = folder.resolve("engine.json");
        Files.writeString(
                file,
                "[{\"set\": \"fw\", \"trace\": \"plain\", \"asked\": \"tuple\", \"mpps\": 7e9},"
                        + "{\"set\": \"fw\", \"trace\": \"plain\", \"asked\": \"bloom\"}]");
        assertEquals(
                0,
                run(
                        "--folder=" + folder,
                        "--algorithms=tuple,expanded",
                        "--rounds=5",
                        "--no-updates",
                        "--out=" + file));
        JsonNode rows = read(file);
        assertEquals(3, rows.size(), rows::toString);
        assertEquals("bloom", rows.get(0).path("asked").asText());
        JsonNode verified = rows.get(1);
        JsonNode expanded = rows.get(2);
        assertEquals("tuple", verified.path("asked").asText());
        assertEquals(EngineTableCommand.EXPANDED, expanded.path("asked").asText());
        assertEquals("tuple", expanded.path("algorithm").asText());
        assertTrue(verified.path("mpps").asDouble() < 1e9, rows::toString);
        assertTrue(
                expanded.path("imageBytes").asLong() > verified.path("imageBytes").asLong(),
                rows::toString);
        assertEquals(0, expanded.path("wrong").asLong(-1));
    }

    @Test
    void routesAreMeasuredOnTheCpuAndComparedWithLinearSearch() throws Exception {
        Path file = folder.resolve("engine.json");
        assertEquals(
                0,
                run(
                        "--routes=300,200",
                        "--algorithms=routes",
                        "--rounds=5",
                        "--no-updates",
                        "--json",
                        "--out=" + file));
        JsonNode rows = read(file);
        JsonPage.assertTells("bench table", out.toString());
        assertEquals(2, out.toString().lines().count(), out::toString);
        assertEquals("routes_300", rows.get(0).path("set").asText());
        assertEquals("routes6_200", rows.get(1).path("set").asText());
        for (JsonNode row : rows) {
            assertEquals("routes", row.path("algorithm").asText());
            assertEquals("cpu", row.path("backend").asText());
            assertEquals(0, row.path("wrong").asLong(-1));
            assertTrue(row.path("mpps").asDouble() > 0, row::toString);
        }
    }

    @Test
    void aWrongAnswerMakesTheStatus() throws Exception {
        writeSet(1);
        Path file = folder.resolve("engine.json");
        assertEquals(
                1,
                run(
                        "--folder=" + folder,
                        "--algorithms=tuple",
                        "--rounds=5",
                        "--no-updates",
                        "--out=" + file));
        assertEquals(1, read(file).get(0).path("wrong").asLong());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "--routes=5|--routes takes two numbers, of IPv4 and of IPv6 routes, not 1",
                "--rounds=4|--rounds 4 is not in 5..1000",
                "--sets=fw|name --folder, or --routes, or both",
            })
    void whatCannotBeMeasuredIsRefused(String option, String message) {
        SluiceException e =
                assertThrows(
                        UsageException.class,
                        () -> run(option, "--out=" + folder.resolve("engine.json")));
        assertEquals(message, e.getMessage());
    }

    @Test
    void aSetThatIsNotThereIsNamed() throws Exception {
        Files.createFile(folder.resolve("a.rules.gz"));
        SluiceException e =
                assertThrows(
                        UsageException.class,
                        () -> run("--folder=" + folder, "--sets=b", "--out=" + folder + "/x"));
        assertEquals("--sets b: " + folder + " has no b.rules.gz", e.getMessage());
    }
}
