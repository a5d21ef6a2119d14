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
    private final int[] at;
    private final int[] capturedLengths;
    private final int[] wireLengths;
    private final int[] linkTypes;
    private final int[] sections;
    private final int[] interfaces;

    /** Creates a store of the packets of a batch, which it fills. */
    public KeptPackets(CaptureBatch batch) {
        this.batch = batch;
        int capacity = batch.headers().capacity();
        at = new int[capacity];
        capturedLengths = new int[capacity];
        wireLengths = new int[capacity];
        linkTypes = new int[capacity];
        sections = new int[capacity];
        interfaces = new int[capacity];
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
        int packet = batch.packets();
        batch.add(reader);
        int length = reader.capturedLength();
        if (bytes.length - used < length) {
            bytes = Arrays.copyOf(bytes, Math.max(2 * bytes.length, used + length));
        }
        System.arraycopy(reader.bytes(), reader.dataAt(), bytes, used, length);
        at[packet] = used;
        capturedLengths[packet] = length;
        wireLengths[packet] = (int) reader.wireLength();
        linkTypes[packet] = reader.linkType();
        sections[packet] = reader.section();
        interfaces[packet] = reader.interfaceId();
        used += length;
    }

    /** Tells whether the store is full. */
    public boolean isFull() {
        return batch.isFull() || used >= FULL_BYTES;
    }

    byte[] bytes() {
        return bytes;
    }

    int at(int packet) {
        return at[packet];
    }

    int capturedLength(int packet) {
        return capturedLengths[packet];
    }

    /** Returns the length on the wire, unsigned. */
    int wireLength(int packet) {
        return wireLengths[packet];
    }

    int linkType(int packet) {
        return linkTypes[packet];
    }

    int section(int packet) {
        return sections[packet];
    }

    int interfaceId(int packet) {
        return interfaces[packet];
    }
}
