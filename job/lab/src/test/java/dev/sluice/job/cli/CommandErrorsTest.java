package dev.sluice.job.cli;

import static dev.sluice.job.cli.ErrorLines.assertOneLine;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.job.Sluice;
import dev.sluice.job.watch.Interruption;
import dev.sluice.policy.io.SluiceException;
import dev.sluice.schemas.testing.TestData;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Files that a command cannot read or write, rules that it cannot serve, and its end before time.
 */
class CommandErrorsTest {
    @TempDir Path folder;

    @Test
    void aMissingCaptureOrRuleFileIsNamed() {
        Path none = folder.resolve("none.pcap");
        Sluice headers = Sluice.run("headers", none);
        assertOneLine(headers, 1, "capture " + none + " does not exist");
        assertEquals("", headers.out());
        assertOneLine(
                Sluice.run("replay", none, "--rules", TestData.office("office.ovs")),
                1,
                "capture " + none + " does not exist");
        assertOneLine(
                Sluice.run("replay", none, "--rules", folder.resolve("none.ovs")),
                1,
                "rule file",
                "none.ovs does not exist");
        assertOneLine(Sluice.run("headers", folder), 1, "is a folder");
    }

    @Test
    void aLineOfARuleHistoryThatNamesNoRuleFileIsNamed() throws IOException {
        Path history = folder.resolve("h4");
        Files.writeString(history, "1 nofile.ovs\n");
        assertOneLine(
                Sluice.run("replay", "a.pcap", "--rules-history", history),
                1,
                history + ":1: rule file " + folder.resolve("nofile.ovs") + " does not exist; ");
    }

    @Test
    void anEmptyCaptureSaysSo() throws IOException {
        Path empty = folder.resolve("empty.pcap");
        Files.createFile(empty);
        Sluice run = Sluice.run("headers", empty);
        assertOneLine(run, 1, "empty-file at byte 0");
        assertEquals(1, run.out().lines().count());
    }

    @Test
    void replayLooksAtItsCaptureBeforeItStartsAnything() throws IOException {
        Path rules = folder.resolve("any.ovs");
        Files.writeString(rules, "priority=1,ip,actions=drop\n");
        Path empty = folder.resolve("none.pcap");
        Files.createFile(empty);
        assertOneLine(
                Sluice.run("replay", empty, "--rules", rules),
                1,
                "capture " + empty + ": empty-file at byte 0");
    }

    /** No broker answers there: the captures are looked at before anything is sent. */
    @Test
    void everyCaptureIsLookedAtBeforeTheFirstIsExported() throws IOException {
        Path good = TestData.office("office.pcapng.gz");
        Path none = folder.resolve("none.pcap");
        assertOneLine(
                Sluice.run("export", good, none, "--bootstrap", "localhost:1"),
                1,
                "capture " + none + " does not exist");
        Path text = folder.resolve("notes.txt");
        Files.writeString(text, "no capture");
        assertOneLine(
                Sluice.run("export", good, text, "--bootstrap", "localhost:1"),
                1,
                "capture " + text + ": bad-magic at byte 0",
                "leave it out");
    }

    @Test
    void headersOfSeveralCapturesAreToldApart() throws IOException {
        Path good = TestData.office("office.pcapng.gz");
        Path other = folder.resolve("other.pcapng.gz");
        Files.copy(good, other);
        List<String> one = Sluice.run("headers", good).out().lines().toList();
        List<String> both = Sluice.run("headers", good, other).out().lines().toList();
        List<String> expected = new ArrayList<>(List.of("capture\t" + one.get(0)));
        for (Path file : List.of(good, other)) {
            one.stream().skip(1).forEach(line -> expected.add(file + "\t" + line));
        }
        assertEquals(expected, both);
    }

    @Test
    void capturesBehindOneThatIsMissingAreRead() {
        Path good = TestData.office("office.pcapng.gz");
        Path none = folder.resolve("none.pcap");
        Sluice run = Sluice.run("headers", "--count", good, none, good);
        assertEquals(1, run.status());
        assertEquals(2, run.out().lines().count(), run.out());
        assertTrue(run.err().contains("sluice: capture " + none + " does not exist"), run.err());
    }

