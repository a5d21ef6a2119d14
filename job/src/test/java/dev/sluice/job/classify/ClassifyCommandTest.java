package dev.sluice.job.classify;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.sluice.engine.rules.RuleSet;
import dev.sluice.job.Sluice;
import dev.sluice.job.TestData;
import dev.sluice.job.capture.CaptureBatch;
import dev.sluice.job.capture.HeaderDepth;
import dev.sluice.job.cli.Main;
import dev.sluice.job.cli.StandardOutput;
import dev.sluice.job.hits.CaptureHits;
import dev.sluice.job.importers.RuleFile;
import dev.sluice.job.replay.LineBytes;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code classify} against the verdicts that a program of its own expects. */
class ClassifyCommandTest {
    private static final Path CAPTURE = TestData.office("office.pcapng.gz");
    private static final Path RULES = TestData.office("office.ovs");

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
        for (Path none : List.of(RULES, empty)) {
            Sluice run = Sluice.run("classify", none, "--rules", RULES);
            assertEquals(1, run.status());
            assertTrue(run.err().contains("; nothing of it was classified"), run.err());
            assertFalse(run.err().contains("never hit"), run.err());
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
        assertTrue(run.err().contains("/dev/full cannot be written: No space left"), run.err());
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
        try (CaptureHits hits = new CaptureHits(rules, HeaderDepth.OUTER, null)) {
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
            VerdictText text = new VerdictText(List.of("a"), rules);
            VerdictWriter writer = new VerdictWriter(full, text, back::add);
            OutOfMemoryError e =
                    assertThrows(
                            OutOfMemoryError.class,
                            () -> {
                                while (true) {
                                    writer.take(batch, new int[0]);
                                    assertSame(batch, back.take());
                                }
                            });
            assertEquals("of this test", e.getMessage());
            assertThrows(OutOfMemoryError.class, writer::close);
        }
    }
}
