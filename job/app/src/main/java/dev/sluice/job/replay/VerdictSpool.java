package dev.sluice.job.replay;

import static java.nio.file.StandardOpenOption.CREATE_NEW;
import static java.nio.file.StandardOpenOption.DELETE_ON_CLOSE;
import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.WRITE;

import dev.sluice.schemas.codec.Column;
import dev.sluice.schemas.codec.VerdictBlock;
import dev.sluice.schemas.header.HeaderWord;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
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
 *        header words that are kept, ascending                         4 bytes each
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

    private static final int VERDICT_AT = 12;
    private static final int LENGTH_AT = 16;
    private static final int WORDS_AT = 20;
    private static final int MAP_ENTRIES = 1 << 22;

    private final FileChannel file;

    /** Numbers of the header words that are kept of each packet. */
    private final int[] words;

    private final int entryBytes;
    private final ByteBuffer pending = ByteBuffer.allocate(1 << 16).order(ByteOrder.LITTLE_ENDIAN);
    private final List<MappedByteBuffer> maps = new ArrayList<>();
    private final AtomicLong entries = new AtomicLong();

    /** Opens a spool that keeps some of the header words of each packet with a verdict. */
    VerdictSpool(Path path, int[] words) throws IOException {
        this.words = words;
        entryBytes = WORDS_AT + Integer.BYTES * words.length;
        file = FileChannel.open(path, CREATE_NEW, READ, WRITE, DELETE_ON_CLOSE);
    }

    /** Appends the next packet. */
    void append(long timeLow, int timeHigh, int length) throws IOException {
        if (pending.remaining() < entryBytes) {
            flush();
        }
        pending.putLong(timeLow).putInt(timeHigh).putInt(NONE).putInt(length);
        pending.put(new byte[Integer.BYTES * words.length]);
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
        int at = (int) (entry % MAP_ENTRIES) * entryBytes + VERDICT_AT;
        boolean first = map.getInt(at) == NONE;
        map.putInt(at, verdict);
        return first;
    }

    /** Keeps the header words of all packets of a block, whose verdicts are set. */
    void keepWords(VerdictBlock block) throws IOException {
        for (int w = 0; w < words.length; w++) {
            Column column = block.field(words[w]);
            for (int i = 0; column != null && i < block.count(); i++) {
                long entry = block.packets().get(i) - 1;
                int at = (int) (entry % MAP_ENTRIES) * entryBytes + WORDS_AT + 4 * w;
                map((int) (entry / MAP_ENTRIES)).putInt(at, (int) column.get(i));
            }
        }
    }

    /** Returns the header of a packet, as far as its words are kept. */
    int[] header(long packet) throws IOException {
        int[] header = new int[HeaderWord.COUNT];
        long entry = packet - 1;
        int at = (int) (entry % MAP_ENTRIES) * entryBytes + WORDS_AT;
        for (int w = 0; w < words.length; w++) {
            header[words[w]] = map((int) (entry / MAP_ENTRIES)).getInt(at + 4 * w);
        }
        return header;
    }

    private MappedByteBuffer map(int index) throws IOException {
        long from = (long) index * MAP_ENTRIES * entryBytes;
        while (maps.size() <= index) {
            maps.add(mapped((long) maps.size() * MAP_ENTRIES * entryBytes));
        }
        MappedByteBuffer map = maps.get(index);
        long there = Math.min(file.size() - from, (long) MAP_ENTRIES * entryBytes);
        if (map.capacity() < there) {
            map = mapped(from); // the file has grown since
            maps.set(index, map);
        }
        return map;
    }

    private MappedByteBuffer mapped(long from) throws IOException {
        long length = Math.min(file.size() - from, (long) MAP_ENTRIES * entryBytes);
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
            int at = (int) (entry % MAP_ENTRIES) * entryBytes;
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
