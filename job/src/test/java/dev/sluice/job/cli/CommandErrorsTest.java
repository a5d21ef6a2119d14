package dev.sluice.job.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.sluice.job.Sluice;
import dev.sluice.job.TestData;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Errors as a user meets them: one clear line, a non-zero status, no stack trace. */
class CommandErrorsTest {
    @TempDir Path folder;

    /** A failure prints one line; wrong usage prints the usage behind it. */
    private static void assertOneLine(Sluice run, int status, String... parts) {
        assertEquals(status, run.status(), run.err());
        if (status != 2) {
            assertEquals(1, run.err().lines().count(), run.err());
        }
        assertFalse(run.err().contains("\tat "), run.err());
        for (String part : parts) {
            assertTrue(run.err().contains(part), run.err());
        }
    }

    @Test
    void aMissingCaptureOrRuleFileIsNamed() {
        Path none = folder.resolve("none.pcap");
        assertOneLine(Sluice.run("headers", none), 1, "capture " + none + " does not exist");
        assertOneLine(
                Sluice.run("replay", none, "--rules", TestData.office("office.ovs")),
                1,
                "capture " + none + " does not exist");
        assertOneLine(
                Sluice.run("replay", none, "--rules", folder.resolve("none.ovs")),
                1,
                "rule file",
                "none.ovs does not exist");
        assertOneLine(Sluice.run("headers", folder), 1, "is a directory");
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
    void wrongUsageIsStatusTwoAndShowsTheUsage() {
        assertOneLine(Sluice.run("replay"), 2, "Usage: sluice replay");
        assertOneLine(Sluice.run("rules"), 2, "sluice rules publish");
        assertOneLine(Sluice.run("nonsense"), 2, "nonsense");
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
                ""
            })
    void everyCommandHasHelp(String command) {
        Sluice run = Sluice.run((Object[]) (command + " --help").strip().split(" "));
        assertEquals(0, run.status());
        assertTrue(run.out().contains("Usage: sluice"), run.out());
    }

    @Test
    void anOccupiedPortIsNamed() throws IOException {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            Sluice run =
                    Sluice.run(
                            "replay",
                            TestData.office("office.pcapng.gz"),
                            "--rules",
                            TestData.office("office.ovs"),
                            "--kafka-port",
                            taken.getLocalPort(),
                            "--temp-dir",
                            folder);
            List<String> lines = run.err().lines().toList();
            assertEquals(2, lines.size(), run.err());
            assertTrue(lines.get(0).startsWith("sluice: starting an embedded"), run.err());
            assertOneLine(
                    new Sluice(run.status(), run.out(), lines.get(1)),
                    1,
                    "port " + taken.getLocalPort() + " cannot be used");
        }
        assertEquals(0, folder.toFile().list().length, "temporary files were left behind");
    }

    @Test
    void anUnreachableBrokerIsNamed() throws IOException {
        int free;
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            free = socket.getLocalPort();
        }
        assertOneLine(
                Sluice.run(
                        "export",
                        TestData.office("office.pcapng.gz"),
                        "--bootstrap",
                        "localhost:" + free),
                1,
                "no Kafka broker answers at localhost:" + free);
        assertOneLine(
                Sluice.run("run", "--bootstrap", "no address"), 1, "is no address of a broker");
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
                "temporary directory " + none + " does not exist");
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
    void aMachineWithoutAGpuSaysSo() {
        Sluice info = Sluice.run("gpu", "info");
        assumeTrue(info.status() != 0, "this machine has a GPU: nothing to refuse");
        assertOneLine(info, 1, "CUDA");
        assertOneLine(Sluice.run("gpu", "check"), 1, "CUDA");
        assertOneLine(
                Sluice.run("gpu", "bench", "--shape", "round"), 1, "--shape round is unknown");
    }

    @Test
    void optionsOutOfRangeAreRefused() throws IOException {
        Path rules = TestData.office("office.ovs");
        Path trace = folder.resolve("t.trace");
        Files.write(trace, List.of("1\t2\t3\t4\t6"));
        assertOneLine(
                Sluice.run("bench", "--rules", rules, "--trace", trace, "--algorithm", "magic"),
                1,
                "no algorithm 'magic'");
        assertOneLine(
                Sluice.run("bench", "--rules", rules, "--trace", trace, "--gpu", "best"),
                1,
                "--gpu: 'best' names no devices");
        assertOneLine(
                Sluice.run("replay", trace, "--rules", rules, "--gpu", "0,x"),
                1,
                "--gpu: '0,x' names no devices");
        assertOneLine(
                Sluice.run("replay", trace, "--rules", rules, "--hand-over", "fast"),
                1,
                "--hand-over: 'fast' is no offload mode");
        assertOneLine(
                Sluice.run(
                        "bench",
                        "--rules",
                        rules,
                        "--trace",
                        trace,
                        "--hand-over",
                        "persistent,copy"),
                1,
                "--hand-over: a kernel that stays reads mapped memory");
        assertOneLine(
                Sluice.run("bench", "--rules", rules, "--trace", trace, "--memory-budget", "1k"),
                1,
                "over the budget");
        assertOneLine(
                Sluice.run("bench", "--rules", rules, "--trace", trace, "--memory-budget", "much"),
                1,
                "is no size");
        assertOneLine(
                Sluice.run("replay", trace, "--rules", rules, "--max-delay", 10), 1, "below 100");
        assertOneLine(
                Sluice.run("replay", trace, "--rules", rules, "--rules-format", "pf"),
                1,
                "--rules-format pf is unknown");
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