    @Test
    void anInterruptedCommandSaysHowFarItCame() throws InterruptedException {
        try (Interruption interruption = new Interruption()) {
            interruption.check();
            Thread end = new Thread(interruption::end);
            end.start();
            SluiceException e =
                    assertThrows(
                            SluiceException.class,
                            () -> {
                                while (true) {
                                    interruption.check();
                                    Thread.onSpinWait();
                                }
                            });
            assertEquals("interrupted", e.getMessage());
        }
    }

    @Test
    void aTemporaryDirectoryThatIsNotThereIsNamed() {
        Path none = folder.resolve("none");
        assertOneLine(
                Sluice.run(
                        "replay",
                        TestData.office("office.pcapng.gz"),
                        "--rules",
                        TestData.office("office.ovs"),
                        "--temp-dir",
                        none),
                1,
                "temporary folder " + none + " does not exist");
    }

    @Test
    void aVerdictFileThatCannotBeIsNamedBeforeTheWork() {
        Path out = folder.resolve("none/v.tsv");
        Sluice run =
                Sluice.run(
                        "replay",
                        TestData.office("office.pcapng.gz"),
                        "--rules",
                        TestData.office("office.ovs"),
                        "--verdicts",
                        out);
        assertOneLine(run, 1, "verdict file " + out + " cannot be written");
        assertFalse(run.err().contains("starting"), run.err());
    }

    @Test
    void rulesThatTheAlgorithmRefusesAreNamedBeforeTheWork() {
        Path capture = TestData.office("office.pcapng.gz");
        Path rules = TestData.office("office.ovs");
        assertOneLine(
                Sluice.run("replay", capture, "--rules", rules, "--algorithm", "routes"),
                1,
                "algorithm routes cannot serve this rule set");
        assertOneLine(
                Sluice.run("replay", capture, "--rules", rules, "--memory-budget", "1k"),
                1,
                "no algorithm fits the budget of 1,024 bytes");
    }

    @Test
    void whatGeneratesRulesNamesWhatIsMissing() {
        Path out = folder.resolve("generated.rules");
        assertOneLine(Sluice.run("rules", "generate", "--out", out), 2, "'--shape=NAME'");
        Path nowhere = folder.resolve("no-folder").resolve("x.rules");
        assertOneLine(
                Sluice.run("rules", "generate", "--shape", "acl", "--out", nowhere),
                1,
                "cannot be written: there is no folder");
    }

    @Test
    void benchPrintsJsonAndCountsWrongAnswers() throws IOException {
        Path rules = folder.resolve("r.rules");
        Files.write(rules, List.of("@0.0.0.1/32 0.0.0.0/0 0 : 65535 0 : 65535 0x06/0xFF"));
        Path trace = folder.resolve("t.trace");
        Files.write(trace, List.of("1\t2\t3\t4\t6\t0\t0", "9\t2\t3\t4\t6\t0\t-1"));
        Path good = folder.resolve("good.exp");
        Files.write(good, List.of("0", "-1"));
        Path bad = folder.resolve("bad.exp");
        Files.write(bad, List.of("0", "0"));
        Sluice right =
                Sluice.run(
                        "bench",
                        "engine",
                        "--rules",
                        rules,
                        "--trace",
                        trace,
                        "--expect",
                        good,
                        "--json",
                        "--rounds",
                        5);
        assertEquals(0, right.status(), right.err());
        for (String key :
                "rules ruleCount algorithm backend threads batch headers mpps mppsMin mppsMax buildSeconds imageBytes wrong"
                        .split(" ")) {
            assertTrue(right.out().contains("\"" + key + "\":"), right.out());
        }
        assertTrue(right.out().contains("\"wrong\":0"), right.out());
        assertEquals(
                1,
                Sluice.run(
                                "bench",
                                "engine",
                                "--rules",
                                rules,
                                "--trace",
                                trace,
                                "--expect",
                                bad,
                                "--rounds",
                                5)
                        .status());
    }
}
