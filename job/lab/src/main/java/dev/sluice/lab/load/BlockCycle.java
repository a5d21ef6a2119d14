package dev.sluice.lab.load;

import dev.sluice.job.kafka.BlockBuilder;
import dev.sluice.schemas.header.FlowShard;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The blocks of some passes over headers, kept to go round and round. Each header is in as many
 * blocks as any other.
 *
 * <p>All blocks are full but the last of each shard. So that these weigh little, there are as many
 * passes as it takes for {@value #BLOCKS_A_SHARD} blocks a shard, as far as {@value #MOST_BYTES}
 * bytes hold them.
 */
public final class BlockCycle {
    /** Bytes of blocks beyond which no further pass is made. */
    private static final long MOST_BYTES = 48L << 20;

    private static final int BLOCKS_A_SHARD = 8;

    private final Cut cut;
    private final List<RepeatedBlock> blocks = new ArrayList<>();

    /** Headers of the cycle in front of each block. */
    private final long[] before;

    private long headers;
    private long bytes;

    /**
     * How blocks are made.
     *
     * @param name source of their headers, which blocks tell
     * @param shards flow shards
     * @param by which headers share a shard
     * @param blockSize headers of a full block
     */
    public record Cut(String name, int shards, FlowShard by, int blockSize) {
        /** Blocks of shards by flow. */
        public Cut(String name, int shards, int blockSize) {
            this(name, shards, FlowShard.FLOW, blockSize);
        }
    }

    /**
     * Makes the blocks.
     *
     * @param limit headers that are wanted at all: no more are taken
     */
    public BlockCycle(LoadHeaders source, Cut cut, long limit) {
        this.cut = cut;
        long enough = Math.min(limit, (long) BLOCKS_A_SHARD * cut.shards() * cut.blockSize());
        BlockBuilder[] builders = new BlockBuilder[cut.shards()];
        for (int passes = 0;
                passes == 0 || headers < enough && bytes <= MOST_BYTES - bytes / passes;
                passes++) {
            for (int i = 0; i < source.size() && headers < limit; i++) {
                int[] words = source.header(i);
                int shard = cut.by().of(words, cut.shards());
                if (builders[shard] == null) {
                    builders[shard] = new BlockBuilder(shard, cut.shards(), cut.blockSize());
                }
                headers++;
                if (builders[shard].add(words, 0, 0, source.frameLength(i))) {
                    take(builders[shard]);
                }
            }
        }
        for (BlockBuilder builder : builders) {
            if (builder != null && !builder.isEmpty()) {
                take(builder);
            }
        }
        before = new long[blocks.size()];
        for (int i = 1; i < before.length; i++) {
            before[i] = before[i - 1] + blocks.get(i - 1).count();
        }
    }

    private void take(BlockBuilder builder) {
        RepeatedBlock block = new RepeatedBlock(builder.take(cut.name(), 0));
        blocks.add(block);
        bytes += block.length();
    }

    /** Returns the number of headers of a round. */
    long headers() {
        return headers;
    }

    /** Returns the blocks of a round, in their order. */
    List<RepeatedBlock> blocks() {
        return blocks;
    }

    /**
     * Returns the blocks of a sender, round after round, without end; null where it has none. The
     * caller may change a block's message until it asks for the next block.
     *
     * @param sender its number, from 0
     * @param senders how many share the cycle, each with flow shards of its own
     */
    public Supplier<@Nullable LoadBlock> feed(int sender, int senders) {
        int[] own =
                IntStream.range(0, blocks.size())
                        .filter(i -> blocks.get(i).shard() % senders == sender)
                        .toArray();
        return new Supplier<>() {
            private int next;
            private long beforeRound;

            @Override
            public @Nullable LoadBlock get() {
                if (own.length == 0) {
                    return null;
                }
                int i = own[next];
                LoadBlock block = new LoadBlock(blocks.get(i), beforeRound + before[i]);
                if (++next == own.length) {
                    next = 0;
                    beforeRound += headers;
                }
                return block;
            }
        };
    }
}
