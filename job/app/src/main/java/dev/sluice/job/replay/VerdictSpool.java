package dev.sluice.job.replay;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/**
 * File with a fixed entry for the verdict on each packet of a capture.
 *
 * <p>Verdicts are set in any order and read in capture order, with constant memory.
 *
 * <pre>
 * entry: time, low 64 bits | time, 32 bits above | verdict | length     20 bytes, little-endian
 * verdict: 0 none yet | 1 + n the n-th outcome | below 0: ~n the n-th dead-letter reason
 * </pre>
 *
 * <p>The exporter appends times and lengths. Another thread may set verdicts of entries that were
 * {@linkplain #flush flushed}. Appending writes through the file system, so that a full disk causes
 * an IOException; verdicts go to memory-mapped blocks that exist by then.
 */
final class VerdictSpool implements AutoCloseable {
    static final int NONE = 0;
    static final int FIRST_OUTCOME = 1;

    private static final int ENTRY_BYTES = 20;
    private static final int VERDICT_AT = 12;
    private static final int LENGTH_AT = 16;
    private static final int MAP_ENTRIES = 1 << 22;

    private final FileChannel file;
    private final ByteBuffer pending = ByteBuffer.allocate(1 << 16).order(ByteOrder.LITTLE_ENDIAN);
    private final List<MappedByteBuffer> maps = new ArrayList<>();
    private final AtomicLong entries = new AtomicLong();

    VerdictSpool(Path path) throws IOException {
        file =
                FileChannel.open(
                        path,
                        StandardOpenOption.CREATE_NEW,
                        StandardOpenOption.READ,
                        StandardOpenOption.WRITE,
                        StandardOpenOption.DELETE_ON_CLOSE);
    }

    /** Appends the next packet. */
    void append(long timeLow, int timeHigh, int length) throws IOException {
        if (pending.remaining() < ENTRY_BYTES) {
            flush();
        }
        pending.putLong(timeLow).putInt(timeHigh).putInt(NONE).putInt(length);
        entries.incrementAndGet();
    }

    /** Writes the appended entries; their verdicts may be set from now on. */
    void flush() throws IOException {
        pending.flip();
        while (pending.hasRemaining()) {
            file.write(pending);
        }
        pending.clear();
    }

    /** Returns the number of packets so far. */
    long size() {
        return entries.get();
    }

    /**
     * Sets the verdict of a packet.
     *
     * @param packet number from 1
     * @return whether the packet had no verdict before
     */
    boolean set(long packet, int verdict) throws IOException {
        long entry = packet - 1;
        if (entry < 0 || entry >= entries.get()) {
            throw new IOException(
                    "a verdict on packet " + packet + " of a capture of " + entries.get());
        }
        MappedByteBuffer map = map((int) (entry / MAP_ENTRIES));
        int at = (int) (entry % MAP_ENTRIES) * ENTRY_BYTES + VERDICT_AT;
        boolean first = map.getInt(at) == NONE;
        map.putInt(at, verdict);
        return first;
    }

    private MappedByteBuffer map(int index) throws IOException {
        long from = (long) index * MAP_ENTRIES * ENTRY_BYTES;
        while (maps.size() <= index) {
            maps.add(mapped((long) maps.size() * MAP_ENTRIES * ENTRY_BYTES));
        }
        MappedByteBuffer map = maps.get(index);
        long there = Math.min(file.size() - from, (long) MAP_ENTRIES * ENTRY_BYTES);
        if (map.capacity() < there) {
            map = mapped(from); // the file has grown since
            maps.set(index, map);
        }
        return map;
    }

    private MappedByteBuffer mapped(long from) throws IOException {
        long length = Math.min(file.size() - from, (long) MAP_ENTRIES * ENTRY_BYTES);
        MappedByteBuffer map = file.map(FileChannel.MapMode.READ_WRITE, from, length);
        map.order(ByteOrder.LITTLE_ENDIAN);
        return map;
    }

    /** Receiver of packets in capture order. */
    interface Visitor {
        void packet(long number, long timeLow, int timeHigh, int verdict, int length)
                throws IOException;
    }

    /** Visits all packets in capture order. */
    void visit(Visitor visitor) throws IOException {
        flush();
        for (long entry = 0; entry < entries.get(); entry++) {
            MappedByteBuffer map = map((int) (entry / MAP_ENTRIES));
            int at = (int) (entry % MAP_ENTRIES) * ENTRY_BYTES;
            visitor.packet(
                    entry + 1,
                    map.getLong(at),
                    map.getInt(at + 8),
                    map.getInt(at + VERDICT_AT),
                    map.getInt(at + LENGTH_AT));
        }
    }

    @Override
    public void close() throws IOException {
        file.close();
    }
}
