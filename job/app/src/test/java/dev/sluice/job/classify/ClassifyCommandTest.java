package dev.sluice.job.classify;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.sluice.engine.lookup.VerdictBatch;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.job.Sluice;
import dev.sluice.job.capture.CaptureBatch;
import dev.sluice.job.capture.ParserOptions;
import dev.sluice.job.cli.Main;
import dev.sluice.job.cli.StandardOutput;
import dev.sluice.job.hits.CaptureHits;
import dev.sluice.job.replay.LineBytes;
import dev.sluice.policy.RuleFile;
import dev.sluice.schemas.testing.Await;
import dev.sluice.schemas.testing.TestData;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code classify} against the verdicts that a program of its own expects. */
class ClassifyCommandTest {
    private static final Path CAPTURE = TestData.office("office.pcapng.gz");
    private static final Path RULES = TestData.office("office.ovs");

    private static final String ANY_RULE =
            "@0.0.0.0/0\t0.0.0.0/0\t0 : 65535\t0 : 65535\t0x00/0x00\n";

    @TempDir Path folder;

    @Test
    void everyPacketHasItsExpectedVerdictOnALine() throws IOException {
        Sluice run = Sluice.run("classify", CAPTURE, "--rules", RULES);
        assertEquals(0, run.status(), run.err());
        List<String> lines = run.out().lines().toList();
        List<String> expected = Files.readAllLines(TestData.office("office.verdicts.tsv"));
        assertEquals(expected.size(), lines.size());
        for (int i = 1; i < lines.size(); i++) {
            String[] want = expected.get(i).split("\t", -1);
            String[] seen = lines.get(i).split("\t", -1);
            assertEquals(
                    List.of(CAPTURE.toString(), want[0], want[1], want[2], want[3], "1"),
                    List.of(seen[0], seen[1], seen[3], seen[4], seen[5], seen[6]));
        }
        assertTrue(run.err().contains("1,057 packets; 0 dead letters"), run.err());
        assertTrue(run.err().contains("never hit: 1 of 26 rules, line 2"), run.err());
    }

    @Test
    void aFileOfVerdictsHasTheSameLinesAndTheSummaryStandsOnStandardOutput() throws IOException {
        Path out = folder.resolve("verdicts.tsv");
        Sluice file = Sluice.run("classify", CAPTURE, "--rules", RULES, "--verdicts", out);
        assertEquals(0, file.status(), file.err());
        assertEquals(
                Sluice.run("classify", CAPTURE, "--rules", RULES).out(), Files.readString(out));
        assertTrue(file.out().contains("priority=700,tcp,nw_src=192.0.2.10"), file.out());
        Sluice summary = Sluice.run("classify", CAPTURE, "--rules", RULES, "--summary");
        assertEquals(
                file.out().lines().limit(20).toList(), summary.out().lines().limit(20).toList());
    }

    @Test
    void packetsBeforeACutAreClassifiedAndTheNextCaptureIsRead() throws IOException {
        byte[] whole = Files.readAllBytes(CAPTURE);
        Path cut = folder.resolve("cut.pcapng.gz");
        Files.write(cut, Arrays.copyOf(whole, whole.length / 2));
        Sluice run = Sluice.run("classify", cut, CAPTURE, "--rules", RULES);
        assertEquals(1, run.status());
        assertTrue(run.err().contains("every packet before it was classified"), run.err());
        long ofCut = run.out().lines().filter(line -> line.startsWith(cut + "\t")).count();
        long ofWhole = run.out().lines().filter(line -> line.startsWith(CAPTURE + "\t")).count();
        assertEquals(1057, ofWhole);
        assertTrue(ofCut > 0 && ofCut < ofWhole, ofCut + " lines");
    }

    @Test
    void whatIsWrongIsNamedBeforeAnythingIsRead() {
        Path missing = folder.resolve("missing.pcap");
        Sluice run = Sluice.run("classify", CAPTURE, missing, "--rules", RULES);
        assertEquals(1, run.status());
        assertTrue(run.err().contains(missing + " does not exist"), run.err());
        assertEquals("", run.out());
        assertUsage("--rules", "classify", CAPTURE);
        assertUsage("name one", "classify", CAPTURE, CAPTURE, "--rules", RULES, "--follow");
        assertUsage("name - once", "classify", "-", "-", "--rules", RULES);
        Path out = folder.resolve("verdicts.tsv");
        assertUsage(
                "--summary", "classify", CAPTURE, "--rules", RULES, "--summary", "--verdicts", out);
        assertFalse(Files.exists(out));
    }

