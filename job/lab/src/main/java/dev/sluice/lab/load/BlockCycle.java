package dev.sluice.lab.load;

import dev.sluice.schemas.codec.RepeatedBlock;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The blocks of some passes over a source, kept to go round and round. Each header is in as many
 * blocks as any other.
 *
 * <p>All blocks are full but the last of each shard. So that these weigh little, there are as many
 * passes as it takes for {@value #BLOCKS_A_SHARD} blocks a shard, as far as memory allows.
 */
public final class BlockCycle {
    /** Bytes of blocks that are kept; blocks that are not full at the end come on top. */
    static final long MOST_BYTES = 48L << 20;

    private static final int BLOCKS_A_SHARD = 8;

    /** Headers of a source that are kept for further passes: a larger one needs few of them. */
    private static final int KEPT_HEADERS = 1 << 16;

    private final List<RepeatedBlock> blocks;

    /** Headers of the cycle in front of each block. */
    private final long[] before;

    private final long headers;

    private BlockCycle(List<RepeatedBlock> blocks) {
        this.blocks = List.copyOf(blocks);
        before = new long[blocks.size()];
        long sum = 0;
        for (int i = 0; i < before.length; i++) {
            before[i] = sum;
            sum += blocks.get(i).count();
        }
        headers = sum;
    }

    /**
     * How blocks are made.
     *
     * @param name what they say that their headers come from
     * @param shards flow shards
     * @param blockSize headers of a full block
     */
    public record Cut(String name, int shards, int blockSize) {}

    /**
     * Reads a source, at least once; a small one no more than that.
     *
     * @param limit headers that are wanted at all: no more are taken
     * @param mostBytes of blocks that may be kept
     * @return null if one pass takes more than that
     */
    static @Nullable BlockCycle of(HeaderSource source, Cut cut, long limit, long mostBytes) {
        List<RepeatedBlock> blocks = new ArrayList<>();
        long[] bytes = {0};
        BlockCutter cutter =
                new BlockCutter(
                        cut.name(),
                        cut.shards(),
                        cut.blockSize(),
                        block -> {
                            blocks.add(block);
                            bytes[0] += block.length();
                        });
        KeptHeaders kept = new KeptHeaders(KEPT_HEADERS);
        source.pass(
                (words, frameLength) -> {
                    kept.add(words, frameLength);
                    cutter.add(words, frameLength);
                    return bytes[0] <= mostBytes && cutter.taken() < limit;
                });
        if (bytes[0] > mostBytes) {
            return null;
        }
        HeaderSource again = kept.areAll() ? kept : source;
        long enough = Math.min(limit, (long) BLOCKS_A_SHARD * cut.shards() * cut.blockSize());
        for (int passes = 1;
                cutter.taken() < enough && bytes[0] <= mostBytes - bytes[0] / passes;
                passes++) {
            again.pass(
                    (words, frameLength) -> {
                        cutter.add(words, frameLength);
                        return cutter.taken() < limit;
                    });
        }
        cutter.flush();
        return new BlockCycle(blocks);
    }

    /** The blocks of a source, whatever they take. */
    public static BlockCycle kept(HeaderSource source, Cut cut) {
        return Objects.requireNonNull(of(source, cut, Long.MAX_VALUE, Long.MAX_VALUE));
    }

    /** Headers of a round. */
    long headers() {
        return headers;
    }

    /** Blocks of a round, in their order. */
    public List<RepeatedBlock> blocks() {
        return blocks;
    }

    /**
     * The blocks of a sender, round after round, without end.
     *
     * @param sender its number, from 0
     * @param senders how many share the cycle, each with flow shards of its own
     */
    public BlockFeed feed(int sender, int senders) {
        int[] own =
                IntStream.range(0, blocks.size())
                        .filter(i -> blocks.get(i).shard() % senders == sender)
                        .toArray();
        return new BlockFeed() {
            private int next;
            private long beforeRound;

            @Override
            public @Nullable LoadBlock next() {
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

            @Override
            public void leave() {
                // nobody makes blocks for it
            }
        };
    }
}
