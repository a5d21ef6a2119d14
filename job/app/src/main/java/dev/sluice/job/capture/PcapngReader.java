package dev.sluice.job.capture;

import static dev.sluice.job.capture.CaptureEnd.Kind.BAD_BLOCK_LENGTH;
import static dev.sluice.job.capture.CaptureEnd.Kind.BAD_BYTE_ORDER_MAGIC;
import static dev.sluice.job.capture.CaptureEnd.Kind.BAD_CAPLEN;
import static dev.sluice.job.capture.CaptureEnd.Kind.BAD_INTERFACE_ID;
import static dev.sluice.job.capture.CaptureEnd.Kind.EOF;
import static dev.sluice.job.capture.CaptureEnd.Kind.TRUNCATED_BLOCK;
import static dev.sluice.job.capture.CaptureEnd.Kind.UNSUPPORTED_VERSION;

import dev.sluice.schemas.codec.Column;
import java.io.IOException;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reader of pcapng: a sequence of blocks {type, total length, body, total length}.
 *
 * <p>Section headers set the byte order, interface descriptions the link type and the resolution of
 * times. Enhanced, simple and (obsolete) packet blocks contain packets; all others are skipped.
 */
final class PcapngReader extends CaptureReader {
    private static final int INTERFACE_DESCRIPTION = 1;
    private static final int OBSOLETE_PACKET = 2;
    private static final int SIMPLE_PACKET = 3;
    private static final int ENHANCED_PACKET = 6;
    private static final int MAX_BLOCK = 16 << 20;
    private static final int OPTION_NAME = 2;
    private static final int OPTION_FLAGS = 2;
    private static final int OPTION_TSRESOL = 9;
    private static final int OPTION_TSOFFSET = 14;

    /**
     * Maximal number of interfaces, so that a file of interface descriptions without end cannot
     * fill the memory.
     */
    private static final int MAX_INTERFACES = 65_536;

    private static final BigInteger NANOS = BigInteger.valueOf(1_000_000_000L);

    /** Described interface; {@code snapLength} 0 means no limit. */
    private record Interface(
            int linkType,
            long snapLength,
            int resolution,
            long offsetSeconds,
            @Nullable String name) {
        /** Returns the exact time in ns, for resolutions and times out of the usual range. */
        BigInteger nanos(long ticks) {
            BigInteger t = new BigInteger(Long.toUnsignedString(ticks)).multiply(NANOS);
            BigInteger nanos =
                    (resolution & 0x80) != 0
                            ? t.shiftRight(resolution & 0x7f)
                            : t.divide(BigInteger.TEN.pow(resolution));
            return nanos.add(BigInteger.valueOf(offsetSeconds).multiply(NANOS));
        }
    }

    private void time(Interface source, long ticks) {
        int scale = source.resolution == 6 ? 1000 : source.resolution == 9 ? 1 : 0;
        boolean plain = scale != 0 && source.offsetSeconds == 0;
        if (plain && ticks >= 0 && ticks < Long.MAX_VALUE / scale) {
            time(ticks * scale);
        } else {
            BigInteger nanos = source.nanos(ticks);
            timeNs = nanos.longValue();
            timeHigh = nanos.shiftRight(64).intValue();
        }
    }

    private final List<Interface> interfaces = new ArrayList<>();
    private boolean bigEndian;
    private int pending;
    private int sections;

    PcapngReader(ByteWindow window, @Nullable Unpacker unpacker) {
        super(window, unpacker);
    }

    @Override
    public boolean isNumbered() {
        return true;
    }

