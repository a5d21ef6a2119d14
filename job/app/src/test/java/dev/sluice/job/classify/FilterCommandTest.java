package dev.sluice.job.classify;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.engine.testing.Oracle;
import dev.sluice.job.Sluice;
import dev.sluice.job.capture.CaptureReader;
import dev.sluice.job.capture.Captures;
import dev.sluice.schemas.testing.Await;
import dev.sluice.schemas.testing.SharedData;
import dev.sluice.schemas.testing.TestData;
import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code filter} against the verdicts of {@code classify} and the eyes of tshark and tcpdump. */
class FilterCommandTest {
    private static final Path CAPTURE = TestData.office("office.pcapng.gz");
    private static final Path RULES = TestData.office("office.ovs");

    @TempDir Path folder;

    /** A packet of a capture; the order of its bytes' buffer is of no account. */
    private record Packet(int linkType, long timeLow, int timeHigh, long wire, ByteBuffer bytes) {}

    private static List<Packet> packets(Path capture) throws IOException {
        List<Packet> packets = new ArrayList<>();
        try (CaptureReader reader = Captures.open(capture)) {
            while (reader.next()) {
                byte[] bytes =
                        Arrays.copyOfRange(
                                reader.bytes(),
                                reader.dataAt(),
                                reader.dataAt() + reader.capturedLength());
                packets.add(
                        new Packet(
                                reader.linkType(),
                                reader.timeNs(),
                                reader.timeHigh(),
                                reader.wireLength(),
                                ByteBuffer.wrap(bytes)));
            }
        }
        return packets;
    }

    private static Path readable(Path capture) throws IOException {
        try (CaptureReader reader = Captures.open(capture)) {
            while (reader.next()) {
                // to its end
            }
            assertTrue(reader.end().isClean(), reader.end().describe(capture.toString()));
        }
        return capture;
    }

    /** Packets that classify gives an action. */
    private static List<Packet> expected(String action, Path... captures) throws IOException {
        List<Object> words = new ArrayList<>(List.of("classify", "--rules", RULES));
        words.addAll(List.of(captures));
        List<String> lines = Sluice.run(words.toArray()).out().lines().skip(1).toList();
        List<Packet> all = new ArrayList<>();
        for (Path capture : captures) {
            all.addAll(packets(capture));
        }
        assertEquals(all.size(), lines.size());
        List<Packet> chosen = new ArrayList<>();
        for (int i = 0; i < all.size(); i++) {
            if (lines.get(i).split("\t", -1)[5].equals(action)) {
                chosen.add(all.get(i));
            }
        }
        return chosen;
    }

    private Path filter(String name, Object... words) throws IOException {
        Path out = folder.resolve(name);
        List<Object> all = new ArrayList<>(List.of("filter", "--rules", RULES, "-w", out));
        all.addAll(List.of(words));
        Sluice run = Sluice.run(all.toArray());
        assertEquals(0, run.status(), run.err());
        List<String> said = run.out().lines().toList();
        assertTrue(
                said.get(said.size() - 1).endsWith(" handed on to " + out),
                () -> run.out() + run.err());
        return readable(out);
    }

    @ParameterizedTest
    @ValueSource(strings = {"drop.pcapng", "drop.pcap", "drop.pcap.gz", "drop.pcap.GZ", "drop"})
    void exactlyThePacketsOfAnActionAreHandedOnAsTheyWereCaptured(String name) throws IOException {
        List<Packet> expected = expected("drop", CAPTURE);
        assertTrue(expected.size() > 10 && expected.size() < 1_000, expected.size() + " packets");
        Path out = filter(name, CAPTURE, "--action", "drop");
        assertEquals(expected, packets(out));
        int magic = ByteBuffer.wrap(Files.readAllBytes(out)).getInt();
        boolean gzip = magic >>> 16 == 0x1f8b;
        assertEquals(name.toLowerCase(Locale.ROOT).endsWith(".gz"), gzip);
        assertEquals(name.contains(".pcap") && !name.endsWith("ng"), gzip || magic == 0x4d3cb2a1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"drop.pcapng.zst", "drop.pcap.LZ4", "drop.xz", "drop.bz2", "d.zstd"})
    void aNameThatSaysAnotherCompressionIsRefusedWithThePipe(String name) {
        Map<String, String> tools =
                Map.of("zst", "zstd", "zstd", "zstd", "LZ4", "lz4", "xz", "xz", "bz2", "bzip2");
        Path out = folder.resolve(name);
        Sluice run = Sluice.run("filter", CAPTURE, "--rules", RULES, "--action", "drop", "-w", out);
        assertEquals(2, run.status(), run.err());
        String tool = tools.get(name.replaceFirst(".*\\.", ""));
        assertTrue(
                run.err()
                        .startsWith(
                                "sluice: -w %s: filter compresses by gzip alone; write -w - | %s > %s, or a name that ends with .gz"
                                        .formatted(out, tool, out)),
                run.err());
        assertFalse(Files.exists(out));
    }

