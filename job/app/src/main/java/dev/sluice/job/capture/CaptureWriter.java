package dev.sluice.job.capture;

import dev.sluice.policy.io.SluiceException;
import java.io.BufferedOutputStream;
import java.io.Closeable;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Writer of packets as they were captured: bytes, lengths, link types and times in ns. A file
 * without packets is a valid capture. Not thread-safe.
 */
public abstract class CaptureWriter implements Closeable {
    static final int LINK_TYPE_ETHERNET = 1;

    private final OutputStream out;
    private final byte[] headBytes = new byte[1 << 8];
    private final ByteBuffer head = ByteBuffer.wrap(headBytes).order(ByteOrder.LITTLE_ENDIAN);
    private long movedTimes;

    /** Form of a capture. */
    public enum Form {
        /** Holds any link types, and each packet's source capture. */
        PCAPNG,
        /** Holds one link type. */
        PCAP
    }

    CaptureWriter(OutputStream out) {
        this.out = new BufferedOutputStream(out, 1 << 16);
    }

    /**
     * Writes the file's header, unless it is written.
     *
     * @param linkType of the first packet that was read, even if that packet is not written
     */
    abstract void begin(int linkType) throws IOException;

    /** Writes the file's header for the first packet of a batch, unless it is written. */
    public final void begin(CaptureBatch packets) throws IOException {
        begin(packets.kept().packet(0).linkType);
    }

    /**
     * Writes a packet of a batch that keeps their bytes.
     *
     * @throws SluiceException if the form cannot hold the packet
     */
    public abstract void write(CaptureBatch packets, int packet) throws IOException;

    /** Flushes the written packets. */
    public final void flush() throws IOException {
        out.flush();
    }

    /**
     * Returns the number of packets with a changed time: the form cannot hold the packet's own
     * time, or requires one. They have the nearest possible time, or 1970.
     */
    public final long movedTimes() {
        return movedTimes;
    }

    final void moveTime() {
        movedTimes++;
    }

    /** Returns the empty buffer for a header, an argument of {@link #put}. */
    final ByteBuffer head() {
        return head.clear();
    }

    final void put(ByteBuffer filled) throws IOException {
        out.write(headBytes, 0, filled.position());
    }

    final void put(byte[] bytes, int at, int length) throws IOException {
        out.write(bytes, at, length);
    }

    @Override
    public void close() throws IOException {
        begin(LINK_TYPE_ETHERNET); // without packets the file is still a capture
        out.close();
    }
}
