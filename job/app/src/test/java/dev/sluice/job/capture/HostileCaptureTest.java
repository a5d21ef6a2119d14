package dev.sluice.job.capture;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.schemas.testing.TestData;
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
import java.util.EnumSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.DataFormatException;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;
import java.util.zip.Inflater;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Cut, damaged and random input: every packet before the defect, one clear end, no exception. */
class HostileCaptureTest {
    private static byte[] pcapng;
    private static final List<byte[]> PACKETS = new ArrayList<>();

    @BeforeAll
    static void readOffice() throws IOException {
        try (GZIPInputStream in =
                new GZIPInputStream(Files.newInputStream(TestData.office("office.pcapng.gz")))) {
            pcapng = in.readAllBytes();
        }
        try (CaptureReader reader = Captures.open(new ByteArrayInputStream(pcapng))) {
            while (reader.next()) {
                PACKETS.add(
                        Arrays.copyOfRange(
                                reader.bytes(),
                                reader.dataAt(),
                                reader.dataAt() + reader.capturedLength()));
            }
        }
    }

    private static byte[] pcap(
            boolean bigEndian, boolean nanos, int linkType, List<byte[]> packets) {
        ByteBuffer out =
                ByteBuffer.allocate(1 << 20)
                        .order(bigEndian ? ByteOrder.BIG_ENDIAN : ByteOrder.LITTLE_ENDIAN);
        out.putInt(nanos ? 0xa1b23c4d : 0xa1b2c3d4)
                .putShort((short) 2)
                .putShort((short) 4)
                .putInt(0)
                .putInt(0)
                .putInt(65535)
                .putInt(linkType);
        for (byte[] packet : packets) {
            out.putInt(1000).putInt(77).putInt(packet.length).putInt(packet.length).put(packet);
        }
        return Arrays.copyOf(out.array(), out.position());
    }

    /** What may go wrong with a capture. */
    private interface Trial<T> {
        T run() throws IOException;
    }

    /** Keeps a capture that makes a test throw, so that the command that reads it does the same. */
    private static <T> T keepIfThrows(String name, Supplier<byte[]> file, Trial<T> trial)
            throws IOException {
        try {
            return trial.run();
        } catch (RuntimeException | IOException | AssertionError e) {
            Path kept =
                    Path.of(System.getProperty("sluice.test.failures", "target/failures"))
                            .resolve(name)
                            .toAbsolutePath();
            Files.createDirectories(kept.getParent());
            Files.write(kept, file.get());
            throw new AssertionError("kept in " + kept + "; again: ./sluice headers " + kept, e);
        }
    }

    private record Seen(List<String> lines, CaptureEnd end) {}

    private static Seen read(byte[] file) throws IOException {
        List<String> lines = new ArrayList<>();
        PacketParser parser = new PacketParser();
        ParsedPacket packet = new ParsedPacket();
        try (CaptureReader reader = Captures.open(new ByteArrayInputStream(file))) {
            while (reader.next()) {
                parser.parse(
                        reader.bytes(),
                        reader.dataAt(),
                        reader.capturedLength(),
                        reader.wireLength(),
                        reader.linkType(),
                        packet);
                StringBuilder line = new StringBuilder();
                HeaderTable.append(line, reader, packet);
                lines.add(line.toString());
            }
            return new Seen(lines, reader.end());
        }
    }

    @Test
    void byteOrderAndUnitDoNotChangeWhatIsSeen() throws IOException {
        List<byte[]> some = PACKETS.subList(0, 60);
        Seen little = read(pcap(false, false, 1, some));
        assertEquals(60, little.lines.size());
        assertEquals(CaptureEnd.Kind.EOF, little.end.kind());
        assertEquals(little, read(pcap(true, false, 1, some)));
        assertEquals("1000000077000", little.lines.get(0).split("\t")[1]);
        assertEquals("1000000000077", read(pcap(true, true, 1, some)).lines.get(0).split("\t")[1]);
    }

