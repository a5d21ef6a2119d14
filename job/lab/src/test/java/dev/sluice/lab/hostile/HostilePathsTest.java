package dev.sluice.lab.hostile;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.sluice.job.Sluice;
import dev.sluice.schemas.testing.TestData;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Paths and archives that somebody has made to harm who reads them. */
class HostilePathsTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Path RULES = TestData.office("office.ovs");
    private static final Path CAPTURE = TestData.office("office.pcapng.gz");
    private static final int MEBIBYTE = 1 << 20;

    @TempDir Path folder;

    private static Sluice run(Object... words) {
        return assertTimeoutPreemptively(PATIENCE, () -> Sluice.run(words));
    }

    @Test
    void namesThatLookLikeOptionsOrLeadElsewhereAreFiles() throws IOException {
        Path inner = Files.createDirectories(folder.resolve("a/b"));
        for (Path name :
                List.of(
                        folder.resolve("-w"),
                        folder.resolve("--rules"),
                        folder.resolve("a\nb"),
                        folder.resolve("a/b/..").resolve("up.pcapng.gz"),
                        inner.resolve(" "))) {
            Files.copy(CAPTURE, name);
            Sluice headers = run("headers", name, "--count");
            assertEquals(0, headers.status(), headers.err());
            assertTrue(headers.out().contains("1,057 packets"), headers.out());
        }
        Path link = Files.createSymbolicLink(folder.resolve("link"), CAPTURE);
        assertEquals(0, run("headers", link, "--count").status());
        Path loop = folder.resolve("loop");
        Files.createSymbolicLink(loop, folder.resolve("pool"));
        Files.createSymbolicLink(folder.resolve("pool"), loop);
        for (Sluice looped :
                List.of(
                        run("headers", loop),
                        run("classify", loop, "--rules", RULES),
                        run("classify", CAPTURE, "--rules", loop),
                        run("classify", CAPTURE, "--rules", RULES, "--verdicts", loop))) {
            assertEquals(1, looped.status());
            assertEquals(1, looped.err().lines().count(), looped.err());
            assertTrue(looped.err().contains(loop.toString()), looped.err());
        }
    }

    @Test
    void devicesAndFoldersAreRefusedAndEndlessOnesEnd() throws IOException {
        Path zero = Path.of("/dev/zero");
        assumeTrue(Files.exists(zero), "skipped: there is no /dev/zero here");
        Sluice capture = run("headers", zero);
        assertEquals(1, capture.status());
        assertTrue(capture.err().contains("bad-magic at byte 0"), capture.err());
        for (Object[] words :
                new Object[][] {
                    {"classify", CAPTURE, "--rules", zero},
                    {"classify", CAPTURE, "--rules", RULES, "--ports", zero},
                    {"classify", CAPTURE, "--rules", folder},
                    {"classify", folder, "--rules", RULES},
                    {"archive", zero, "--rules", RULES, "--verdicts", folder + "/v"},
                    {"archive", folder, "--rules", RULES, "--verdicts", folder + "/v"}
                }) {
            Sluice refused = run(words);
            assertEquals(1, refused.status(), refused.err());
            assertEquals(1, refused.err().lines().count(), refused.err());
        }
    }

    /** Nobody writes into the pipe: who opened it would wait for ever. */
    @Test
    void aPatternOpensNoPipe() throws Exception {
        Path pipe = folder.resolve("p.pcap");
        assumeTrue(
                new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor() == 0,
                "skipped: there is no mkfifo here");
        Files.copy(CAPTURE, folder.resolve("q.pcapng.gz"));
        Sluice found = run("headers", folder + "/*", "--count");
        assertEquals(0, found.status(), found.err());
        assertEquals(1, found.out().lines().count(), found.out());
        Sluice named = run("archive", pipe, "--rules", RULES, "--verdicts", folder + "/v");
        assertEquals(1, named.status());
        assertTrue(named.err().contains(pipe + " is a pipe or a device and no file"), named.err());
    }

    /** 256 MiB each, in 256 KiB, for a process of 64 MiB. */
    @Test
    void aBombOfGzipStaysInBounds() throws Exception {
        Path packets = folder.resolve("packets.pcap.gz");
        ByteBuffer head = ByteBuffer.allocate(40).order(ByteOrder.LITTLE_ENDIAN);
        head.putInt(0xa1b2c3d4).putInt(4 << 16 | 2).putLong(0).putInt(-1).putInt(1);
        head.putInt(1).putInt(0).putInt(-1).putInt(-1); // a packet of 4 GiB
        bomb(packets, head.array());
        Path rules = folder.resolve("rules.ovs.gz");
        bomb(rules, "priority=1,tcp".getBytes(StandardCharsets.UTF_8));
        Sluice capture = small("headers", packets, "--count");
        assertEquals(1, capture.status(), capture.err());
        assertTrue(!capture.err().contains("memory"), capture.err());
        Sluice rule = small("classify", CAPTURE, "--rules", rules);
        assertEquals(1, rule.status(), rule.err());
        assertTrue(rule.err().contains("a line of it is longer than"), rule.err());
    }

    private static void bomb(Path file, byte[] begin) throws IOException {
        try (OutputStream out = new GZIPOutputStream(Files.newOutputStream(file))) {
            out.write(begin);
            byte[] zeros = new byte[MEBIBYTE];
            for (int i = 0; i < 256; i++) {
                out.write(zeros);
            }
        }
    }

    private Sluice small(Object... words) throws Exception {
        ProcessBuilder process = Sluice.process(words);
        process.command().add(process.command().indexOf("-cp"), "-Xmx64m");
        return Sluice.end(process, folder.resolve("err"));
    }
}
