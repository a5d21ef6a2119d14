package dev.sluice.job.kafka;

import dev.sluice.schemas.codec.Column;
import dev.sluice.schemas.codec.PacketBlock;
import dev.sluice.schemas.header.HeaderWord;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Headers in columns, of which blocks are made: {@link HeaderWord#COUNT} words, packet number and
 * time. A word takes memory and time from the first header on in which it is not 0. Not
 * thread-safe.
 */
public final class HeaderColumns {
    private static final int[] NONE = {};

    private final int[][] words = new int[HeaderWord.COUNT][];
    private final long[] packets;
    private final long[] times;
    private int count;

    /** Words that are not 0 in every header, a bit each; the columns of others hold anything. */
    private long used;

    /** Creates empty columns. */
    public HeaderColumns(int capacity) {
        Arrays.fill(words, NONE);
        this.packets = new long[capacity];
        this.times = new long[capacity];
    }

    /** Adds a header, for which there must be room. */
    public void add(int[] header, long packet, long timeNs) {
        for (int w = 0; w < HeaderWord.COUNT; w++) {
            if (header[w] != 0 || (used >>> w & 1) != 0) {
                column(w)[count] = header[w];
            }
        }
        packets[count] = packet;
        times[count] = timeNs;
        count++;
    }

    /** The column of a word, which is used from now on. */
    private int[] column(int word) {
        if ((used >>> word & 1) == 0) {
            use(word);
            Arrays.fill(words[word], 0, count, 0);
        }
        return words[word];
    }

    private void use(int word) {
        used |= HeaderWord.bit(word);
        if (words[word].length == 0) {
            words[word] = new int[packets.length];
        }
    }

    /** How many headers are there. */
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
        used = 0;
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
        for (int w : HeaderWord.words(others.used)) {
            use(w);
            gather(others.words[w], order, words[w], count);
        }
        for (int i = 0; i < count; i++) {
            packets[i] = others.packets[order[i]];
            times[i] = others.times[order[i]];
        }
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
        List<Column> columns = new ArrayList<>(Long.bitCount(used) + 2);
        for (long left = used; left != 0; left &= left - 1) {
            int w = Long.numberOfTrailingZeros(left);
            Column column = Column.ofWords(w, words[w], from, headers);
            if (column.width() > 0 || column.base() != 0) {
                columns.add(column);
            }
        }
        columns.add(Column.ofLongs(Column.PACKET, packets, from, headers));
        columns.add(Column.ofLongs(Column.TIME_NS, times, from, headers));
        return new PacketBlock(capture, captureIndex, shard, shards, headers, columns);
    }
}
