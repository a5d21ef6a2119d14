package dev.sluice.job.capture;

import dev.sluice.policy.io.Amount;
import dev.sluice.policy.io.InputFiles;
import dev.sluice.schemas.codec.Column;
import java.io.BufferedInputStream;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reads a capture file packet by packet: pcap (both byte orders, µs and ns, modified) and pcapng
 * (several sections and interfaces, both byte orders), plain or compressed by gzip, zstd or lz4.
 * Memory is constant: one window of at most one record or block. Not thread-safe.
 *
 * <p>{@link #next} moves to the next packet, whose bytes lie in {@link #bytes()} until the next
 * call. When it returns false, {@link #end} tells how the capture ended; nothing in a file's
 * content makes it throw.
 *
 * <p>Formats: draft-ietf-opsawg-pcap and draft-ietf-opsawg-pcapng. Pcapng blocks over 16 MiB and
 * captured lengths over 262,144 are taken as corrupt.
 */
public abstract class CaptureReader implements Closeable {
    /** Longest captured length that is believed. */
    static final int MAX_CAPTURED = 262_144;

    private static final int GZIP = 0x1f8b;
    private static final int ZSTD = 0x28b52ffd;
    private static final int LZ4 = 0x04224d18;

    private final @Nullable Unpacker unpacker;
    final ByteWindow window;
    private @Nullable CaptureEnd end;
    private long packets;

    // The current packet, set by the formats.
    int dataAt;
    int capturedLength;
    int wireLength;
    int linkType;
    long timeNs = Column.NO_TIME;
    int timeHigh = -1;
    int section;
    int interfaceId;

    CaptureReader(ByteWindow window, @Nullable Unpacker unpacker) {
        this.window = window;
        this.unpacker = unpacker;
    }

    /**
     * Opens a capture; its format is told by its first bytes.
     *
     * @throws NoSuchFileException if there is no such file
     * @throws IOException if it cannot be read
     */
    public static CaptureReader open(Path file) throws IOException {
        return open(file, new ReadShare(List.of()));
    }

    /** As {@link #open(Path)}, with what is read counted. */
    public static CaptureReader open(Path file, ReadShare share) throws IOException {
        if (Files.isDirectory(file)) {
            throw new IOException(file + " is a folder; name capture files");
        }
        return open(share.count(InputFiles.open(file)));
    }

    /** As {@link #open(Path)}, for a stream, which the reader closes. */
    public static CaptureReader open(InputStream raw) throws IOException {
        BufferedInputStream in = new BufferedInputStream(raw, 1 << 16);
        Unpacker unpacker = unpacker(in);
        ByteWindow window = new ByteWindow(unpacker == null ? in : unpacker);
        if (!window.has(4)) {
            CaptureEnd.Kind kind =
                    window.available() == 0
                            ? CaptureEnd.Kind.EMPTY_FILE
                            : CaptureEnd.Kind.TRUNCATED_FILE_HEADER;
            return unreadable(
                    window,
                    unpacker,
                    kind,
                    kind == CaptureEnd.Kind.EMPTY_FILE
                            ? "the file has no bytes"
                            : Amount.of(window.available(), "byte")
                                    + (window.available() == 1 ? " is" : " are")
                                    + " no capture");
        }
        int magic = Bytes.intBe(window.bytes(), window.position());
        if (magic == PcapngReader.SECTION_HEADER) {
            return new PcapngReader(window, unpacker);
        }
        PcapReader.Variant variant = PcapReader.Variant.of(magic);
        if (variant != null) {
            return new PcapReader(window, unpacker, variant);
        }
        window.has(FileFormat.MOST_BYTES);
        String format = FileFormat.describe(window.bytes(), window.position(), window.available());
        return unreadable(
                window,
                unpacker,
                CaptureEnd.Kind.BAD_MAGIC,
                "it starts with %08x%s"
                        .formatted(
                                magic,
                                format == null
                                        ? "; pcap or pcapng is expected, plain or compressed by gzip, zstd or lz4"
                                        : ", " + format));
    }

    /** Unpacker of a stream that begins like a compressed one; null: the stream is plain. */
    private static @Nullable Unpacker unpacker(BufferedInputStream in) throws IOException {
        in.mark(4);
        byte[] first = in.readNBytes(4);
        in.reset();
        if (first.length >= 2 && Bytes.shortBe(first, 0) == GZIP) {
            return new GzipMembers(in);
        }
        return first.length < 4
                ? null
                : switch (Bytes.intBe(first, 0)) {
                    case ZSTD -> LibraryUnpacker.zstd(in);
                    case LZ4 -> LibraryUnpacker.lz4(in);
                    default -> null;
                };
    }

    private static CaptureReader unreadable(
            ByteWindow window, @Nullable Unpacker unpacker, CaptureEnd.Kind kind, String detail)
            throws IOException {
        CaptureReader none = new Unreadable(window, unpacker, kind, detail);
        none.blameCompression();
        return none;
    }

    /** Moves to the next packet; false at the end. */
    public final boolean next() throws IOException {
        if (end != null) {
            return false;
        }
        if (read()) {
            packets++;
            return true;
        }
        blameCompression();
        return false;
    }

    /** Reads the next packet into the fields, or calls {@link #finish} and returns false. */
    abstract boolean read() throws IOException;

    /**
     * Whether another capture begins where a record or a block should: then it is finished with
     * that. Files that were joined by {@code cat} are.
     */
    final boolean isSecondCapture(long at) throws IOException {
        if (at == 0 || !window.has(PcapReader.FILE_HEADER_BYTES)) {
            return false;
        }
        byte[] b = window.bytes();
        int p = window.position();
        boolean pcapng = Bytes.intBe(b, p) == PcapngReader.SECTION_HEADER;
        if (!PcapReader.isFileHeader(b, p) && !(pcapng && PcapngReader.isSectionHeader(b, p))) {
            return false;
        }
        finish(
                CaptureEnd.Kind.SECOND_CAPTURE,
                at,
                "a second %s header stands here, as in files joined by cat; name the files one by one, or join them by mergecap"
                        .formatted(pcapng ? "pcapng" : "pcap"));
        return true;
    }

    /** Records how the capture ended, as its content has it. */
    final boolean finish(CaptureEnd.Kind kind, long offset, String detail) {
        end = new CaptureEnd(kind, offset, detail, packets);
        return false;
    }

    /**
     * Has a defect of the compression override how the content ended. For that the rest of the
     * compressed file is read: damaged content is mostly what a damaged file was unpacked to, and
     * its checksum stands at its end.
     */
    private void blameCompression() throws IOException {
        if (unpacker == null) {
            return;
        }
        unpacker.readToEnd();
        CaptureEnd.Kind defect = unpacker.defect();
        if (defect != null) {
            end = new CaptureEnd(defect, end().offset(), unpacker.detail(), packets);
        }
    }

    /** Whether the first bytes are those of a capture; if not, {@link #end} says what they are. */
    public boolean isCapture() {
        return true;
    }

    /** How the capture ended, once {@link #next} has returned false. */
    public final CaptureEnd end() {
        if (end == null) {
            throw new IllegalStateException("the capture has not been read to its end");
        }
        return end;
    }

    /** Number of the current packet, from 1. */
    public final long packet() {
        return packets;
    }

    /** Holds the current packet's bytes until the next call of {@link #next}. */
    public final byte[] bytes() {
        return window.bytes();
    }

    /** Index of the packet's first byte in {@link #bytes()}. */
    public final int dataAt() {
        return dataAt;
    }

    /** Captured bytes of the packet. */
    public final int capturedLength() {
        return capturedLength;
    }

    /** Length of the frame on the wire as the capture states it, unsigned. */
    public final long wireLength() {
        return wireLength & 0xffffffffL;
    }

    /** {@link #wireLength}, held at the most that an int has. */
    public final int frameLength() {
        return (int) Math.min(Integer.MAX_VALUE, wireLength());
    }

    /** Link type, the low 16 bits of what the capture states. */
    public final int linkType() {
        return linkType;
    }

    /** ns since 1970 UTC, or {@link Column#NO_TIME}. */
    public final long timeNs() {
        return timeNs;
    }

    /**
     * The 32 bits above the low 64 of the time in ns: only a capture that states a nonsensical time
     * has others than copies of the sign. {@link #timeNs} is then the low 64 bits alone.
     */
    public final int timeHigh() {
        return timeHigh;
    }

    /** {@link #timeNs}, with times that do not fit held at the greatest or least that does. */
    public final long clampedTimeNs() {
        return clampedTimeNs(timeNs, timeHigh);
    }

    /** The same of a time that was kept as {@link #timeNs} and {@link #timeHigh}. */
    public static long clampedTimeNs(long low, int high) {
        if (high == (int) (low >> 63) && low != Column.NO_TIME) {
            return low;
        }
        return low == Column.NO_TIME && high == -1
                ? Column.NO_TIME
                : high < 0 ? Column.NO_TIME + 1 : Long.MAX_VALUE;
    }

    final void time(long ns) {
        timeNs = ns;
        timeHigh = (int) (ns >> 63);
    }

    /** Pcapng section from 0; 0 in a pcap. */
    public final int section() {
        return section;
    }

    /** Pcapng interface id in its section; 0 in a pcap. */
    public final int interfaceId() {
        return interfaceId;
    }

    /** Bytes of the (unpacked) capture read so far: for progress. */
    public final long offset() {
        return window.offset();
    }

    @Override
    public void close() throws IOException {
        window.close();
    }

    /** A file that is no capture at all. */
    private static final class Unreadable extends CaptureReader {
        Unreadable(
                ByteWindow window,
                @Nullable Unpacker unpacker,
                CaptureEnd.Kind kind,
                String detail) {
            super(window, unpacker);
            finish(kind, 0, detail);
        }

        @Override
        public boolean isCapture() {
            return false;
        }

        @Override
        boolean read() {
            return false;
        }
    }
}
