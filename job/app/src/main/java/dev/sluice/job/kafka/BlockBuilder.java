package dev.sluice.job.kafka;

import dev.sluice.schemas.codec.PacketBlock;

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

    /** Adds a header; returns whether the block is full. */
    public boolean add(int[] header, long packet, long timeNs, int frameLength) {
        headers.add(header, packet, timeNs, frameLength);
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
