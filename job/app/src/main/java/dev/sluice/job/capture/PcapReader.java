package dev.sluice.job.capture;

import static dev.sluice.job.capture.CaptureEnd.Kind.BAD_CAPLEN;
import static dev.sluice.job.capture.CaptureEnd.Kind.EOF;
import static dev.sluice.job.capture.CaptureEnd.Kind.TRUNCATED_FILE_HEADER;
import static dev.sluice.job.capture.CaptureEnd.Kind.TRUNCATED_RECORD_BODY;
import static dev.sluice.job.capture.CaptureEnd.Kind.TRUNCATED_RECORD_HEADER;
import static dev.sluice.job.capture.CaptureEnd.Kind.UNSUPPORTED_VERSION;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * Reader of classic pcap: a 24-byte file header, then records of 16 bytes and the captured bytes. A
 * record of a modified pcap has 8 further bytes: interface, protocol, kind of packet.
 */
final class PcapReader extends CaptureReader {
    /**
     * First minor version with today's order of a record's two lengths. Before 2.3 the order was
     * the other, in 2.3 either.
     */
    private static final int FIRST_MINOR_OF_TODAYS_ORDER = 4;

    private static final long NANOS_A_SECOND = 1_000_000_000L;

    private final boolean bigEndian;
    private final int nanosAFraction;
    private final int headerBytes;
    private int minor;
    private boolean started;
    private int pending;

    PcapReader(ByteWindow window, @Nullable Unpacker unpacker, CaptureMagic variant) {
        super(window, unpacker);
        this.bigEndian = variant.bigEndian();
        this.nanosAFraction = variant.nanosAFraction();
        this.headerBytes = variant.headerBytes();
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
                    ? finish(EOF, at, "")
                    : finish(
                            TRUNCATED_RECORD_HEADER,
                            at,
                            "%d of the %d bytes of a record header are there"
                                    .formatted(left, headerBytes));
        }
        byte[] b = window.bytes();
        int p = window.position();
        if (CaptureMagic.of(Bytes.intBe(b, p)) != null && isSecondCapture(at)) {
            return false;
        }
        long captured = Bytes.unsignedOf(bigEndian, b, p + 8);
        long wire = Bytes.unsignedOf(bigEndian, b, p + 12);
        if (minor < FIRST_MINOR_OF_TODAYS_ORDER && (minor < 3 || captured > wire)) {
            long swap = captured;
            captured = wire;
            wire = swap;
        }
        if (captured > MAX_CAPTURED) {
            return finish(BAD_CAPLEN, at, "a record states " + captured + " captured bytes");
        }
        long seconds = Bytes.unsignedOf(bigEndian, b, p);
        long fraction = Bytes.unsignedOf(bigEndian, b, p + 4);
        int record = headerBytes + (int) captured;
        if (!window.has(record)) {
            return finish(
                    TRUNCATED_RECORD_BODY,
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

    private boolean fileHeader() throws IOException {
        if (!window.has(CaptureMagic.FILE_HEADER_BYTES)) {
            return finish(
                    TRUNCATED_FILE_HEADER,
                    0,
                    window.available() + " of the 24 bytes of the file header are there");
        }
        int major = Bytes.shortOf(bigEndian, window.bytes(), window.position() + 4);
        minor = Bytes.shortOf(bigEndian, window.bytes(), window.position() + 6);
        if (major != CaptureMagic.VERSION_MAJOR) {
            return finish(
                    UNSUPPORTED_VERSION,
                    4,
                    "pcap version %d.%d; 2.x is supported".formatted(major, minor));
        }
        linkType = Bytes.intOf(bigEndian, window.bytes(), window.position() + 20) & 0xffff;
        window.consume(CaptureMagic.FILE_HEADER_BYTES);
        started = true;
        return true;
    }
}
