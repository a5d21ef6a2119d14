package dev.sluice.job.capture;

import dev.sluice.schemas.codec.Column;
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

    private byte[] bytes = new byte[1 << 18];
    private int used;
    private int size;
    private int capture;
    private long first;
    private final int[] at;
    private final int[] capturedLengths;
    private final int[] wireLengths;
    private final int[] linkTypes;
    private final int[] sections;
    private final int[] interfaces;
    private final long[] timesLow;
    private final int[] timesHigh;

    /**
     * Creates an empty store.
     *
     * @param capacity maximal number of packets
     */
    public KeptPackets(int capacity) {
        at = new int[capacity];
        capturedLengths = new int[capacity];
        wireLengths = new int[capacity];
        linkTypes = new int[capacity];
        sections = new int[capacity];
        interfaces = new int[capacity];
        timesLow = new long[capacity];
        timesHigh = new int[capacity];
    }

    /** Removes all packets, and sets the index of the next packets' capture. */
    public void clear(int captureIndex) {
        used = 0;
        size = 0;
        capture = captureIndex;
    }

    /** Adds the present packet of a reader; the store must not be full. */
    public void add(CaptureReader reader) {
        if (size == 0) {
            first = reader.packet();
        }
        int length = reader.capturedLength();
        if (bytes.length - used < length) {
            bytes = Arrays.copyOf(bytes, Math.max(2 * bytes.length, used + length));
        }
        System.arraycopy(reader.bytes(), reader.dataAt(), bytes, used, length);
        at[size] = used;
        capturedLengths[size] = length;
        wireLengths[size] = (int) reader.wireLength();
        linkTypes[size] = reader.linkType();
        sections[size] = reader.section();
        interfaces[size] = reader.interfaceId();
        timesLow[size] = reader.timeNs();
        timesHigh[size] = reader.timeHigh();
        used += length;
        size++;
    }

    /** Returns the number of packets. */
    public int size() {
        return size;
    }

    /** Tells whether the store is full. */
    public boolean isFull() {
        return size == at.length || used >= FULL_BYTES;
    }

    int capture() {
        return capture;
    }

    long number(int packet) {
        return first + packet;
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

    boolean hasTime(int packet) {
        return timesLow[packet] != Column.NO_TIME || timesHigh[packet] != -1;
    }

    long timeLow(int packet) {
        return timesLow[packet];
    }

    int timeHigh(int packet) {
        return timesHigh[packet];
    }
}
