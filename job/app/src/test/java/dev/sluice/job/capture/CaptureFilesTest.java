package dev.sluice.job.capture;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.github.luben.zstd.Zstd;
import dev.sluice.engine.testing.Oracle;
import dev.sluice.job.Sluice;
import dev.sluice.schemas.testing.TestSeed;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.apache.commons.compress.compressors.lz4.BlockLZ4CompressorOutputStream;
import org.apache.commons.compress.compressors.lz4.FramedLZ4CompressorOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Files of captures: compressed, modified, joined, foreign, and from standard input. */
class CaptureFilesTest {
    private static final List<byte[]> PACKETS = packets(400);

    @TempDir Path folder;

    private static List<byte[]> packets(int count) {
        LinkFrames frames = new LinkFrames(TestSeed.random(7));
        return Stream.generate(() -> frames.packet(1)).limit(count).toList();
    }

    private record Seen(List<byte[]> packets, CaptureEnd end) {}

    private static Seen read(byte[] file) throws IOException {
        List<byte[]> packets = new ArrayList<>();
        try (CaptureReader reader = Captures.open(new ByteArrayInputStream(file))) {
            while (reader.next()) {
                int at = reader.dataAt();
                packets.add(Arrays.copyOfRange(reader.bytes(), at, at + reader.capturedLength()));
            }
            return new Seen(packets, reader.end());
        }
    }

    private static void assertPackets(List<byte[]> expected, List<byte[]> seen) {
        assertEquals(expected.size(), seen.size());
        for (int i = 0; i < expected.size(); i++) {
            assertTrue(Arrays.equals(expected.get(i), seen.get(i)), "packet " + (i + 1));
        }
    }

