package dev.sluice.job.kafka;

import dev.sluice.schemas.codec.PacketBlock;
import dev.sluice.schemas.header.Field;

/** Builder of blocks from the headers of one shard. Not thread-safe. */
public final class BlockBuilder {
    private final int shard;
    private final int shards;
    private final HeaderColumns headers;

    /** Creates a builder of blocks of at most {@code blockSize} headers. */
    public BlockBuilder(int shard, int shards, int blockSize) {
        this.shard = shard;
        this.shards = shards;
        this.headers = new HeaderColumns(blockSize);
    }

    /**
     * Adds a header; returns whether the block is full.
     *
     * @param frameLength length on the wire in bytes, which the header takes; 0: unknown
     */
    public boolean add(int[] header, long packet, long timeNs, int frameLength) {
        if (frameLength != 0) {
            Field.FRAME_LENGTH.put(header, frameLength);
        }
        headers.add(header, packet, timeNs);
        return headers.isFull();
    }

    /** Tells whether no header was added since the last block. */
    public boolean isEmpty() {
        return headers.count() == 0;
    }

    /** Returns the block of the added headers, and empties the builder. */
    public PacketBlock take(String capture, int captureIndex) {
        PacketBlock block = headers.block(capture, captureIndex, shard, shards, 0, headers.count());
        headers.clear();
        return block;
    }
}