    @Override
    boolean read() throws IOException {
        while (true) {
            window.consume(pending);
            pending = 0;
            long at = window.offset();
            if (!window.has(12)) {
                return window.available() == 0 ? finish(EOF, at, "") : truncatedBlock(at);
            }
            CaptureMagic magic = CaptureMagic.of(Bytes.intBe(window.bytes(), window.position()));
            boolean section = magic != null && magic.pcapng();
            if (magic != null && !section && isSecondCapture(at) || section && !byteOrder(at)) {
                return false;
            }
            long length = Bytes.unsignedOf(bigEndian, window.bytes(), window.position() + 4);
            if (length < (section ? 28 : 12) || length % 4 != 0 || length > MAX_BLOCK) {
                return finish(BAD_BLOCK_LENGTH, at, "a block states a length of " + length);
            }
            if (!window.has((int) length)) {
                return truncatedBlock(at);
            }
            int p = window.position();
            long trailing = Bytes.unsignedOf(bigEndian, window.bytes(), p + (int) length - 4);
            if (trailing != length) {
                return finish(
                        BAD_BLOCK_LENGTH,
                        at,
                        "a block states a length of %d at its start and %d at its end"
                                .formatted(length, trailing));
            }
            pending = (int) length;
            int body = (int) length - 12;
            int type = Bytes.intOf(bigEndian, window.bytes(), p);
            if (!section && (type == ENHANCED_PACKET || type == OBSOLETE_PACKET)) {
                return packet(at, p + 8, body, type == ENHANCED_PACKET);
            }
            if (!section && type == SIMPLE_PACKET) {
                return simplePacket(at, p + 8, body);
            }
            // Others are names, statistics, decryption secrets, custom blocks, ...
            if (section && !sectionHeader(at, p)
                    || !section
                            && type == INTERFACE_DESCRIPTION
                            && !interfaceDescription(at, p + 8, body)) {
                return false;
            }
        }
    }

    private boolean truncatedBlock(long at) {
        return finish(
                TRUNCATED_BLOCK,
                at,
                "the file ends after " + window.available() + " bytes of a block");
    }

    private boolean byteOrder(long at) {
        int magic = Bytes.intBe(window.bytes(), window.position() + 8);
        if (magic != CaptureMagic.BYTE_ORDER_MAGIC
                && Integer.reverseBytes(magic) != CaptureMagic.BYTE_ORDER_MAGIC) {
            return finish(
                    BAD_BYTE_ORDER_MAGIC,
                    at,
                    "a section states the byte-order magic %08x".formatted(magic));
        }
        bigEndian = magic == CaptureMagic.BYTE_ORDER_MAGIC;
        return true;
    }

    private boolean sectionHeader(long at, int p) {
        int major = Bytes.shortOf(bigEndian, window.bytes(), p + 12);
        int minor = Bytes.shortOf(bigEndian, window.bytes(), p + 14);
        if (major != 1) {
            return finish(
                    UNSUPPORTED_VERSION,
                    at,
                    "pcapng version %d.%d; 1.x is supported".formatted(major, minor));
        }
        interfaces.clear();
        sections++;
        return true;
    }

    private boolean interfaceDescription(long at, int p, int body) {
        if (body < 8) {
            return finish(BAD_BLOCK_LENGTH, at, "an interface description of " + body + " bytes");
        }
        if (interfaces.size() == MAX_INTERFACES) {
            return finish(
                    BAD_INTERFACE_ID,
                    at,
                    "more than " + MAX_INTERFACES + " interfaces in one section");
        }
        byte[] b = window.bytes();
        int resolution = 6;
        long offset = 0;
        @Nullable String name = null;
        int end = p + body;
        int option = p + 8;
        while (option + 4 <= end) {
            int code = Bytes.shortOf(bigEndian, b, option);
            int length = Bytes.shortOf(bigEndian, b, option + 2);
            if (code == 0 || option + 4 + length > end) {
                break;
            }
            if (code == OPTION_TSRESOL && length == 1) {
                resolution = b[option + 4] & 0xff;
            } else if (code == OPTION_NAME) {
                name = new String(b, option + 4, length, StandardCharsets.UTF_8);
            } else if (code == OPTION_TSOFFSET && length == 8) {
                long first = Bytes.unsignedOf(bigEndian, b, option + 4);
                long second = Bytes.unsignedOf(bigEndian, b, option + 8);
                offset = bigEndian ? first << 32 | second : second << 32 | first;
            }
            option += 4 + (length + 3 & ~3);
        }
        interfaces.add(
                new Interface(
                        Bytes.shortOf(bigEndian, b, p),
                        Bytes.unsignedOf(bigEndian, b, p + 4),
                        resolution,
                        offset,
                        name));
        return true;
    }

