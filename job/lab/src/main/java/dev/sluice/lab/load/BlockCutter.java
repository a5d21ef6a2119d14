package dev.sluice.lab.load;

import dev.sluice.job.kafka.BlockBuilder;
import dev.sluice.schemas.codec.RepeatedBlock;
import dev.sluice.schemas.header.FlowShard;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Makes blocks of headers, each of one flow shard, in the order in which they are full. Memory: a
 * block that is being filled for each shard, 96 bytes a header. Not thread-safe.
 */
final class BlockCutter {
    private final String name;
    private final int shards;
    private final int blockSize;
    private final Consumer<RepeatedBlock> blocks;
    private final @Nullable BlockBuilder[] builders;
    private long taken;

    /**
     * A cutter.
     *
     * @param name what blocks say that their headers come from
     * @param shards flow shards
     * @param blockSize headers of a full block
     * @param blocks takes the blocks
     */
    BlockCutter(String name, int shards, int blockSize, Consumer<RepeatedBlock> blocks) {
        this.name = name;
        this.shards = shards;
        this.blockSize = blockSize;
        this.blocks = blocks;
        this.builders = new BlockBuilder[shards];
    }

    /** Takes a header. */
    void add(int[] words, int frameLength) {
        int shard = FlowShard.of(words, shards);
        BlockBuilder builder = builders[shard];
        if (builder == null) {
            builder = new BlockBuilder(shard, shards, blockSize);
            builders[shard] = builder;
        }
        taken++;
        if (builder.add(words, 0, 0, frameLength)) {
            take(builder);
        }
    }

    /** Headers that were taken. */
    long taken() {
        return taken;
    }

    /** Gives the blocks that are not full, by shard. */
    void flush() {
        for (BlockBuilder builder : builders) {
            if (builder != null && !builder.isEmpty()) {
                take(builder);
            }
        }
    }

    private void take(BlockBuilder builder) {
        blocks.accept(new RepeatedBlock(builder.take(name, 0)));
    }
}
