package dev.sluice.job.kafka;

import dev.sluice.schemas.codec.Column;
import dev.sluice.schemas.codec.PacketBlock;
import dev.sluice.schemas.header.HeaderWord;
import java.util.ArrayList;
import java.util.List;

/** Collects headers of one shard in columns. Not thread-safe. */
public final class BlockBuilder {
    private final int shard;
    private final int shards;
    private final int[][] words;
    private final long[] packets;
    private final long[] times;
    private final int[] lengths;
    private int count;

    /** A builder of blocks of up to so many headers. */
    public BlockBuilder(int shard, int shards, int blockSize) {
        this.shard = shard;
        this.shards = shards;
        this.words = new int[HeaderWord.COUNT][blockSize];
        this.packets = new long[blockSize];
        this.times = new long[blockSize];
        this.lengths = new int[blockSize];
    }

    /** Adds a header; returns whether the block is full. */
    public boolean add(int[] header, long packet, long timeNs, int frameLength) {
        for (int w = 0; w < HeaderWord.COUNT; w++) {
            words[w][count] = header[w];
        }
        packets[count] = packet;
        times[count] = timeNs;
        lengths[count] = frameLength;
        return ++count == packets.length;
    }

    /** Whether no header was added since the last block. */
    public boolean isEmpty() {
        return count == 0;
    }

    /** The block of what was added; the builder is empty then. */
    public PacketBlock take(String capture, int captureIndex) {
        List<Column> columns = new ArrayList<>();
        for (int w = 0; w < HeaderWord.COUNT; w++) {
            Column column = Column.ofWords(w, words[w], 0, count);
            if (column.width() > 0 || column.base() != 0) {
                columns.add(column);
            }
        }
        columns.add(Column.ofLongs(Column.PACKET, packets, 0, count));
        columns.add(Column.ofLongs(Column.TIME_NS, times, 0, count));
        columns.add(Column.ofWords(Column.FRAME_LENGTH, lengths, 0, count));
        PacketBlock block = new PacketBlock(capture, captureIndex, shard, shards, count, columns);
        count = 0;
        return block;
    }
}