    private boolean packet(long at, int p, int body, boolean enhanced) {
        if (body < 20) {
            return finish(BAD_BLOCK_LENGTH, at, "a packet block of " + body + " bytes");
        }
        byte[] b = window.bytes();
        int id = enhanced ? Bytes.intOf(bigEndian, b, p) : Bytes.shortOf(bigEndian, b, p);
        if (!describe(at, id)) {
            return false;
        }
        long captured = Bytes.unsignedOf(bigEndian, b, p + 12);
        if (captured > MAX_CAPTURED || captured > body - 20) {
            return finish(
                    BAD_CAPLEN,
                    at,
                    "a packet states %d captured bytes in a block with room for %d"
                            .formatted(captured, body - 20));
        }
        long high = Bytes.unsignedOf(bigEndian, b, p + 4);
        long low = Bytes.unsignedOf(bigEndian, b, p + 8);
        time(interfaces.get(id), high << 32 | low);
        capturedLength = (int) captured;
        wireLength = Bytes.intOf(bigEndian, b, p + 16);
        dataAt = p + 20;
        direction = direction(p + 20 + ((int) captured + 3 & ~3), p + body);
        return true;
    }

    /** The direction that the flags among the options of a packet state. */
    private Direction direction(int from, int end) {
        byte[] b = window.bytes();
        for (int option = from; option + 4 <= end; ) {
            int code = Bytes.shortOf(bigEndian, b, option);
            int length = Bytes.shortOf(bigEndian, b, option + 2);
            if (code == 0 || option + 4 + length > end) {
                break;
            }
            if (code == OPTION_FLAGS && length == 4) {
                return switch (Bytes.intOf(bigEndian, b, option + 4) & 3) {
                    case 1 -> Direction.INCOMING;
                    case 2 -> Direction.OUTGOING;
                    default -> Direction.UNSTATED;
                };
            }
            option += 4 + (length + 3 & ~3);
        }
        return Direction.UNSTATED;
    }

    private boolean simplePacket(long at, int p, int body) {
        if (body < 4) {
            return finish(BAD_BLOCK_LENGTH, at, "a simple packet block of " + body + " bytes");
        }
        if (!describe(at, 0)) {
            return false;
        }
        wireLength = Bytes.intOf(bigEndian, window.bytes(), p);
        long snap = interfaces.get(0).snapLength;
        long captured = wireLength & 0xffffffffL;
        if (snap != 0) {
            captured = Math.min(captured, snap);
        }
        if (captured > MAX_CAPTURED || captured > body - 4) {
            return finish(
                    BAD_CAPLEN,
                    at,
                    "a simple packet of %d bytes in a block with room for %d"
                            .formatted(captured, body - 4));
        }
        time(Column.NO_TIME);
        direction = Direction.UNSTATED;
        capturedLength = (int) captured;
        dataAt = p + 4;
        return true;
    }

    private boolean describe(long at, int id) {
        if (id < 0 || id >= interfaces.size()) {
            return finish(
                    BAD_INTERFACE_ID,
                    at,
                    "a packet names interface %s of %d described"
                            .formatted(Integer.toUnsignedString(id), interfaces.size()));
        }
        interfaceId = id;
        section = sections - 1;
        linkType = interfaces.get(id).linkType;
        interfaceName = interfaces.get(id).name;
        return true;
    }
}
