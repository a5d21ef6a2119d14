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
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Command lines that are wrong usage: status 2, and a line that says where help is. */
class WrongUsageTest {
    private static final String BENCH = "bench engine --rules RULES --trace TRACE ";
    private static final String REPLAY = "replay TRACE --rules RULES ";

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

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "rules | name what to do: | Usage: sluice rules",
                "gpu | name what to do: | Usage: sluice gpu",
                "bench | name what to do: sluice bench engine, corridor, | Usage: sluice bench",
                "nonsense | sluice has no command 'nonsense' | sluice",
                "rules nonsense | sluice rules has no command 'nonsense' | sluice",
                "headrs | sluice has no command 'headrs' | headers",
            })
    void aCommandThatDoesNotSayWhatToDoShowsWhatThereIs(String line, String begin, String words) {
        Sluice run = Sluice.run((Object[]) line.split(" "));
        assertEquals(2, run.status());
        assertTrue(run.err().startsWith("sluice: " + begin), run.err());
        assertTrue(run.err().contains(words), run.err());
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
                "rules promote",
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
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                BENCH + "--algorithm magic | 2 | no algorithm 'magic'",
                BENCH + "--gpu best | 2 | --gpu: 'best' names no devices",
                BENCH
                        + "--hand-over persistent,copy | 2 | --hand-over: a kernel that stays reads mapped memory",
                BENCH + "--memory-budget 1k | 1 | no algorithm fits the budget of 1,024 bytes",
                BENCH + "--memory-budget 1k | 1 | raise --memory-budget",
                BENCH + "--memory-budget much | 2 | is no size",
                BENCH + "--rounds 0 | 2 | --rounds 0 is not in",
                BENCH + "--threads 0 | 2 | --threads 0 is not in",
                BENCH + "--batch 0 | 2 | --batch 0 is not in",
                REPLAY + "--gpu 0,x | 2 | --gpu: '0,x' names no devices",
                REPLAY + "--hand-over fast | 2 | --hand-over: 'fast' is no offload mode",
                REPLAY + "--max-delay 10 | 2 | --max-delay 10us is below 100us",
                REPLAY + "--rules-format ipfw | 2 | --rules-format ipfw is unknown",
                REPLAY + "--parallelism 0 | 2 | --parallelism 0 is",
                REPLAY + "--in-flight 0 | 2 | --in-flight 0 is",
                REPLAY + "--shards 0 | 2 | --shards 0 is",
                REPLAY + "--block-size 0 | 2 | --block-size 0 is",
                "run --bootstrap none:1 --parallelism 0 | 2 | --parallelism 0 is below 1",
            })
    void optionsOutOfRangeAreRefused(String line, int status, String words) throws IOException {
        Path trace = Files.write(folder.resolve("t.trace"), List.of("1\t2\t3\t4\t6"));
        String named =
                line.replace("RULES", TestData.office("office.ovs").toString())
                        .replace("TRACE", trace.toString());
        assertOneLine(Sluice.run((Object[]) named.split(" ")), status, words);
    }
}
