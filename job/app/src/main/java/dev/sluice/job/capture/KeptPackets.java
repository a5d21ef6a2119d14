package dev.sluice.job.capture;

import java.util.Arrays;

/** Bytes of the packets of a batch. Reused from batch to batch. */
final class KeptPackets {
    /** Number of bytes at which it is full. */
    private static final int FULL_BYTES = 4 << 20;

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

    /** Creates an empty store of a number of packets. */
    KeptPackets(int capacity) {
        packets = new Kept[capacity];
        Arrays.setAll(packets, i -> new Kept());
    }

    /** Removes all packets. */
    void clear() {
        used = 0;
    }

    /** Adds the present packet of a reader; the store must not be full. */
    void add(int index, CaptureReader reader) {
        Kept packet = packets[index];
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
    boolean isFull() {
        return used >= FULL_BYTES;
    }

    byte[] bytes() {
        return bytes;
    }

    Kept packet(int index) {
        return packets[index];
    }
}