    @Test
    void aRuleIsNamedByItsLineAndConditionsGoTogether() throws IOException {
        assertEquals(105, packets(filter("27", CAPTURE, "--rule", 27)).size());
        assertEquals(
                105, packets(filter("both", CAPTURE, "--rule", 27, "--action", "normal")).size());
        Sluice none = Sluice.run("classify", CAPTURE, "--rules", RULES, "--json");
        long missed =
                Long.parseLong(none.out().replaceAll("(?s).*?\"missed\":(\\d+).*", "$1").strip());
        assertEquals(missed, packets(filter("none", CAPTURE, "--rule", "none")).size());
    }

    @Test
    void severalCapturesFollowEachOther() throws IOException {
        List<Packet> expected = expected("NORMAL", CAPTURE, CAPTURE);
        assertEquals(expected, packets(filter("two", CAPTURE, CAPTURE, "--action", "NORMAL")));
        assertTrue(expected.size() > 500, expected.size() + " packets");
    }

    @Test
    void whatNoPacketMatchesIsACaptureAllTheSame() throws Exception {
        for (String name : List.of("no.pcapng", "no.pcap")) {
            Path none = filter(name, CAPTURE, "--rule", 2);
            assertEquals(List.of(), packets(none));
            if (isInstalled("tcpdump")) {
                assertEquals(List.of(), run("tcpdump", "-n", "-r", none.toString()));
            }
        }
    }

    private static boolean isInstalled(String program) {
        return Arrays.stream(System.getenv("PATH").split(File.pathSeparator))
                .anyMatch(folder -> Files.isExecutable(Path.of(folder, program)));
    }

