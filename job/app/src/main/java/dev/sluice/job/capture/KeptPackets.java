package dev.sluice.job.capture;

import java.util.Arrays;

/**
 * Packets of a capture with all their bytes, kept until their verdicts are known.
 *
 * <p>Reused from batch to batch; its memory is bounded by its limit and one packet. Not
 * thread-safe.
 */
public final class KeptPackets {
    /** Number of bytes at which it is full. */
    private static final int FULL_BYTES = 8 << 20;

    private final CaptureBatch batch;
    private byte[] bytes = new byte[1 << 18];
    private int used;
    private final Kept[] packets;

    /** Packet, and the place of its bytes among {@link #bytes()}; {@code wireLength} unsigned. */
    static final class Kept {
        int at;
        int capturedLength;
        int wireLength;
        int linkType;
        int section;
        int interfaceId;
    }

    /** Creates a store of the packets of a batch, which it fills. */
    public KeptPackets(CaptureBatch batch) {
        this.batch = batch;
        packets = new Kept[batch.headers().capacity()];
        Arrays.setAll(packets, i -> new Kept());
    }

    /** Removes all packets, and sets the index of the next packets' capture. */
    public void clear(int captureIndex) {
        used = 0;
        batch.clear(captureIndex);
    }

    /** Returns the batch of the packets. */
    public CaptureBatch batch() {
        return batch;
    }

    /** Adds the present packet of a reader; the store must not be full. */
    public void add(CaptureReader reader) {
        Kept packet = packets[batch.packets()];
        batch.add(reader);
        int length = reader.capturedLength();
        if (bytes.length - used < length) {
            bytes = Arrays.copyOf(bytes, Math.max(2 * bytes.length, used + length));
        }
        System.arraycopy(reader.bytes(), reader.dataAt(), bytes, used, length);
        packet.at = used;
        packet.capturedLength = length;
        packet.wireLength = (int) reader.wireLength();
        packet.linkType = reader.linkType();
        packet.section = reader.section;
        packet.interfaceId = reader.interfaceId;
        used += length;
    }

    /** Tells whether the store is full. */
    public boolean isFull() {
        return batch.isFull() || used >= FULL_BYTES;
    }

    byte[] bytes() {
        return bytes;
    }

    Kept packet(int index) {
        return packets[index];
    }
}