    @Test
    void everyCutGivesThePacketsBeforeItAndItsOffset() throws IOException {
        List<byte[]> some = PACKETS.subList(0, 12);
        byte[] whole = pcap(false, false, 1, some);
        Seen all = read(whole);
        assertEquals(some.size(), all.lines.size());
        int complete = 0;
        int nextEnd = 24 + 16 + some.get(0).length;
        for (int length = 0; length < whole.length; length++) {
            if (length == nextEnd) {
                complete++;
                nextEnd += 16 + some.get(complete).length;
            }
            Seen cut = read(Arrays.copyOf(whole, length));
            assertEquals(all.lines.subList(0, complete), cut.lines, "cut at " + length);
            assertTrue(cut.end.offset() <= length);
            Set<CaptureEnd.Kind> kinds =
                    length == 0
                            ? EnumSet.of(CaptureEnd.Kind.EMPTY_FILE)
                            : length < 24
                                    ? EnumSet.of(CaptureEnd.Kind.TRUNCATED_FILE_HEADER)
                                    : EnumSet.of(
                                            CaptureEnd.Kind.EOF,
                                            CaptureEnd.Kind.TRUNCATED_RECORD_BODY,
                                            CaptureEnd.Kind.TRUNCATED_RECORD_HEADER);
            assertTrue(kinds.contains(cut.end.kind()), "cut at " + length + ": " + cut.end);
        }
    }

    @Test
    void everyCutOfGzipKeepsAPrefix() throws IOException {
        byte[] whole = pcap(false, false, 1, PACKETS.subList(0, 12));
        ByteArrayOutputStream packed = new ByteArrayOutputStream();
        try (GZIPOutputStream gz = new GZIPOutputStream(packed)) {
            gz.write(whole);
        }
        Seen all = read(whole);
        byte[] bytes = packed.toByteArray();
        assertEquals(all, read(bytes));
        int before = 0;
        for (int length = 2; length < bytes.length; length++) {
            Seen cut = read(Arrays.copyOf(bytes, length));
            assertEquals(all.lines.subList(0, cut.lines.size()), cut.lines);
            assertTrue(cut.lines.size() >= before, "fewer packets of a longer file");
            before = cut.lines.size();
            assertTrue(
                    EnumSet.of(
                                    CaptureEnd.Kind.GZ_TRUNCATED,
                                    CaptureEnd.Kind.EMPTY_FILE,
                                    CaptureEnd.Kind.TRUNCATED_FILE_HEADER)
                            .contains(cut.end.kind()),
                    cut.end.toString());
        }
        assertEquals(all.lines.size(), before, "packets of a file that lacks its last byte");
        byte[] garbage = Arrays.copyOf(bytes, bytes.length + 3);
        garbage[bytes.length] = 9;
        assertEquals(CaptureEnd.Kind.GZ_TRAILING_GARBAGE, read(garbage).end.kind());
        bytes[bytes.length - 6] ^= 1;
        assertEquals(CaptureEnd.Kind.GZ_CORRUPT, read(bytes).end.kind());
    }

    @Test
    void damagedCapturesNeverThrow() throws IOException {
        damagedCapturesNeverThrow(1);
    }

    @Tag("long")
    @ParameterizedTest
    @ValueSource(longs = {2, 3, 4})
    void damagedCapturesNeverThrow(long seed) throws IOException {
        Random random = TestSeed.random(seed);
        byte[] start = Arrays.copyOf(pcapng, 6000);
        List<String> good = read(start).lines;
        assertTrue(good.size() > 10, good.size() + " packets before the damage");
        int fewer = 0;
        int different = 0;
        for (int i = 0; i < 3000; i++) {
            byte[] bad = start.clone();
            for (int flips = 1 + random.nextInt(6); flips > 0; flips--) {
                bad[random.nextInt(bad.length)] = (byte) random.nextInt();
            }
            List<String> lines =
                    keepIfThrows(
                            "damaged-" + seed + "-" + i + ".pcapng",
                            () -> bad,
                            () -> {
                                List<String> read = read(bad).lines;
                                assertTrue(read.size() < 200);
                                return read;
                            });
            fewer += lines.size() < good.size() ? 1 : 0;
            different += lines.size() == good.size() && !lines.equals(good) ? 1 : 0;
        }
        assertTrue(
                fewer > 100 && different > 100,
                fewer + " lost packets, " + different + " read otherwise");
    }

