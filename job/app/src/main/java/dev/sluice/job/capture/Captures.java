package dev.sluice.job.capture;

import dev.sluice.job.capture.CaptureEnd.Kind;
import dev.sluice.policy.io.Amount;
import dev.sluice.policy.io.InputFiles;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Opener of captures, to read and to write. */
public final class Captures {

    private static final int ZSTD = 0x28b52ffd;
    private static final int LZ4 = 0x04224d18;

    private Captures() {}

    /**
     * Opens a capture, whose format its first bytes identify.
     *
     * @throws NoSuchFileException if there is no such file
     * @throws IOException if it cannot be read
     */
    public static CaptureReader open(Path file) throws IOException {
        return open(file, new ReadShare(List.of()));
    }

    /** Opens a capture as {@link #open(Path)} does, and counts the bytes read. */
    public static CaptureReader open(Path file, ReadShare share) throws IOException {
        if (Files.isDirectory(file)) {
            throw new IOException(file + " is a folder; name capture files");
        }
        return open(share.count(InputFiles.open(file)));
    }

    /** Opens a capture in a stream, which the reader closes. */
    public static CaptureReader open(InputStream raw) throws IOException {
        BufferedInputStream in = new BufferedInputStream(raw, 1 << 16);
        Unpacker unpacker = unpacker(in);
        ByteWindow window = new ByteWindow(unpacker == null ? in : unpacker);
        if (!window.has(4)) {
            int there = window.available();
            return unreadable(
                    window,
                    unpacker,
                    there == 0 ? Kind.EMPTY_FILE : Kind.TRUNCATED_FILE_HEADER,
                    there == 0
                            ? "the file has no bytes"
                            : Amount.of(there, "byte")
                                    + (there == 1 ? " is" : " are")
                                    + " no capture");
        }
        int magic = Bytes.intBe(window.bytes(), window.position());
        CaptureMagic variant = CaptureMagic.of(magic);
        if (variant != null) {
            return variant.pcapng()
                    ? new PcapngReader(window, unpacker)
                    : new PcapReader(window, unpacker, variant);
        }
        window.has(FileFormat.MOST_BYTES);
        String format = FileFormat.describe(window.bytes(), window.position(), window.available());
        return unreadable(
                window,
                unpacker,
                Kind.BAD_MAGIC,
                "it starts with %08x%s"
                        .formatted(
                                magic,
                                format == null
                                        ? "; pcap or pcapng is expected, plain or compressed by gzip, zstd or lz4"
                                        : ", " + format));
    }

    /**
     * Returns the unpacker of a stream that starts as a compressed one; null: the stream is plain.
     */
    private static @Nullable Unpacker unpacker(BufferedInputStream in) throws IOException {
        in.mark(4);
        byte[] first = in.readNBytes(4);
        in.reset();
        if (first.length >= 2 && Bytes.shortBe(first, 0) == GzipMembers.MAGIC) {
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
            ByteWindow window, @Nullable Unpacker unpacker, Kind kind, String detail)
            throws IOException {
        CaptureReader none =
                new CaptureReader(window, unpacker) {
                    @Override
                    public boolean isCapture() {
                        return false;
                    }

                    @Override
                    boolean read() {
                        return false;
                    }
                };
        none.finish(kind, 0, detail);
        none.blameCompression();
        return none;
    }

    /**
     * Opens a writer.
     *
     * @param out is closed with the writer
     * @param captures names of the source captures
     */
    public static CaptureWriter create(
            CaptureWriter.Form form, OutputStream out, List<String> captures) {
        return switch (form) {
            case PCAPNG -> new PcapngWriter(out, captures);
            case PCAP -> new PcapWriter(out, captures);
        };
    }
}
