package dev.sluice.job.capture;

import dev.sluice.policy.io.SluiceException;
import java.io.BufferedOutputStream;
import java.io.Closeable;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;

/**
 * Writes packets as they were captured: bytes, lengths, link types and times in ns. A file of no
 * packet is a capture, too. Not thread-safe.
 */
public abstract class CaptureWriter implements Closeable {
    static final int LINK_TYPE_ETHERNET = 1;

    private final OutputStream out;
    private final byte[] headBytes = new byte[1 << 8];
    private final ByteBuffer head = ByteBuffer.wrap(headBytes).order(ByteOrder.LITTLE_ENDIAN);
    private long movedTimes;

    /** Forms of captures. */
    public enum Form {
        /** Of any link types, with the capture that each packet is from. */
        PCAPNG,
        /** Of one link type. */
        PCAP
    }

    CaptureWriter(OutputStream out) {
        this.out = new BufferedOutputStream(out, 1 << 16);
    }

    /**
     * A writer.
     *
     * @param out is closed with it
     * @param captures names of the captures that packets are from
     */
    public static CaptureWriter open(Form form, OutputStream out, List<String> captures) {
        return switch (form) {
            case PCAPNG -> new PcapngWriter(out, captures);
            case PCAP -> new PcapWriter(out, captures);
        };
    }

    /**
     * Writes what stands in front of packets, if nothing was written yet.
     *
     * @param linkType of the first packet that was read, whether or not it is written
     */
    public abstract void begin(int linkType) throws IOException;

    /**
     * Writes a packet.
     *
     * @throws SluiceException if the form cannot hold it
     */
    public abstract void write(KeptPackets packets, int packet) throws IOException;

    /** Hands on what was written. */
    public final void flush() throws IOException {
        out.flush();
    }

    /**
     * Packets whose time the form cannot hold, or that have none where it must have one: they have
     * the nearest time that it holds, or 1970.
     */
    public final long movedTimes() {
        return movedTimes;
    }

    final void moveTime() {
        movedTimes++;
    }

    /** The empty buffer for a header, to be given to {@link #put}. */
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
        begin(LINK_TYPE_ETHERNET); // nothing was read: a capture all the same
        out.close();
    }
}