    @Test
    void whatIsNoCaptureSaysSoAndNothingOfTheRules() throws IOException {
        Path empty = Files.createFile(folder.resolve("empty.pcap"));
        Path text = Files.writeString(folder.resolve("notes.txt"), "no capture");
        for (Path none : List.of(text, empty)) {
            Sluice run = Sluice.run("classify", none, "--rules", RULES);
            assertEquals(1, run.status());
            assertTrue(run.err().contains("; nothing of it was classified"), run.err());
            assertFalse(run.err().contains("never hit"), run.err());
            assertFalse(run.err().contains("too few packets"), run.err());
        }
        Sluice of = Sluice.run("classify", folder, "--rules", RULES);
        assertEquals(1, of.status());
        assertTrue(of.err().contains(folder + " is a folder; name the files in it"), of.err());
    }

    @Test
    void aNamedPipeIsReadAsTheFileThatComesThroughIt() throws Exception {
        Path pipe = folder.resolve("pipe");
        assumeTrue(
                new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor() == 0,
                "there is no mkfifo here");
        Process writer =
                new ProcessBuilder("cp", CAPTURE.toString(), pipe.toString()).inheritIO().start();
        Sluice run = Sluice.run("classify", pipe, "--rules", RULES);
        assertEquals(0, writer.waitFor());
        assertEquals(0, run.status(), run.err());
        String file = Sluice.run("classify", CAPTURE, "--rules", RULES).out();
        assertEquals(file.replace(CAPTURE + "\t", pipe + "\t"), run.out());
    }

    private static String pcap(int major, int firstLength) {
        ByteBuffer file = ByteBuffer.allocate(40).order(ByteOrder.LITTLE_ENDIAN);
        file.putInt(0xa1b2c3d4).putShort((short) major).putShort((short) 4);
        file.putInt(16, 65535).putInt(20, 1).putInt(32, firstLength).putInt(36, firstLength);
        return new String(file.array(), StandardCharsets.ISO_8859_1);
    }

    @Test
    void damageBeforeTheFirstPacketLeavesNothingToClassify() throws IOException {
        for (String content : List.of(pcap(2, -1), pcap(3, 0), pcap(2, 9), "x")) {
            Path bad = folder.resolve("bad.pcap");
            Files.writeString(bad, content, StandardCharsets.ISO_8859_1);
            for (List<String> command : List.of(List.of("classify"), List.of("rules", "hits"))) {
                List<Object> words = new ArrayList<>(command);
                words.addAll(List.of(bad, "--rules", RULES));
                Sluice run = Sluice.run(words.toArray());
                assertEquals(1, run.status(), run.err());
                assertTrue(run.err().contains("; nothing of it was classified"), run.err());
            }
        }
    }

    /** A pipe through which a file comes. */
    private Path pipe(String name, Path file) throws Exception {
        Path pipe = folder.resolve(name);
        assumeTrue(
                new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor() == 0,
                "there is no mkfifo here");
        new ProcessBuilder("cp", file.toString(), pipe.toString()).inheritIO().start();
        return pipe;
    }

    @Test
    void filesOfRulesActionsAndPortsMayBePipes() throws Exception {
        Path rules = pipe("rules", RULES);
        Sluice run = Sluice.run("classify", CAPTURE, "--rules", rules);
        assertEquals(0, run.status(), run.err());
        assertEquals(Sluice.run("classify", CAPTURE, "--rules", RULES).out(), run.out());
        Path filters = Files.writeString(folder.resolve("a.rules"), ANY_RULE);
        Path actions = Files.writeString(folder.resolve("a.actions"), "1 allow\n");
        Sluice acted =
                Sluice.run(
                        "classify",
                        CAPTURE,
                        "--rules",
                        filters,
                        "--actions",
                        pipe("actions", actions),
                        "--summary");
        assertEquals(0, acted.status(), acted.err());
        assertTrue(acted.out().contains("allow"), acted.out());
        Path flows = Files.writeString(folder.resolve("a.ovs"), "in_port=up,actions=drop\n");
        Path ports = Files.writeString(folder.resolve("a.ports"), "up 7\n");
        Object[] named = {"classify", CAPTURE, "--rules", flows, "--ports", ports, "--summary"};
        named[5] = pipe("ports", ports);
        Sluice ported = Sluice.run(named);
        assertEquals(0, ported.status(), ported.err());
    }

