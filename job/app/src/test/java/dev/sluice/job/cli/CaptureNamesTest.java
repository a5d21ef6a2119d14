package dev.sluice.job.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.sluice.job.Sluice;
import dev.sluice.schemas.testing.TestData;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Captures are named the same way in all commands, and rules in their place are recognized. */
class CaptureNamesTest {
    private static final Path RULES = TestData.office("office.ovs");
    private static final Path CAPTURE = TestData.office("office.pcapng.gz");

    @TempDir Path folder;

    private static void refused(int status, String message, Object... words) {
        Sluice run = Sluice.run(words);
        assertEquals(status, run.status(), run.err());
        assertEquals("sluice: " + message, run.err().lines().findFirst().orElse(""));
    }

    @Test
    void swappedArgumentsAreRecognized() {
        for (String command : List.of("classify", "replay", "rules hits")) {
            Object[] words = (command + " " + RULES + " --rules " + CAPTURE).split(" ");
            refused(
                    2,
                    "%s holds rules, and --rules %s is a capture; swap them: sluice %s %s --rules %s"
                            .formatted(RULES, CAPTURE, command, CAPTURE, RULES),
                    words);
        }
        String list = RULES + "#0";
        refused(
                2,
                "%s holds rules, and --rules %s is a capture; swap them: sluice classify %s --rules %s"
                        .formatted(list, CAPTURE, CAPTURE, list),
                "classify",
                list,
                "--rules",
                CAPTURE);
        refused(
                2,
                "--rules " + CAPTURE + " is a capture; name the rule file there",
                "classify",
                CAPTURE,
                "--rules",
                CAPTURE);
        refused(
                2,
                RULES
                        + " holds rules and is no capture; name captures there, and the rules by --rules",
                "filter",
                RULES,
                "--rules",
                RULES,
                "--action",
                "drop",
                "-w",
                folder.resolve("out.pcap"));
        refused(2, RULES + " holds rules and is no capture; name captures there", "headers", RULES);
        refused(
                2,
                "--rules " + CAPTURE + " is a capture; name the rule file there",
                "rules",
                "publish",
                "--bootstrap",
                "localhost:1",
                "--rules",
                CAPTURE);
    }

    @Test
    void patternsAreExpandedAlikeAndANameLikeAPatternIsAFile() throws IOException {
        Path day = Files.createDirectories(folder.resolve("day/night"));
        Path a = Files.copy(CAPTURE, folder.resolve("day/a.pcapng.gz"));
        Path b = Files.copy(CAPTURE, day.resolve("b.pcapng.gz"));
        Path odd = Files.copy(CAPTURE, day.resolve("[c]*.pcapng.gz"));
        String pattern = folder + "/day/**/[ab].*";
        Sluice named = Sluice.run("classify", a, b, "--rules", RULES);
        Sluice found = Sluice.run("classify", pattern, "--rules", RULES);
        assertEquals(0, found.status(), found.err());
        assertEquals(named.out(), found.out());
        assertEquals(Sluice.run("headers", a, b).out(), Sluice.run("headers", pattern).out());
        assertEquals(0, Sluice.run("headers", odd).status());
        refused(
                1,
                "capture " + folder + "/none*.pcap matches no file; check the pattern",
                "headers",
                folder + "/none*.pcap");
    }

    /** Java lists such a name, and cannot spell it. */
    @Test
    void aNameThatIsNoUtf8IsFoundByWhatItIsPrintedAsAndByAPattern() throws Exception {
        assumeTrue(
                "UTF-8".equals(System.getProperty("sun.jnu.encoding")),
                "this Java takes names of files for another encoding than UTF-8");
        Process copy =
                new ProcessBuilder(
                                "bash", "-c", "cp \"$0\" $'b\\xff.pcapng.gz'", CAPTURE.toString())
                        .directory(folder.toFile())
                        .start();
        assertEquals(0, copy.waitFor());
        for (String name : List.of("b\ufffd.pcapng.gz", "*.pcapng.gz")) {
            Sluice run = Sluice.run("classify", folder.resolve(name), "--rules", RULES);
            assertEquals(0, run.status(), run.err());
            assertTrue(run.err().contains("1,057 packets"), run.err());
        }
    }

    @Test
    void durationsTakeAUnitEverywhere() {
        for (String option :
                List.of(
                        "--checkpoint-interval",
                        "--transaction-timeout",
                        "--max-delay",
                        "--status-every",
                        "--stats-window",
                        "--rules-idle")) {
            refused(
                    2,
                    option
                            + " 3x is no duration; write a number with us, ms, s, m, h or d behind it, as in 10s",
                    "run",
                    "--bootstrap",
                    "localhost:1",
                    "--rules-time",
                    "event",
                    option,
                    "3x");
        }
        refused(
                2,
                "--checkpoint-interval 9ms is below 10ms, the least that it takes",
                "run",
                "--bootstrap",
                "localhost:1",
                "--checkpoint-interval",
                "9");
        Sluice taken =
                Sluice.run(
                        "run",
                        "--bootstrap",
                        "localhost:1",
                        "--checkpoint-interval",
                        "1s",
                        "--transaction-timeout",
                        "10m",
                        "--max-delay",
                        "2ms",
                        "--parallelism",
                        "0");
        assertTrue(taken.err().startsWith("sluice: --parallelism 0"), taken.err());
    }
}