    private static byte[] joined(byte[]... parts) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        for (byte[] part : parts) {
            out.writeBytes(part);
        }
        return out.toByteArray();
    }

    private static byte[] zstd(byte[] content) {
        return Zstd.compress(content);
    }

    private static byte[] lz4(byte[] content, boolean dependent) throws IOException {
        ByteArrayOutputStream packed = new ByteArrayOutputStream();
        FramedLZ4CompressorOutputStream.Parameters parameters =
                new FramedLZ4CompressorOutputStream.Parameters(
                        FramedLZ4CompressorOutputStream.BlockSize.K64,
                        true,
                        false,
                        dependent,
                        BlockLZ4CompressorOutputStream.createParameterBuilder().build());
        try (FramedLZ4CompressorOutputStream out =
                new FramedLZ4CompressorOutputStream(packed, parameters)) {
            out.write(content);
        }
        return packed.toByteArray();
    }

    private static byte[] packed(String format, byte[] content) throws IOException {
        return switch (format) {
            case "zstd" -> zstd(content);
            case "lz4" -> lz4(content, false);
            default -> lz4(content, true);
        };
    }

    @ParameterizedTest
    @ValueSource(strings = {"zstd", "lz4", "lz4 of dependent blocks"})
    void compressedCapturesAreReadFrameByFrame(String format) throws IOException {
        byte[] whole = TunnelTruthTest.pcap(PACKETS);
        byte[] first = Arrays.copyOf(whole, 700);
        byte[] rest = Arrays.copyOfRange(whole, 700, whole.length);
        Seen seen = read(joined(packed(format, first), packed(format, rest)));
        assertEquals(CaptureEnd.Kind.EOF, seen.end.kind(), seen.end.toString());
        assertPackets(PACKETS, seen.packets);
    }

    @ParameterizedTest
    @ValueSource(strings = {"zstd", "lz4", "lz4 of dependent blocks"})
    void whatIsCutOrDamagedIsNamedAndNothingThrows(String format) throws IOException {
        byte[] whole = packed(format, TunnelTruthTest.pcap(PACKETS));
        String name = format.substring(0, format.equals("zstd") ? 4 : 3);
        for (int length = 4; length < whole.length; length += 1 + length / 20) {
            Seen cut = read(Arrays.copyOf(whole, length));
            assertEquals(name + "-truncated", cut.end.kind().label(), "cut at " + length);
            assertPackets(PACKETS.subList(0, cut.packets.size()), cut.packets);
        }
        Random random = TestSeed.random(9);
        int corrupt = 0;
        for (int i = 0; i < 300; i++) {
            byte[] damaged = whole.clone();
            damaged[4 + random.nextInt(whole.length - 4)] ^= (byte) (1 << random.nextInt(8));
            corrupt += read(damaged).end.kind().label().equals(name + "-corrupt") ? 1 : 0;
        }
        assertTrue(corrupt > 10, corrupt + " were found corrupt");
        Seen garbage = read(joined(whole, new byte[] {1, 2, 3, 4, 5, 6, 7, 8}));
        assertTrue(garbage.end.kind().label().startsWith(name), garbage.end.toString());
        assertPackets(PACKETS, garbage.packets);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void modifiedPcapsAreReadInBothByteOrders(boolean bigEndian) throws IOException {
        ByteBuffer out = ByteBuffer.allocate(1 << 18);
        out.order(bigEndian ? ByteOrder.BIG_ENDIAN : ByteOrder.LITTLE_ENDIAN);
        out.putInt(0xa1b2cd34).putShort((short) 2).putShort((short) 4).putLong(0);
        out.putInt(65_535).putInt(1);
        for (byte[] packet : PACKETS) {
            out.putInt(1_000).putInt(5).putInt(packet.length).putInt(packet.length);
            out.putInt(2).putShort((short) 0x0800).putShort((short) 0).put(packet);
        }
        byte[] file = Arrays.copyOf(out.array(), out.position());
        Seen seen = read(file);
        assertEquals(CaptureEnd.Kind.EOF, seen.end.kind(), seen.end.toString());
        assertPackets(PACKETS, seen.packets);
        assertEquals(
                CaptureEnd.Kind.TRUNCATED_RECORD_HEADER,
                read(Arrays.copyOf(file, 24 + 20)).end.kind());
    }

    @Test
    void aSecondHeaderIsNamedAtItsByte() throws IOException {
        byte[] one = TunnelTruthTest.pcap(PACKETS.subList(0, 3));
        byte[] section = {0x0a, 0x0d, 0x0d, 0x0a, 0, 0, 0, 28, 0x1a, 0x2b, 0x3c, 0x4d, 0, 1, 0, 0};
        byte[] pcapng = Arrays.copyOf(section, 28);
        Arrays.fill(pcapng, 16, 24, (byte) 0xff);
        pcapng[27] = 28;
        for (byte[] second : List.of(one, pcapng)) {
            Seen seen = read(joined(one, second));
            assertEquals(CaptureEnd.Kind.SECOND_CAPTURE, seen.end.kind());
            assertEquals(one.length, seen.end.offset());
            assertPackets(PACKETS.subList(0, 3), seen.packets);
        }
        Seen behind = read(joined(pcapng, one));
        assertEquals(CaptureEnd.Kind.SECOND_CAPTURE, behind.end.kind());
        assertEquals(28, behind.end.offset());
        assertTrue(behind.end.detail().startsWith("a second pcap header"), behind.end.detail());
    }

    @Test
    void aRecordWhoseTimeLooksLikeAHeaderIsOne() throws IOException {
        byte[] file = TunnelTruthTest.pcap(PACKETS.subList(0, 2));
        ByteBuffer.wrap(file).putInt(24, 0xa1b2c3d4).putInt(28, 0x00020004); // a day in 2055
        assertPackets(PACKETS.subList(0, 2), read(file).packets);
    }

    @ParameterizedTest
    @CsvSource({
        "snoop, 'snoop\0\0\0\0\0\0\u0002'",
        "Network Monitor 2, 'GMBU\0\0'",
        "Ixia lcap (hardware), '\u00ac\u0001\0\u001c'",
        "NetXRay, 'XCP\0'",
        "AIX iptrace, 'iptrace 2.0'"
    })
    void capturesOfOtherProgramsAreRefusedByName(String name, String begin) throws IOException {
        CaptureEnd end = read(Arrays.copyOf(begin.getBytes(ISO_8859_1), 90)).end;
        assertEquals(CaptureEnd.Kind.BAD_MAGIC, end.kind());
        String says = "as %s files do; write it as pcapng: editcap -F pcapng FILE FILE.pcapng";
        assertTrue(end.detail().endsWith(says.formatted(name)), end.detail());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "5views",
                "lanalyzer",
                "netmon1",
                "netmon2",
                "nettl",
                "ngsniffer",
                "ngwsniffer_1_1",
                "observer",
                "snoop",
                "visual"
            })
    void formatsThatEditcapWritesAreRefusedByName(String format) throws Exception {
        Oracle.TSHARK.require();
        byte[] foreign = editcap(format);
        CaptureEnd end = read(foreign).end;
        assertEquals(CaptureEnd.Kind.BAD_MAGIC, end.kind());
        assertTrue(end.detail().contains("editcap -F pcapng FILE FILE.pcapng"), end.detail());
    }

    @Test
    void theModifiedPcapThatEditcapWritesIsRead() throws Exception {
        Oracle.TSHARK.require();
        assertPackets(PACKETS, read(editcap("modpcap")).packets);
    }

    private byte[] editcap(String format) throws IOException, InterruptedException {
        Path in = Files.write(folder.resolve("in.pcap"), TunnelTruthTest.pcap(PACKETS));
        Path out = folder.resolve("out");
        List<String> command = List.of("editcap", "-F", format, in.toString(), out.toString());
        Process process =
                new ProcessBuilder(command)
                        .redirectErrorStream(true)
                        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                        .start();
        assertEquals(0, process.waitFor(), String.join(" ", command));
        return Files.readAllBytes(out);
    }

    @Test
    void erfIsKnownByItsFirstRecord() throws IOException {
        ByteBuffer erf = ByteBuffer.allocate(90).order(ByteOrder.LITTLE_ENDIAN);
        erf.putInt(0).putInt(1_700_000_000).order(ByteOrder.BIG_ENDIAN).put((byte) 2).put((byte) 4);
        erf.putShort((short) 80).putShort((short) 0).putShort((short) 60);
        assertTrue(read(erf.array()).end.detail().contains("as ERF files do"));
    }

    @Test
    void headersReadsStandardInputAndTellsWhereNoHeaderCouldBeRead() throws Exception {
        Path file = folder.resolve("usb.pcap");
        byte[] bytes = TunnelTruthTest.pcap(PACKETS.subList(0, 3));
        bytes[23] = (byte) 189; // USB
        Files.write(file, bytes);
        Sluice usb = Sluice.run("headers", file);
        assertEquals(1, usb.status());
        assertEquals(
                "sluice: %s: no header could be read of 3 packets, of the first because: unsupported-link 189; docs/captures.md lists the link types that are read%n"
                        .formatted(file),
                usb.err());
        bytes[23] = 1;
        Files.write(file, bytes);
        ProcessBuilder process = Sluice.process("headers", "-").redirectInput(file.toFile());
        Sluice piped = Sluice.end(process, folder.resolve("err"));
        assertEquals(0, piped.status(), piped.err());
        assertEquals(Sluice.run("headers", file).out(), piped.out());
        assertEquals(2, Sluice.run("headers", "-", "-").status());
    }

    @Test
    void aFileWhoseNameIsNoUtf8IsRead() throws Exception {
        Files.write(folder.resolve("plain"), TunnelTruthTest.pcap(PACKETS.subList(0, 3)));
        String script =
                "set -e; name=$1/$(printf 'caf\\351.pcap'); cp \"$1/plain\" \"$name\"; shift; exec \"$@\" \"$name\"";
        ProcessBuilder process = Sluice.process("headers", "--count");
        List<String> command =
                new ArrayList<>(List.of("bash", "-c", script, "bash", folder.toString()));
        command.addAll(process.command());
        process.command(command).environment().put("LC_ALL", "C.UTF-8");
        Sluice run = Sluice.end(process, folder.resolve("err"));
        assertEquals(0, run.status(), run.err());
        assertTrue(run.out().contains("3 packets, 3 to classify"), run.out());
    }

    @Test
    void aCaptureWithoutPacketsListsTheRulesThatNothingHit() throws IOException {
        Path empty = Files.write(folder.resolve("empty.pcap"), TunnelTruthTest.pcap(List.of()));
        Path rules = Files.writeString(folder.resolve("r.ovs"), "priority=1,ip,actions=drop\n");
        Sluice run = Sluice.run("classify", empty, "--rules", rules, "--summary");
        assertEquals(0, run.status(), run.err());
        assertTrue(run.out().contains("never hit: 1 of 1 rule, line 1"), run.out());
    }

    @Test
    void theShareOfFilesIsKnownAndThatOfPipesIsNot() throws IOException {
        byte[] bytes = TunnelTruthTest.pcap(PACKETS);
        Path file = Files.write(folder.resolve("share.pcap"), bytes);
        ReadShare share = new ReadShare(List.of(file, file));
        assertEquals(0, share.part());
        try (CaptureReader reader = Captures.open(file, share)) {
            while (reader.next()) {
                assertTrue(share.part() > 0);
            }
        }
        assertEquals(0.5, share.part());
        assertTrue(Double.isNaN(new ReadShare(List.of(file, Path.of("-"))).part()));
    }

    /** Packets of every link type go on as they were captured. */
    @ParameterizedTest
    @ValueSource(ints = {9, 105, 117, 127, 192, 239, 258})
    void filterKeepsPacketsOfTheLinkType(int linkType) throws IOException {
        LinkFrames frames = new LinkFrames(TestSeed.random(linkType));
        List<byte[]> packets = Stream.generate(() -> frames.packet(linkType)).limit(20).toList();
        byte[] bytes = TunnelTruthTest.pcap(packets);
        bytes[22] = (byte) (linkType >>> 8);
        bytes[23] = (byte) linkType;
        Path file = folder.resolve("link.pcap.zst");
        Files.write(file, zstd(bytes));
        Path rules = Files.writeString(folder.resolve("r.ovs"), "priority=1,actions=drop\n");
        for (String name : List.of("out.pcap", "out.pcapng")) {
            Path out = folder.resolve(name);
            Sluice run =
                    Sluice.run("filter", file, "--rules", rules, "--action", "drop", "-w", out);
            assertEquals(0, run.status(), run.err());
            try (CaptureReader reader = Captures.open(out)) {
                assertTrue(reader.next());
                assertEquals(linkType, reader.linkType());
            }
            assertPackets(packets, read(Files.readAllBytes(out)).packets);
        }
    }
}
