package dev.sluice.job.cli;

import static dev.sluice.job.cli.ErrorLines.assertOneLine;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.job.Sluice;
import dev.sluice.schemas.testing.TestData;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Command lines that are wrong usage: status 2, and a line that says where help is. */
class WrongUsageTest {
    @TempDir Path folder;

    @Test
    void oneTopicForTwoPurposesIsRefused() {
        assertOneLine(
                Sluice.run("run", "--bootstrap", "localhost:1", "--packets-topic", "sluice-stats"),
                2,
                "--packets-topic and --stats-topic both name sluice-stats; name two topics");
    }

    @Test
    void wrongNumbersAreWrongUsageBeforeAnyFileIsRead() {
        assertOneLine(
                Sluice.run("replay", "none.pcap", "--rules", "none.ovs", "--parallelism", 0),
                2,
                "--parallelism 0 is not in 1..128");
        assertOneLine(
                Sluice.run("demo", "--test-data", folder, "--kafka-port", 65_536),
                2,
                "--kafka-port 65536");
    }

    @Test
    void anUnknownCommandIsWrongUsageWhereHelpIsAskedForToo() {
        for (String[] words : List.of(new String[] {"nosuch"}, new String[] {"rules", "nosuch"})) {
            List<Object> line = new ArrayList<>(List.of(words));
            line.add("--help");
            Sluice run = Sluice.run(line.toArray());
            assertEquals(2, run.status());
            assertTrue(run.err().contains("'nosuch'"), run.err());
            assertEquals("", run.out());
        }
    }

    @Test
    void wrongUsageIsStatusTwoAndSaysWhereHelpIs() {
        Path rules = TestData.office("office.ovs");
        assertOneLine(Sluice.run("replay"), 2, "CAPTURE", "see sluice replay --help");
        assertOneLine(Sluice.run("replay", "a.pcap"), 2, "--rules", "see sluice replay --help");
        assertOneLine(
                Sluice.run("replay", "a.pcap", "--rules", rules, "--parallelism", "two"),
                2,
                "--parallelism",
                "two");
    }

    @Test
    void aFileThatIsNamedLikeAnOptionIsToldHowToBeNamed() throws IOException {
        Path file = Files.createTempFile(Path.of(""), "-x", ".pcap");
        try {
            Sluice run = Sluice.run("classify", file, "--rules", TestData.office("office.ovs"));
            assertEquals(2, run.status(), run.err());
            assertTrue(run.err().contains("for the file " + file + " write ./" + file), run.err());
        } finally {
            Files.delete(file);
        }
    }

    @Test
    void aCommandThatDoesNotSayWhatToDoShowsWhatThereIs() {
        for (String command : List.of("rules", "gpu")) {
            Sluice run = Sluice.run(command);
            assertEquals(2, run.status());
            assertTrue(run.err().startsWith("sluice: name what to do: "), run.err());
            assertTrue(run.err().contains("Usage: sluice " + command), run.err());
        }
        Sluice nonsense = Sluice.run("nonsense");
        assertEquals(2, nonsense.status());
        assertTrue(
                nonsense.err().startsWith("sluice: sluice has no command 'nonsense'"),
                nonsense.err());
        Sluice below = Sluice.run("rules", "nonsense");
        assertEquals(2, below.status());
        assertTrue(
                below.err().startsWith("sluice: sluice rules has no command 'nonsense'"),
                below.err());
        Sluice nearly = Sluice.run("headrs");
        assertEquals(2, nearly.status());
        assertTrue(nearly.err().contains("headers"), nearly.err());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "demo",
                "replay",
                "headers",
                "export",
                "run",
                "rules",
                "rules publish",
                "verdicts",
                "cat",
                "schemas",
                "rules add",
                "rules remove",
                "rules show",
                "rules log",
                "rules diff",
                "rules rollback",
                "bench",
                "bench engine",
                "bench corridor",
                ""
            })
    void everyCommandHasHelp(String command) {
        Sluice run = Sluice.run((Object[]) (command + " --help").strip().split(" "));
        assertEquals(0, run.status());
        assertTrue(run.out().contains("Usage: sluice"), run.out());
    }

    @Test
    void optionsOfTheCorridorThatNothingUsesAreRefused() {
        Object[] corridor = {"bench", "corridor", "--rules", "none", "--trace", "none", "", ""};
        corridor[6] = "--load-rate";
        corridor[7] = "5";
        assertOneLine(
                Sluice.run(corridor), 2, "--load-rate goes with --rule-changes or --sustain alone");
        corridor[6] = "--loader-cores";
        assertOneLine(
                Sluice.run(corridor),
                2,
                "--loader-cores goes with --latency, --rule-changes or --sustain");
        Sluice bench = Sluice.run("bench");
        assertEquals(2, bench.status());
        assertTrue(
                bench.err().startsWith("sluice: name what to do: sluice bench engine, corridor,"),
                bench.err());
    }

    @Test
    void optionsOutOfRangeAreRefused() throws IOException {
        Path rules = TestData.office("office.ovs");
        Path trace = folder.resolve("t.trace");
        Files.write(trace, List.of("1\t2\t3\t4\t6"));
        assertOneLine(
                Sluice.run(
                        "bench",
                        "engine",
                        "--rules",
                        rules,
                        "--trace",
                        trace,
                        "--algorithm",
                        "magic"),
                2,
                "no algorithm 'magic'");
        assertOneLine(
                Sluice.run("bench", "engine", "--rules", rules, "--trace", trace, "--gpu", "best"),
                2,
                "--gpu: 'best' names no devices");
        assertOneLine(
                Sluice.run("replay", trace, "--rules", rules, "--gpu", "0,x"),
                2,
                "--gpu: '0,x' names no devices");
        assertOneLine(
                Sluice.run("replay", trace, "--rules", rules, "--hand-over", "fast"),
                2,
                "--hand-over: 'fast' is no offload mode");
        assertOneLine(
                Sluice.run(
                        "bench",
                        "engine",
                        "--rules",
                        rules,
                        "--trace",
                        trace,
                        "--hand-over",
                        "persistent,copy"),
                2,
                "--hand-over: a kernel that stays reads mapped memory");
        assertOneLine(
                Sluice.run(
                        "bench",
                        "engine",
                        "--rules",
                        rules,
                        "--trace",
                        trace,
                        "--memory-budget",
                        "1k"),
                1,
                "no algorithm fits the budget of 1,024 bytes",
                "raise --memory-budget");
        assertOneLine(
                Sluice.run(
                        "bench",
                        "engine",
                        "--rules",
                        rules,
                        "--trace",
                        trace,
                        "--memory-budget",
                        "much"),
                2,
                "is no size");
        assertOneLine(
                Sluice.run("replay", trace, "--rules", rules, "--max-delay", 10),
                2,
                "--max-delay 10us is below 100us");
        assertOneLine(
                Sluice.run("replay", trace, "--rules", rules, "--rules-format", "pf"),
                2,
                "--rules-format pf is unknown");
        for (String option : List.of("--parallelism", "--in-flight", "--shards", "--block-size")) {
            assertOneLine(
                    Sluice.run("replay", trace, "--rules", rules, option, 0), 2, option + " 0 is");
        }
        for (String option : List.of("--rounds", "--threads", "--batch")) {
            assertOneLine(
                    Sluice.run("bench", "engine", "--rules", rules, "--trace", trace, option, 0),
                    2,
                    option + " 0 is not in");
        }
        assertOneLine(
                Sluice.run("run", "--bootstrap", "none:1", "--parallelism", 0),
                2,
                "--parallelism 0 is below 1");
    }
}
