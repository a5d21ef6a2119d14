package dev.sluice.job.archive;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.sluice.job.Sluice;
import dev.sluice.job.capture.CaptureReader;
import dev.sluice.job.capture.Captures;
import dev.sluice.schemas.testing.TestData;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.zip.GZIPOutputStream;

/** An archive of captures for tests, of the office's packets. */
public final class MadeCaptures {
    /** Packets of {@link #pcap}: several pieces of a capture. */
    public static final int LONG = 20 * 1058;

    private static final int FILE_HEADER = 24;
    private static final int RECORD_HEADER = 16;

    private MadeCaptures() {}

    /**
     * Makes a folder with a long pcap, a short one that is gzip'd, the office's pcapng, and a file
     * that no pattern of captures finds.
     */
    static Path archive(Path folder) throws IOException {
        Path day = Files.createDirectories(folder.resolve("archive/day 1"));
        Files.write(day.resolve("a-long.pcap"), pcap(20));
        Path night = Files.createDirectories(folder.resolve("archive/night"));
        try (OutputStream out =
                new GZIPOutputStream(Files.newOutputStream(night.resolve("b.pcap.gz")))) {
            out.write(pcap(1));
        }
        Files.copy(TestData.office("office.pcapng.gz"), night.resolve("c.pcapng.gz"));
        Files.writeString(night.resolve("notes.txt"), "no capture");
        Files.writeString(night.resolve(".hidden.pcap"), "no capture");
        return folder.resolve("archive");
    }

    /**
     * What {@code classify} says of {@link #archive}'s captures, line by line.
     *
     * @param there where a job finds the same captures, whose names they have in the lines
     */
    static List<String> verdicts(Path archive, Path rules, String there) throws IOException {
        Path verdicts = archive.resolveSibling("classify.tsv");
        List<Object> words =
                new ArrayList<>(List.of("classify", "--rules", rules, "--verdicts", verdicts));
        CaptureGlob.expand(List.of(archive + "/**/*.pcap*"))
                .forEach(capture -> words.add(capture.name()));
        Sluice classify = Sluice.run(words.toArray());
        assertEquals(0, classify.status(), classify.err());
        return Files.readAllLines(verdicts).stream()
                .map(line -> line.replaceFirst("^" + archive, there))
                .toList();
    }

    /** The packets of the office some times over, each time with one more that is cut short. */
    public static byte[] pcap(int times) throws IOException {
        ByteArrayOutputStream once = new ByteArrayOutputStream();
        try (CaptureReader office = Captures.open(TestData.office("office.pcapng.gz"))) {
            while (office.next()) {
                byte[] frame =
                        Arrays.copyOfRange(
                                office.bytes(),
                                office.dataAt(),
                                office.dataAt() + office.capturedLength());
                once.write(record(office.timeNs(), frame, (int) office.wireLength()));
            }
        }
        byte[] cut = new byte[20];
        cut[12] = 8; // IPv4, of whose header 6 bytes are there
        cut[14] = 0x45;
        once.write(record(1_000_000_000L, cut, 60));
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        all.write(
                ByteBuffer.allocate(FILE_HEADER)
                        .order(ByteOrder.LITTLE_ENDIAN)
                        .putInt(0xa1b23c4d)
                        .putShort((short) 2)
                        .putShort((short) 4)
                        .putLong(0)
                        .putInt(1 << 18)
                        .putInt(1)
                        .array());
        for (int i = 0; i < times; i++) {
            once.writeTo(all);
        }
        return all.toByteArray();
    }

    private static byte[] record(long timeNs, byte[] frame, int wireLength) {
        return ByteBuffer.allocate(RECORD_HEADER + frame.length)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putInt((int) (timeNs / 1_000_000_000))
                .putInt((int) (timeNs % 1_000_000_000))
                .putInt(frame.length)
                .putInt(wireLength)
                .put(frame)
                .array();
    }
}