    /**
     * Each packet lies in an array of its own size: a read beyond the captured bytes would throw.
     */
    @ParameterizedTest
    @ValueSource(
            ints = {
                0, 1, 9, 12, 14, 50, 51, 100, 101, 104, 105, 107, 108, 109, 113, 117, 127, 147, 192,
                204, 205, 206, 219, 226, 228, 229, 239, 258, 276, 284, 285
            })
    void thePacketParserNeverReadsBeyondTheCapturedBytes(int linkType) throws IOException {
        Random random = TestSeed.random(linkType);
        PacketParser parser = new PacketParser();
        ParsedPacket result = new ParsedPacket();
        EnumSet<PacketStatus> seen = EnumSet.noneOf(PacketStatus.class);
        for (int i = 0; i < 20_000; i++) {
            byte[] base = PACKETS.get(random.nextInt(PACKETS.size()));
            int from = linkType == 1 ? 0 : Math.min(base.length, 14);
            byte[] packet =
                    Arrays.copyOfRange(base, from, from + random.nextInt(base.length - from + 1));
            if (linkType != 1 && linkType != 101 && random.nextBoolean() && packet.length > 20) {
                random.nextBytes(packet);
            }
            for (int flips = random.nextInt(4); flips > 0 && packet.length > 0; flips--) {
                packet[random.nextInt(packet.length)] = (byte) random.nextInt();
            }
            long wire =
                    switch (random.nextInt(4)) {
                        case 0 -> 0;
                        case 1 -> packet.length + random.nextInt(60);
                        case 2 -> 0xffffffffL;
                        default -> packet.length;
                    };
            PacketStatus status =
                    keepIfThrows(
                            "packet-" + linkType + "-" + i + ".pcap",
                            () -> pcap(false, false, linkType, List.of(packet)),
                            () -> {
                                parser.parse(packet, 0, packet.length, wire, linkType, result);
                                return result.status();
                            });
            seen.add(status);
        }
        int kinds =
                switch (linkType) {
                    case 147 -> 1; // none is read
                    case 51, 219 -> 1; // no IP but with --headers inner
                    case 100, 258 -> 2;
                    default -> 3;
                };
        assertTrue(seen.size() >= kinds, seen.toString());
    }

    private static CaptureEnd.Kind kind(byte[] file) throws IOException {
        try (CaptureReader reader = Captures.open(new ByteArrayInputStream(file))) {
            boolean more;
            do {
                more = reader.next();
            } while (more);
            return reader.end().kind();
        }
    }

    /** How far java.util.zip comes in a member, by steps of a byte. */
    private record Reached(byte[] content, int at) {}

    private static Reached inflateByteByByte(byte[] packed) {
        int header = 10; // as GZIPOutputStream writes it
        ByteArrayOutputStream content = new ByteArrayOutputStream();
        byte[] one = new byte[1];
        Inflater inflater = new Inflater(true);
        int at = header;
        try {
            for (; at < packed.length && !inflater.finished(); at++) {
                inflater.setInput(packed, at, 1);
                while (inflater.inflate(one) > 0) {
                    content.write(one[0]);
                }
            }
        } catch (DataFormatException e) {
            return new Reached(content.toByteArray(), at);
        } finally {
            inflater.end();
        }
        return new Reached(content.toByteArray(), at);
    }

    private static final Pattern PACKED_BYTE =
            Pattern.compile("byte (\\d+) of the compressed file");

