package dev.sluice.job.capture;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * Reader of classic pcap: a 24-byte file header, then records of 16 bytes and the captured bytes. A
 * record of a modified pcap has 8 further bytes: interface, protocol, kind of packet.
 */
final class PcapReader extends CaptureReader {
    static final int FILE_HEADER_BYTES = 24;
    private static final int RECORD_HEADER_BYTES = 16;
    private static final int MODIFIED_HEADER_BYTES = 24;
    private static final int VERSION_MAJOR = 2;

    /**
     * First minor version with today's order of a record's two lengths. Before 2.3 the order was
     * the other, in 2.3 either.
     */
    private static final int FIRST_MINOR_OF_TODAYS_ORDER = 4;

    private static final long NANOS_A_SECOND = 1_000_000_000L;

    /** Byte order, unit of the fraction of a second, and bytes before a record's packet. */
    record Variant(boolean bigEndian, int nanosAFraction, int headerBytes) {
        static @Nullable Variant of(int magic) {
            return switch (magic) {
                case 0xa1b2c3d4 -> new Variant(true, 1000, RECORD_HEADER_BYTES);
                case 0xa1b23c4d -> new Variant(true, 1, RECORD_HEADER_BYTES);
                case 0xd4c3b2a1 -> new Variant(false, 1000, RECORD_HEADER_BYTES);
                case 0x4d3cb2a1 -> new Variant(false, 1, RECORD_HEADER_BYTES);
                case 0xa1b2cd34 -> new Variant(true, 1000, MODIFIED_HEADER_BYTES);
                case 0x34cdb2a1 -> new Variant(false, 1000, MODIFIED_HEADER_BYTES);
                default -> null;
            };
        }
    }

    /**
     * Tells whether a file header stands in place of a record. As a record, its time would be the
     * magic number, and both its lengths 0.
     */
    static boolean isFileHeader(byte[] b, int p) {
        Variant variant = Variant.of(Bytes.intBe(b, p));
        return variant != null
                && Bytes.shortOf(variant.bigEndian, b, p + 4) == VERSION_MAJOR
                && Bytes.intBe(b, p + 8) == 0
                && Bytes.intBe(b, p + 12) == 0;
    }

    private final boolean bigEndian;
    private final int nanosAFraction;
    private final int headerBytes;
    private int minor;
    private boolean started;
    private int pending;

    PcapReader(ByteWindow window, @Nullable Unpacker unpacker, Variant variant) {
        super(window, unpacker);
        this.bigEndian = variant.bigEndian;
        this.nanosAFraction = variant.nanosAFraction;
        this.headerBytes = variant.headerBytes;
    }

    @Override
    boolean read() throws IOException {
        if (!started && !fileHeader()) {
            return false;
        }
        window.consume(pending);
        pending = 0;
        long at = window.offset();
        if (!window.has(headerBytes)) {
            int left = window.available();
            return left == 0
                    ? finish(CaptureEnd.Kind.EOF, at, "")
                    : finish(
                            CaptureEnd.Kind.TRUNCATED_RECORD_HEADER,
                            at,
                            "%d of the %d bytes of a record header are there"
                                    .formatted(left, headerBytes));
        }
        byte[] b = window.bytes();
        int p = window.position();
        if (beginsCapture(Bytes.intBe(b, p)) && isSecondCapture(at)) {
            return false;
        }
        long captured = Bytes.intOf(bigEndian, b, p + 8) & 0xffffffffL;
        long wire = Bytes.intOf(bigEndian, b, p + 12) & 0xffffffffL;
        if (minor < FIRST_MINOR_OF_TODAYS_ORDER && (minor < 3 || captured > wire)) {
            long swap = captured;
            captured = wire;
            wire = swap;
        }
        if (captured > MAX_CAPTURED) {
            return finish(
                    CaptureEnd.Kind.BAD_CAPLEN,
                    at,
                    "a record states " + captured + " captured bytes");
        }
        long seconds = Bytes.intOf(bigEndian, b, p) & 0xffffffffL;
        long fraction = Bytes.intOf(bigEndian, b, p + 4) & 0xffffffffL;
        int record = headerBytes + (int) captured;
        if (!window.has(record)) {
            return finish(
                    CaptureEnd.Kind.TRUNCATED_RECORD_BODY,
                    at,
                    "%d of %d captured bytes are there"
                            .formatted(window.available() - headerBytes, captured));
        }
        // The window may have moved its bytes to make room.
        p = window.position();
        time(seconds * NANOS_A_SECOND + fraction * nanosAFraction);
        capturedLength = (int) captured;
        wireLength = (int) wire;
        dataAt = p + headerBytes;
        pending = record;
        return true;
    }

    private static boolean beginsCapture(int word) {
        return word == PcapngReader.SECTION_HEADER || Variant.of(word) != null;
    }

    private boolean fileHeader() throws IOException {
        if (!window.has(FILE_HEADER_BYTES)) {
            return finish(
                    CaptureEnd.Kind.TRUNCATED_FILE_HEADER,
                    0,
                    window.available() + " of the 24 bytes of the file header are there");
        }
        int major = Bytes.shortOf(bigEndian, window.bytes(), window.position() + 4);
        minor = Bytes.shortOf(bigEndian, window.bytes(), window.position() + 6);
        if (major != VERSION_MAJOR) {
            return finish(
                    CaptureEnd.Kind.UNSUPPORTED_VERSION,
                    4,
                    "pcap version %d.%d; 2.x is supported".formatted(major, minor));
        }
        linkType = Bytes.intOf(bigEndian, window.bytes(), window.position() + 20) & 0xffff;
        window.consume(FILE_HEADER_BYTES);
        started = true;
        return true;
    }
}