    @Test
    void aHistoryOfRulesReadsItsPortsOnce() throws Exception {
        Path flows = Files.writeString(folder.resolve("a.ovs"), "in_port=up,actions=drop\n");
        Path ports = Files.writeString(folder.resolve("a.ports"), "up 7\n");
        String twice = "2026-11-22T14:00:00Z %1$s\n2026-11-22T15:00:00Z %1$s\n".formatted(flows);
        Path history = Files.writeString(folder.resolve("history"), twice);
        Sluice run =
                Sluice.run(
                        "replay",
                        folder.resolve("none.pcap"),
                        "--rules-history",
                        history,
                        "--ports",
                        pipe("ports", ports));
        assertEquals(1, run.status(), run.err());
        assertTrue(run.err().contains("none.pcap does not exist"), run.err());
    }

    private static Process follow(Path capture, Path verdicts, Path err) throws IOException {
        return Sluice.process(
                        "classify", capture, "--rules", RULES, "--follow", "--verdicts", verdicts)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .redirectError(err.toFile())
                .start();
    }

    private static void awaitLines(Process running, Path file, long lines) throws Exception {
        Await.until(
                () -> {
                    assertTrue(running.isAlive(), "it has ended");
                    return Files.exists(file) && lines(file) >= lines;
                });
    }

    private static long lines(Path file) throws IOException {
        try (Stream<String> lines = Files.lines(file)) {
            return lines.count();
        }
    }

    private Path unpacked() throws IOException {
        Path capture = folder.resolve("followed.pcapng");
        try (GZIPInputStream in = new GZIPInputStream(Files.newInputStream(CAPTURE))) {
            Files.copy(in, capture);
        }
        return capture;
    }

    @Test
    void aFollowedCaptureThatIsInterruptedIsNoFailure() throws Exception {
        Path capture = unpacked();
        byte[] begun = {6, 0, 0, 0, 100}; // a block that is being written
        Files.write(capture, begun, StandardOpenOption.APPEND);
        Path verdicts = folder.resolve("verdicts.tsv");
        Path err = folder.resolve("err");
        Process running = follow(capture, verdicts, err);
        awaitLines(running, verdicts, 1_058);
        assertTrue(running.toHandle().destroy());
        assertEquals(0, running.waitFor(), () -> text(err));
        String said = text(err);
        assertTrue(said.contains("classifying: 1,057 packets, done"), said);
        assertTrue(
                said.endsWith(
                        "sluice: interrupted; every packet up to there was classified\n"
                                + "sluice: verdicts are in "
                                + verdicts
                                + "\n"),
                said);
    }

    /** What a command says that fails since the capture it follows changed when all was read. */
    private String saidOnChange(Path capture, Callable<Path> change) throws Exception {
        Path verdicts = folder.resolve("verdicts.tsv");
        Path err = folder.resolve("err");
        Process running = follow(capture, verdicts, err);
        awaitLines(running, verdicts, 1_058);
        change.call();
        assertEquals(1, running.waitFor(), () -> text(err));
        assertEquals(1_058, lines(verdicts));
        return text(err);
    }

    @Test
    void aFollowedCaptureThatIsCutEndsTheCommand() throws Exception {
        Path capture = unpacked();
        long length = Files.size(capture);
        byte[] begin = Arrays.copyOf(Files.readAllBytes(capture), 500);
        String said = saidOnChange(capture, () -> Files.write(capture, begin));
        assertTrue(
                said.contains(
                        "sluice: %s: cut-short at byte %d: the file has 500 bytes now, and %,d of it were read"
                                .formatted(capture, length, length)),
                said);
        assertTrue(said.contains("; every packet before it was classified"), said);
    }

    @Test
    void aFollowedCaptureWhoseNameAnotherFileTakesEndsTheCommand() throws Exception {
        Path capture = unpacked();
        Path next = folder.resolve("next.pcapng");
        Files.copy(capture, next); // as long as what was read
        String said =
                saidOnChange(
                        capture,
                        () -> Files.move(next, capture, StandardCopyOption.REPLACE_EXISTING));
        assertTrue(said.contains("another file has its name now"), said);
    }

