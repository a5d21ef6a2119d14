package dev.sluice.job.kafka;

import dev.sluice.schemas.codec.Column;
import dev.sluice.schemas.codec.PacketBlock;
import dev.sluice.schemas.header.HeaderWord;
import java.util.ArrayList;
import java.util.List;

/**
 * Headers in columns, from which blocks are made: {@link HeaderWord#COUNT} words, packet number,
 * time and frame length.
 *
 * <p>Memory: 96 bytes for each header of the capacity. Not thread-safe.
 */
public final class HeaderColumns {
    private static final int ALL = (1 << HeaderWord.COUNT) - 1;

    private final int[][] words;
    private final long[] packets;
    private final long[] times;
    private final int[] lengths;
    private int count;

    /** Words that may be other than zero, a bit each; the columns of other words are undefined. */
    private int used = ALL;

    /** Creates empty columns. */
    public HeaderColumns(int capacity) {
        this.words = new int[HeaderWord.COUNT][capacity];
        this.packets = new long[capacity];
        this.times = new long[capacity];
        this.lengths = new int[capacity];
    }

    /** Adds a header; there must be room. */
    public void add(int[] header, long packet, long timeNs, int frameLength) {
        for (int w = 0; w < HeaderWord.COUNT; w++) {
            words[w][count] = header[w];
        }
        packets[count] = packet;
        times[count] = timeNs;
        lengths[count] = frameLength;
        count++;
    }

    /** Returns the number of headers. */
    public int count() {
        return count;
    }

    /** Tells whether there is no room for another header. */
    public boolean isFull() {
        return count == packets.length;
    }

    /** Removes all headers. */
    public void clear() {
        count = 0;
        used = ALL;
    }

    /**
     * Replaces the headers by those of others, in another order.
     *
     * @param order for each header of the result, its index among the others; only as many are read
     *     as there are headers
     */
    public void gather(HeaderColumns others, int[] order) {
        count = others.count;
        used = 0;
        for (int w = 0; w < HeaderWord.COUNT; w++) {
            int[] from = others.words[w];
            if (isZero(from, count)) {
                continue;
            }
            used |= 1 << w;
            gather(from, order, words[w], count);
        }
        gather(others.lengths, order, lengths, count);
        for (int i = 0; i < count; i++) {
            packets[i] = others.packets[order[i]];
            times[i] = others.times[order[i]];
        }
    }

    private static boolean isZero(int[] values, int count) {
        int bits = 0;
        for (int i = 0; i < count; i++) {
            bits |= values[i];
        }
        return bits == 0;
    }

    private static void gather(int[] from, int[] order, int[] to, int count) {
        for (int i = 0; i < count; i++) {
            to[i] = from[order[i]];
        }
    }

    /**
     * Returns the block of some consecutive headers, which stay in the columns.
     *
     * @param shard flow shard of all of them
     * @param from index of the first
     * @param headers their number, at least 1
     */
    public PacketBlock block(
            String capture, int captureIndex, int shard, int shards, int from, int headers) {
        List<Column> columns = new ArrayList<>(HeaderWord.COUNT + 3);
        for (int w = 0; w < HeaderWord.COUNT; w++) {
            if ((used >>> w & 1) == 0) {
                continue;
            }
            Column column = Column.ofWords(w, words[w], from, headers);
            if (column.width() > 0 || column.base() != 0) {
                columns.add(column);
            }
        }
        columns.add(Column.ofLongs(Column.PACKET, packets, from, headers));
        columns.add(Column.ofLongs(Column.TIME_NS, times, from, headers));
        columns.add(Column.ofWords(Column.FRAME_LENGTH, lengths, from, headers));
        return new PacketBlock(capture, captureIndex, shard, shards, headers, columns);
    }
}
