package dev.sluice.job.capture;

import static dev.sluice.schemas.codec.Column.NO_TIME;

import dev.sluice.schemas.codec.Column;
import java.io.Closeable;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * Reader of a capture file, packet by packet; {@link Captures} opens it.
 *
 * <p>It reads pcap (both byte orders, µs and ns, modified) and pcapng (several sections and
 * interfaces, both byte orders), plain or compressed by gzip, zstd or lz4. Memory is constant: one
 * window of at most one record or block. Not thread-safe.
 *
 * <p>{@link #next} moves to the next packet, whose bytes lie in {@link #bytes()} until the next
 * call. When it returns false, {@link #end} describes how the capture ended. No content of a file
 * makes the reader throw.
 *
 * <p>Formats: draft-ietf-opsawg-pcap and draft-ietf-opsawg-pcapng. Pcapng blocks over 16 MiB and
 * captured lengths over 262,144 count as corrupt.
 */
public abstract class CaptureReader implements Closeable {
    /** Greatest captured length that counts as valid. */
    static final int MAX_CAPTURED = 262_144;

    private final @Nullable Unpacker unpacker;
    final ByteWindow window;
    private @Nullable CaptureEnd end;
    private long packets;

    // The current packet, set by the formats.
    int dataAt;
    int capturedLength;
    int wireLength;
    int linkType;
    long timeNs = NO_TIME;
    int timeHigh = -1;

    private final Datagrams datagrams = new Datagrams(Long.MAX_VALUE);

    /** Pcapng section, from 0; 0 in a pcap. */
    int section;

    /** Pcapng interface id within its section; 0 in a pcap. */
    int interfaceId;

    /** Name of the interface that the packet was captured on; null: none is stated. */
    @Nullable String interfaceName;

    Direction direction = Direction.UNSTATED;

    /** Direction of a packet, as its capture states it. */
    public enum Direction {
        UNSTATED,
        INCOMING,
        OUTGOING
    }

    CaptureReader(ByteWindow window, @Nullable Unpacker unpacker) {
        this.window = window;
        this.unpacker = unpacker;
    }

    /** Moves to the next packet; returns false at the end. */
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
     * Tells whether another capture starts in place of a record or block; if so, ends this one.
     * Files joined by {@code cat} have such a place.
     */
    final boolean isSecondCapture(long at) throws IOException {
        if (at == 0 || !window.has(CaptureMagic.FILE_HEADER_BYTES)) {
            return false;
        }
        CaptureMagic magic = CaptureMagic.of(Bytes.intBe(window.bytes(), window.position()));
        if (magic == null || !magic.begins(window.bytes(), window.position())) {
            return false;
        }
        finish(
                CaptureEnd.Kind.SECOND_CAPTURE,
                at,
                "a second %s header stands here, as in files joined by cat; name the files one by one, or join them by mergecap"
                        .formatted(magic.pcapng() ? "pcapng" : "pcap"));
        return true;
    }

    private CaptureEnd end(CaptureEnd.Kind kind, long offset, String detail) {
        return new CaptureEnd(kind, offset, detail, packets, datagrams.lone(), datagrams.evicted());
    }

    /** Records how the content of the capture ended. */
    final boolean finish(CaptureEnd.Kind kind, long offset, String detail) {
        end = end(kind, offset, detail);
        return false;
    }

    /**
     * Replaces the end of the content by a defect of the compression, if there is one.
     *
     * <p>To find it, the method reads the rest of the compressed file. Damaged content mostly stems
     * from a damaged compressed file, whose checksum is at its end.
     */
    final void blameCompression() throws IOException {
        if (unpacker == null) {
            return;
        }
        unpacker.readToEnd();
        CaptureEnd.Kind defect = unpacker.defect();
        if (defect != null) {
            end = end(defect, end().offset(), unpacker.detail());
        }
    }

    /**
     * Tells whether the first bytes are those of a capture; if not, {@link #end} describes them.
     */
    public boolean isCapture() {
        return true;
    }

    /** Returns how the capture ended, once {@link #next} has returned false. */
    public final CaptureEnd end() {
        if (end == null) {
            throw new IllegalStateException("the capture has not been read to its end");
        }
        return end;
    }

    /** Returns the number of the current packet, from 1. */
    public final long packet() {
        return packets;
    }

    /**
     * Returns the array that holds the current packet's bytes until the next call of {@link #next}.
     */
    public final byte[] bytes() {
        return window.bytes();
    }

    /** Returns the index of the packet's first byte in {@link #bytes()}. */
    public final int dataAt() {
        return dataAt;
    }

    /** Returns the captured length of the packet, in bytes. */
    public final int capturedLength() {
        return capturedLength;
    }

    /** Returns the frame's length on the wire as stated in the capture, unsigned. */
    public final long wireLength() {
        return wireLength & 0xffffffffL;
    }

    /** Returns {@link #wireLength}, at most {@link Integer#MAX_VALUE}. */
    public final int frameLength() {
        return (int) Math.min(Integer.MAX_VALUE, wireLength());
    }

    /** Returns the link type: the low 16 bits of the capture's field. */
    public final int linkType() {
        return linkType;
    }

    /** Returns the name of the interface that the packet was captured on; null: none is stated. */
    public final @Nullable String interfaceName() {
        return interfaceName;
    }

    /** Returns whether packets have a number of an interface, as those of pcapng files. */
    public boolean isNumbered() {
        return false;
    }

    /** Returns the number of that interface in its section of a pcapng file. */
    public final int interfaceId() {
        return interfaceId;
    }

    /** Returns the direction that the flags of a pcapng packet state. */
    public final Direction direction() {
        return direction;
    }

    /** Returns the datagrams of the fragments that were parsed so far. */
    public final Datagrams datagrams() {
        return datagrams;
    }

    /** Returns the time in ns since 1970 UTC, or {@link Column#NO_TIME}. */
    public final long timeNs() {
        return timeNs;
    }

    /**
     * Returns the 32 bits above the low 64 of the time in ns.
     *
     * <p>They are copies of the sign bit, unless the capture states a nonsensical time. {@link
     * #timeNs} is then the low 64 bits alone.
     */
    public final int timeHigh() {
        return timeHigh;
    }

    /** Returns {@link #timeNs}, with times out of range clamped to the range of a long. */
    public final long clampedTimeNs() {
        return clampedTimeNs(timeNs, timeHigh);
    }

    /** Clamps a time that is given as {@link #timeNs} and {@link #timeHigh}. */
    public static long clampedTimeNs(long low, int high) {
        if (high == (int) (low >> 63) && low != NO_TIME) {
            return low;
        }
        return low == NO_TIME && high == -1 ? NO_TIME : high < 0 ? NO_TIME + 1 : Long.MAX_VALUE;
    }

    final void time(long ns) {
        timeNs = ns;
        timeHigh = (int) (ns >> 63);
    }

    @Override
    public void close() throws IOException {
        window.close();
    }
}
