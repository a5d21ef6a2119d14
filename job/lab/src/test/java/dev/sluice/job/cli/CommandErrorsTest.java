package dev.sluice.job.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.sluice.job.Sluice;
import dev.sluice.job.watch.Interruption;
import dev.sluice.policy.io.SluiceException;
import dev.sluice.schemas.testing.TestData;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Errors as a user meets them: one clear line, a non-zero status, no stack trace. */
class CommandErrorsTest {
    @TempDir Path folder;

    /** A failure prints one line; wrong usage a second one, which says where help is. */
    private static void assertOneLine(Sluice run, int status, String... parts) {
        assertEquals(status, run.status(), run.err());
        List<String> lines = run.err().lines().toList();
        assertEquals(status, lines.size(), run.err());
        if (status == 2) {
            assertTrue(lines.get(1).matches("sluice: see sluice[a-z ]* --help"), run.err());
        }
        assertFalse(run.err().contains("\tat "), run.err());
        for (String part : parts) {
            assertTrue(run.err().contains(part), run.err());
        }
    }

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
    void oneTopicForTwoPurposesIsRefused() {
        assertOneLine(
                Sluice.run("run", "--bootstrap", "localhost:1", "--packets-topic", "sluice-stats"),
                2,
                "--packets-topic and --stats-topic both name sluice-stats; name two topics");
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

    /** Runs a command whose output fails after some bytes, with a reason. */
    private static Sluice runInto(String reason, long[] written, Object... words) {
        StringWriter err = new StringWriter();
        OutputStream out =
                new OutputStream() {
                    @Override
                    public void write(int b) throws IOException {
                        throw new IOException(reason);
                    }

                    @Override
                    public void write(byte[] bytes, int offset, int length) throws IOException {
                        written[0] += length;
                        throw new IOException(reason);
                    }
                };
        String[] line = Arrays.stream(words).map(Object::toString).toArray(String[]::new);
        int status = Main.run(line, new StandardOutput(out), new PrintWriter(err));
        return new Sluice(status, "", err.toString());
    }

    @Test
    void outputThatIsLostIsAFailure() {
        long[] written = {0};
        Path capture = TestData.office("office.pcapng.gz");
        Sluice full = runInto("No space left on device", written, "headers", capture);
        assertEquals(1, full.status());
        assertTrue(
                full.err()
                        .contains(
                                "sluice: standard output cannot be written: No space left on device"),
                full.err());
        assertEquals(1, runInto("No space left on device", written, "schemas").status());
    }

    @Test
    void nothingMoreIsReadWhenNobodyReadsTheOutput() {
        long[] written = {0};
        Object[] line = new Object[41];
        Arrays.fill(line, TestData.office("office.pcapng.gz"));
        line[0] = "headers";
        Sluice left = runInto("Broken pipe", written, line);
        assertEquals(0, left.status(), left.err());
        assertTrue(left.err().lines().count() < 20, left.err());
        assertTrue(written[0] <= 1 << 16, written[0] + " bytes");
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
                    "cannot listen on localhost:" + taken.getLocalPort(),
                    "choose another --kafka-port, or 0 for a free port");
        }
        assertEquals(0, folder.toFile().list().length, "temporary files were left behind");
    }

    /** A port that nobody listens on. */
    private static int unusedPort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    @Test
    @Tag("long")
    void aBrokerThatTakesConnectionsAndDoesNotAnswerIsNotCalledAbsent() throws IOException {
        try (ServerSocket busy = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            String address = "localhost:" + busy.getLocalPort();
            assertOneLine(
                    Sluice.run(
                            "export", TestData.office("office.pcapng.gz"), "--bootstrap", address),
                    1,
                    "a Kafka broker at " + address + " takes connections",
                    "try again, and look at its log");
        }
    }

    @Test
    void anUnreachableBrokerIsNamed() throws IOException {
        String nobody = "localhost:" + unusedPort();
        assertOneLine(
                Sluice.run("export", TestData.office("office.pcapng.gz"), "--bootstrap", nobody),
                1,
                "no Kafka broker answers at " + nobody);
        assertOneLine(
                Sluice.run("run", "--bootstrap", "no address"), 2, "is no address of a broker");
    }

    /** Before Kafka is asked for anything. */
    @Test
    void aClusterThatDoesNotAnswerAndCheckpointsThatCannotBeAreNamed() throws IOException {
        String nobody = "localhost:" + unusedPort();
        assertOneLine(
                Sluice.run("run", "--bootstrap", "none:1", "--flink", nobody),
                1,
                "nobody answers at --flink " + nobody);
        assertOneLine(
                Sluice.run("run", "--bootstrap", "none:1", "--flink", "localhost:70000"),
                2,
                "--flink localhost:70000 is no address");
        Path file = Files.createFile(folder.resolve("file"));
        assertOneLine(
                Sluice.run("run", "--bootstrap", "none:1", "--checkpoints", file),
                1,
                "--checkpoints " + file + " cannot be used");
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
    void aMachineWithoutAGpuSaysSo() {
        Sluice info = Sluice.run("gpu", "info");
        assumeTrue(info.status() != 0, "this machine has a GPU: nothing to refuse");
        assertOneLine(info, 1, "CUDA");
        assertFalse(info.err().contains("--gpu"), info.err());
        assertOneLine(Sluice.run("gpu", "check"), 1, "CUDA");
        assertOneLine(
                Sluice.run("gpu", "bench", "--shape", "round"), 2, "--shape round is unknown");
    }

    @Test
    void aFolderOfOthersIsNoClusters() throws IOException {
        Path mine = Files.writeString(folder.resolve("mine"), "mine");
        assertOneLine(
                Sluice.run("cluster", "up", "--cluster", folder),
                2,
                "--cluster " + folder + " is a folder with other files; name a new folder");
        assertEquals(List.of(mine), Files.list(folder).toList());
        Path state = Files.writeString(folder.resolve("cluster.json"), "{\"a\":1}");
        for (String command : List.of("status", "down")) {
            assertOneLine(
                    Sluice.run("cluster", command, "--cluster", folder),
                    1,
                    state + " is no state of a cluster; name another folder");
        }
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

    @Test
    void aClusterThatIsNotThereIsNamedAndOptionsThatExcludeEachOtherAre() {
        Path none = folder.resolve("none");
        assertOneLine(
                Sluice.run("cluster", "status", "--cluster", none),
                1,
                "no cluster is up in " + none);
        assertOneLine(
                Sluice.run("cluster", "down", "--cluster", none), 1, "no cluster is up in " + none);
        assertOneLine(
                Sluice.run("run", "--bootstrap", "localhost:1", "--cluster", none),
                1,
                "no cluster is up in " + none);
        assertOneLine(
                Sluice.run(
                        "run", "--bootstrap", "localhost:1", "--cluster", none, "--flink", "h:1"),
                2,
                "--cluster and --flink=h:1 exclude each other; leave one out");
        assertOneLine(
                Sluice.run("cluster", "up", "--cluster", none, "--host", "0.0.0.0"),
                2,
                "--host 0.0.0.0 is no address");
        assertOneLine(
                Sluice.run(
                        "cluster", "up", "--cluster", none, "--memory", "1g", "--task-managers", 3),
                2,
                "--memory: 1024 MiB is too little; a broker, a JobManager and");
    }
}