    private static List<String> run(String... command) throws IOException, InterruptedException {
        Process process =
                new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.DISCARD).start();
        byte[] out = process.getInputStream().readAllBytes();
        assertEquals(0, process.waitFor(), String.join(" ", command));
        return new String(out, StandardCharsets.UTF_8).lines().toList();
    }

    private static List<String> tshark(Path capture) throws IOException, InterruptedException {
        List<String> words = new ArrayList<>(List.of("tshark", "-n", "-r", capture.toString()));
        words.addAll(List.of("-T", "fields", "-e", "frame.time_epoch", "-e", "frame.len"));
        words.addAll(
                List.of("-e", "frame.cap_len", "-e", "frame.encap_type", "-e", "_ws.col.Info"));
        return run(words.toArray(String[]::new));
    }

    @Test
    void tsharkAndTcpdumpSeeThePacketsThatTheySeeInTheOriginal() throws Exception {
        Oracle.TSHARK.require();
        Path all =
                filter("all.pcapng", CAPTURE, "--default-action", "NORMAL", "--action", "NORMAL");
        List<String> verdicts =
                Sluice.run("classify", CAPTURE, "--rules", RULES, "--default-action", "NORMAL")
                        .out()
                        .lines()
                        .skip(1)
                        .toList();
        List<String> original = tshark(CAPTURE);
        List<String> chosen = new ArrayList<>();
        for (int i = 0; i < original.size(); i++) {
            if (verdicts.get(i).split("\t", -1)[5].equals("NORMAL")) {
                chosen.add(withoutInfo(original.get(i)));
            }
        }
        assertEquals(chosen, tshark(all).stream().map(FilterCommandTest::withoutInfo).toList());
        if (isInstalled("tcpdump")) {
            for (String name : List.of("drop.pcapng", "drop.pcap")) {
                Path drop = filter(name, CAPTURE, "--action", "drop");
                long seen =
                        run("tcpdump", "-n", "-tt", "-r", drop.toString()).stream()
                                .filter(line -> line.matches("\\d+\\.\\d+ .*"))
                                .count();
                assertEquals(expected("drop", CAPTURE).size(), seen);
            }
        }
    }

    /** What tshark says of a packet depends on those before it. */
    private static String withoutInfo(String line) {
        return line.substring(0, line.lastIndexOf('\t'));
    }

    /** Every link type, resolution of times, cut and defect of the shared captures. */
    @Test
    void everySharedCaptureIsHandedOnWhole() throws IOException {
        List<Path> files;
        try (Stream<Path> all = Files.list(SharedData.folder("captures").resolve("files"))) {
            files = all.sorted().toList();
        }
        Path rules = Files.writeString(folder.resolve("all.ovs"), "actions=all\n");
        List<Object> words = new ArrayList<>(List.of("filter", "--rules", rules));
        words.addAll(files);
        Path out = folder.resolve("all.pcapng");
        words.addAll(List.of("--action", "all", "-w", out));
        Sluice run = Sluice.run(words.toArray());
        assertEquals(1, run.status(), "some captures do not end cleanly: " + run.err());
        List<Object> classify = new ArrayList<>(List.of("classify", "--rules", rules));
        classify.addAll(files);
        Iterator<String> verdicts = Sluice.run(classify.toArray()).out().lines().skip(1).iterator();
        List<Packet> expected = new ArrayList<>();
        for (Path file : files) {
            for (Packet packet : packets(file)) {
                if (verdicts.next().endsWith("classified")) {
                    expected.add(packet);
                }
            }
        }
        assertFalse(verdicts.hasNext());
        assertTrue(expected.size() > 10_000, expected.size() + " packets");
        List<Packet> seen = packets(readable(out));
        assertEquals(expected.size(), seen.size());
        for (int i = 0; i < seen.size(); i++) {
            Packet want = expected.get(i);
            boolean fits = want.timeHigh == 0 || want.timeLow == Long.MIN_VALUE;
            Packet time = fits ? want : seen.get(i);
            assertEquals(
                    new Packet(want.linkType, time.timeLow, time.timeHigh, want.wire, want.bytes),
                    seen.get(i),
                    "packet " + i);
        }
        Path pcap = folder.resolve("all.pcap");
        words.set(words.size() - 1, pcap);
        Sluice one = Sluice.run(words.toArray());
        assertEquals(1, one.status());
        assertTrue(one.err().contains("and a pcap holds one, here 1; write pcapng"), one.err());
    }

    /** Blocks of a pcapng, little-endian. */
    private static void block(ByteBuffer to, int type, byte... body) {
        int length = 12 + body.length;
        to.putInt(type).putInt(length).put(body).putInt(length);
    }

    private static byte[] bytes(int... numbers) {
        ByteBuffer bytes = ByteBuffer.allocate(4 * numbers.length).order(ByteOrder.LITTLE_ENDIAN);
        Arrays.stream(numbers).forEach(bytes::putInt);
        return bytes.array();
    }

    /** Packets without a time, one of them cut, and packets before 1970 and after 2554. */
    private Path oddTimes() throws IOException {
        ByteBuffer file = ByteBuffer.allocate(4096).order(ByteOrder.LITTLE_ENDIAN);
        block(file, 0x0a0d0d0a, bytes(0x1a2b3c4d, 1, -1, -1));
        block(file, 1, bytes(1, 16)); // Ethernet, at most 16 bytes
        block(file, 1, bytes(1, 0, 0x0008_000e, -10, -1, 0)); // 10 s before the epoch
        int[] frame = {0x04030201, 0x08070605, 0x0c0b0a09, 0x0000b588}; // EtherType 0x88b5
        block(file, 3, bytes(16, frame[0], frame[1], frame[2], frame[3]));
        block(file, 6, bytes(1, 0, 5, 16, 16, frame[0], frame[1], frame[2], frame[3]));
        block(file, 3, bytes(60, frame[0], frame[1], frame[2], frame[3]));
        block(file, 6, bytes(0, -1, -1, 16, 16, frame[0], frame[1], frame[2], frame[3]));
        block(file, 6, bytes(0, 0, 7, 16, 16, frame[0], frame[1], frame[2], frame[3]));
        return Files.write(
                folder.resolve("odd.pcapng"), Arrays.copyOf(file.array(), file.position()));
    }

    @Test
    void packetsWithoutATimeHaveNoneAndTimesThatDoNotFitAreSaid() throws IOException {
        Path odd = readable(oddTimes());
        Path rules = Files.writeString(folder.resolve("all.ovs"), "actions=all\n");
        Path out = folder.resolve("out.pcapng");
        Sluice run = Sluice.run("filter", odd, "--rules", rules, "--action", "all", "-w", out);
        assertEquals(0, run.status(), run.err());
        assertTrue(run.err().contains("time that the file can hold: 2 packets"), run.err());
        List<Packet> before = packets(odd);
        List<Packet> after = packets(readable(out));
        assertEquals(5, before.size());
        assertEquals(5, after.size());
        for (int i : List.of(0, 2, 4)) {
            assertEquals(before.get(i), after.get(i));
        }
        assertEquals(0, after.get(1).timeLow());
        assertEquals(-1L, after.get(3).timeLow());
        assertEquals(0, after.get(3).timeHigh());
        assertEquals(before.get(3).bytes(), after.get(3).bytes());
    }

    private static Process sluice(Object... words) throws IOException {
        return Sluice.process(words).redirectError(ProcessBuilder.Redirect.DISCARD).start();
    }

    /** The packets of a capture whose writer is not done come out before it is. */
    @Test
    void inAPipeWhatHasComeIsHandedOnAtOnce() throws Exception {
        byte[] capture = Files.readAllBytes(filter("in.pcap", CAPTURE, "--action", "NORMAL"));
        Process filter = sluice("filter", "-", "--rules", RULES, "--action", "NORMAL", "-w", "-");
        filter.getOutputStream().write(capture);
        filter.getOutputStream().flush();
        List<Packet> expected = packets(folder.resolve("in.pcap"));
        List<Packet> seen = new ArrayList<>();
        try (CaptureReader reader = Captures.open(filter.getInputStream())) {
            while (seen.size() < expected.size() && reader.next()) {
                seen.add(expected.get(seen.size()));
                assertEquals(reader.clampedTimeNs(), seen.get(seen.size() - 1).timeLow());
            }
            filter.getOutputStream().close(); // not before all have come
            assertFalse(reader.next());
            assertTrue(reader.end().isClean());
        }
        assertEquals(0, filter.waitFor());
        assertEquals(expected, seen);
    }

    @Test
    void whereItWasInterruptedStandsBehindTheCount() throws Exception {
        byte[] capture = Files.readAllBytes(filter("in.pcap", CAPTURE, "--action", "NORMAL"));
        Path err = folder.resolve("err");
        Process filter =
                Sluice.process("filter", "-", "--rules", RULES, "--action", "NORMAL", "-w", "-")
                        .redirectError(err.toFile())
                        .start();
        OutputStream in = filter.getOutputStream();
        in.write(capture);
        in.flush();
        assertTrue(filter.getInputStream().read() >= 0);
        assertTrue(filter.toHandle().destroy());
        ByteBuffer header = ByteBuffer.allocate(16).order(ByteOrder.LITTLE_ENDIAN);
        try {
            // A packet without bytes from time to time, so that no read lasts.
            for (int i = 0; i < 1000 && filter.isAlive(); i++) {
                in.write(header.array());
                in.flush();
                Await.pause();
            }
        } catch (IOException e) {
            // it has ended
        }
        assertEquals(1, filter.waitFor());
        String said = Files.readString(err);
        assertTrue(said.contains("packets, not done\n"), said);
        assertTrue(said.indexOf("handed on") < said.indexOf("sluice: interrupted"), said);
        assertTrue(said.endsWith("every packet up to there was filtered\n"), said);
    }

    private void assertRefused(int status, String says, Object... words) {
        Path out = folder.resolve("refused.pcapng");
        List<Object> all = new ArrayList<>(List.of("filter", "-w", out));
        all.addAll(List.of(words));
        Sluice run = Sluice.run(all.toArray());
        assertEquals(status, run.status(), run.err());
        assertTrue(run.err().contains(says), run.err());
        assertFalse(Files.exists(out));
    }

    @Test
    void whatCannotBeIsNamedBeforeAFileIsWritten() throws IOException {
        Path none = folder.resolve("none.pcap");
        assertRefused(2, "--rule, --action or --outcome is missing", CAPTURE, "--rules", RULES);
        assertRefused(2, "--rules", CAPTURE, "--action", "drop");
        assertRefused(2, "name - once", "-", "-", "--rules", RULES, "--action", "drop");
        assertRefused(2, "--rule x is no number", CAPTURE, "--rules", RULES, "--rule", "x");
        assertRefused(2, "--format zip", CAPTURE, "--rules", RULES, "--rule", 4, "--format", "zip");
        assertRefused(1, none + " does not exist", none, "--rules", RULES, "--action", "drop");
        assertRefused(1, "no rule of " + RULES, CAPTURE, "--rules", RULES, "--rule", 1);
        assertRefused(1, "of policies alone", CAPTURE, "--rules", RULES, "--outcome", "deny");
        assertRefused(
                1,
                "there are NORMAL | controller | drop",
                CAPTURE,
                "--rules",
                RULES,
                "--action",
                "dorp");
        assertRefused(
                1,
                "not what --rule names",
                CAPTURE,
                "--rules",
                RULES,
                "--rule",
                27,
                "--action",
                "drop");
        Path copy = Files.copy(CAPTURE, folder.resolve("copy.pcapng.gz"));
        Sluice itself =
                Sluice.run("filter", copy, "--rules", RULES, "--action", "drop", "-w", copy);
        assertEquals(2, itself.status(), itself.err());
        assertTrue(itself.err().contains("would be written over"), itself.err());
        assertEquals(-1, Files.mismatch(CAPTURE, copy));
        Path nowhere = folder.resolve("no-folder/x.pcapng");
        Sluice lost =
                Sluice.run("filter", CAPTURE, "--rules", RULES, "--action", "drop", "-w", nowhere);
        assertEquals(1, lost.status());
        assertTrue(lost.err().contains("there is no folder"), lost.err());
    }
}