    /** What lies before the damage is read, and the damage is named where it shows. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2})
    void aDamagedGzipIsReadUpToTheDamage(long seed) throws IOException {
        assertReadUpToTheDamage(seed, 10);
    }

    @Tag("long")
    @ParameterizedTest
    @ValueSource(longs = {3, 4})
    void aGzipDamagedInManyPlacesIsReadUpToTheDamage(long seed) throws IOException {
        assertReadUpToTheDamage(seed, 100);
    }

    private static void assertReadUpToTheDamage(long seed, int damages) throws IOException {
        Random random = TestSeed.random(seed);
        List<byte[]> packets = new ArrayList<>();
        for (int bytes = 0; bytes < 900_000; ) {
            byte[] packet = PACKETS.get(random.nextInt(PACKETS.size())).clone();
            for (int i = Math.min(60, packet.length); i < packet.length; i++) {
                packet[i] = (byte) random.nextInt(64); // some bits a byte, in no order
            }
            packets.add(packet);
            bytes += 16 + packet.length;
        }
        ByteArrayOutputStream packed = new ByteArrayOutputStream();
        try (GZIPOutputStream out = new GZIPOutputStream(packed)) {
            out.write(pcap(false, false, 1, packets));
        }
        byte[] whole = packed.toByteArray();
        assertTrue(whole.length > 3 << 17, whole.length + " bytes, more than are read at once");
        for (int i = 0; i < damages; i++) {
            byte[] bad = whole.clone();
            int from = 10 + random.nextInt(whole.length - 200);
            boolean ones = random.nextBoolean();
            int to = from + (ones ? 100 : 1);
            for (int at = from; at < to; at++) {
                bad[at] = (byte) (ones ? 0xff : bad[at] ^ (1 << random.nextInt(8)));
            }
            Reached reached = inflateByteByByte(bad);
            Seen seen = read(bad);
            String what = "bytes %d to %d of seed %d: %s".formatted(from, to, seed, seen.end);
            assertEquals(CaptureEnd.Kind.GZ_CORRUPT, seen.end.kind(), what);
            List<String> good = read(reached.content).lines;
            assertEquals(good.size(), seen.lines.size(), what);
            assertTrue(good.equals(seen.lines), what);
            assertEquals(seen.lines.size(), seen.end.packets(), what);
            Matcher named = PACKED_BYTE.matcher(seen.end.detail());
            assertTrue(named.find(), what);
            int at = Integer.parseInt(named.group(1));
            assertTrue(at >= from, what + ": before the damage");
            assertTrue(Math.abs(at - reached.at) <= 8, what + ": it shows at " + reached.at);
        }
    }

    private static CaptureEnd end(int... bytes) throws IOException {
        byte[] file = new byte[bytes.length];
        for (int i = 0; i < file.length; i++) {
            file[i] = (byte) bytes[i];
        }
        return read(file).end;
    }

    @Test
    void whatIsCompressedOtherwiseIsToBeDecompressed() throws IOException {
        assertEquals(
                "it starts with fd377a58, as xz files do; decompress it first",
                end(0xfd, '7', 'z', 'X', 'Z', 0).detail());
        assertTrue(end('B', 'Z', 'h', '9', 0x31).detail().contains("bzip2"));
        assertTrue(end('P', 'K', 3, 4).detail().contains("zip files"));
        assertEquals(
                "it starts with 504b0708; pcap or pcapng is expected, plain or compressed by gzip,"
                        + " zstd or lz4",
                end('P', 'K', 7, 8).detail());
        assertEquals("1 byte is no capture", end(0xd4).detail());
        assertEquals("3 bytes are no capture", end(0xd4, 0xc3, 0xb2).detail());
    }

    /** Whatever a damaged file is unpacked to, the damage is that of the compressed file. */
    @Test
    void aCutOrDamagedGzipIsNotNamedByWhatLiesInside() throws IOException {
        ByteArrayOutputStream packed = new ByteArrayOutputStream();
        try (GZIPOutputStream out = new GZIPOutputStream(packed)) {
            out.write(pcap(false, false, 1, PACKETS.subList(0, 60)));
        }
        byte[] whole = packed.toByteArray();
        assertEquals(CaptureEnd.Kind.EOF, kind(whole));
        for (int length = 2; length < whole.length; length += 1 + length / 40) {
            assertEquals(
                    CaptureEnd.Kind.GZ_TRUNCATED, kind(Arrays.copyOf(whole, length)), length + "");
        }
        for (int at = 10; at < whole.length; at += 1 + at / 60) {
            byte[] damaged = whole.clone();
            damaged[at] ^= (byte) (1 << at % 8);
            CaptureEnd.Kind kind = kind(damaged);
            assertTrue(kind.label().startsWith("gz-"), "byte " + at + ": " + kind);
        }
    }
}