    private static String text(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void assertUsage(String says, Object... words) {
        Sluice run = Sluice.run(words);
        assertEquals(2, run.status(), run.err());
        assertTrue(run.err().contains(says), run.err());
    }

    @Test
    void verdictsThatCannotBeWrittenAreNamed() {
        Path out = folder.resolve("no-folder/verdicts.tsv");
        Sluice run = Sluice.run("classify", CAPTURE, "--rules", RULES, "--verdicts", out);
        assertEquals(1, run.status());
        assertTrue(run.err().contains(out.toString()), run.err());
    }

    @Test
    void aFullDiskEndsTheCommandWithTheNameOfTheFile() {
        Path full = Path.of("/dev/full");
        assumeTrue(Files.exists(full));
        Sluice run = Sluice.run("classify", CAPTURE, "--rules", RULES, "--verdicts", full);
        assertEquals(1, run.status());
        assertTrue(
                run.err().contains("/dev/full cannot be written: no space is left in /dev"),
                run.err());
    }

    @Test
    void linesOnStandardOutputAreTheFilesBytes() throws IOException {
        Path odd = folder.resolve("büro.pcapng.gz");
        Files.copy(CAPTURE, odd);
        Path file = folder.resolve("verdicts.tsv");
        assertEquals(0, Sluice.run("classify", odd, "--rules", RULES, "--verdicts", file).status());
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        String[] words = {"classify", odd.toString(), "--rules", RULES.toString()};
        PrintWriter err = new PrintWriter(Writer.nullWriter());
        assertEquals(0, Main.run(words, new StandardOutput(out), err));
        assertArrayEquals(Files.readAllBytes(file), out.toByteArray());
    }

    @Test
    void batchesComeBackAndTheFailureIsToldWhereAnOutputFails() throws Exception {
        RuleSet rules = RuleFile.read(RULES, null).toRuleSet("office", 1, RuleSet.DROP);
        try (CaptureHits hits = new CaptureHits(rules, ParserOptions.DEFAULTS, null)) {
            CaptureBatch batch = hits.newBatch();
            BlockingQueue<CaptureBatch> back = new LinkedBlockingQueue<>();
            LineBytes.Output full =
                    new LineBytes.Output() {
                        @Override
                        public void write(LineBytes lines) {
                            throw new OutOfMemoryError("of this test");
                        }

                        @Override
                        public void flush() {}
                    };
            VerdictText text = new VerdictText(List.of("a"), rules, "", 0);
            VerdictWriter writer = new VerdictWriter(full, text, back::add);
            OutOfMemoryError e =
                    assertThrows(
                            OutOfMemoryError.class,
                            () -> {
                                while (true) {
                                    writer.take(batch, new VerdictBatch(0));
                                    assertSame(batch, back.take());
                                }
                            });
            assertEquals("of this test", e.getMessage());
            assertThrows(OutOfMemoryError.class, writer::close);
        }
    }

    /** Amid files the file that was there stays, and what was done is beside it in whole lines. */
    @Test
    void ctrlCAmidFilesLeavesNoCutFileUnderTheFinalName() throws Exception {
        Path many = Files.createDirectories(folder.resolve("many"));
        Path one = Files.copy(CAPTURE, folder.resolve("one.pcapng.gz"));
        for (int i = 0; i < 10_000; i++) {
            Files.createSymbolicLink(many.resolve(i + ".pcapng.gz"), one);
        }
        Path verdicts = Files.writeString(folder.resolve("many.tsv"), "old");
        Path part = folder.resolve("many.tsv.part");
        Path err = folder.resolve("many.err");
        Process process =
                Sluice.process("classify", many + "/*", "--rules", RULES, "--verdicts", verdicts)
                        .redirectError(err.toFile())
                        .redirectOutput(folder.resolve("many.out").toFile())
                        .start();
        while (!Files.exists(part) || Files.size(part) == 0) {
            assertTrue(process.isAlive(), Files.readString(err));
            Await.pause();
        }
        new ProcessBuilder("kill", "-INT", String.valueOf(process.pid())).start().waitFor();
        assertEquals(1, process.waitFor(), Files.readString(err));
        assertEquals("old", Files.readString(verdicts));
        String lines = Files.readString(part);
        assertTrue(lines.startsWith("capture\tpacket") && lines.endsWith("\n"));
        String said = Files.readString(err);
        assertTrue(said.contains("sluice: interrupted; every packet up to there"), said);
        assertTrue(said.endsWith("sluice: verdicts are in " + part + "\n"), said);
    }
}
