package dev.sluice.job.kafka;

import dev.sluice.schemas.codec.PacketBlock;

/** Collects headers of one shard in columns. Not thread-safe. */
public final class BlockBuilder {
    private final int shard;
    private final int shards;
    private final HeaderColumns headers;

    /** A builder of blocks of up to so many headers. */
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

    /** Whether no header was added since the last block. */
    public boolean isEmpty() {
        return headers.count() == 0;
    }

    /** The block of what was added; the builder is empty then. */
    public PacketBlock take(String capture, int captureIndex) {
        PacketBlock block = headers.block(capture, captureIndex, shard, shards, 0, headers.count());
        headers.clear();
        return block;
    }
}
