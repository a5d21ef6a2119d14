package dev.sluice.job.lab.bench;

import dev.sluice.job.importers.HeaderTrace;
import dev.sluice.job.kafka.BlockBuilder;
import dev.sluice.schemas.header.FlowShard;
import java.util.ArrayList;
import java.util.List;

/**
 * A trace's headers as messages of the packets topic, built once to be sent again and again: blocks
 * of one size, each of one flow shard.
 *
 * @param messages the blocks, encoded
 * @param shards flow shard of each
 * @param blockSize headers of each
 */
record TraceBlocks(List<byte[]> messages, List<Integer> shards, int blockSize) {
    private static final long FIRST_TIME_NS = 1_700_000_000_000_000_000L;
    private static final long NS_A_PACKET = 700;
    private static final int FRAME_LENGTH = 64;

    /** The blocks of a trace that is spread over flow shards; a shard's last block is filled up. */
    static TraceBlocks spread(HeaderTrace trace, int shards, int blockSize) {
        List<byte[]> messages = new ArrayList<>();
        List<Integer> shardOf = new ArrayList<>();
        long packet = 0;
        for (int shard = 0; shard < shards; shard++) {
            List<int[]> headers = new ArrayList<>();
            for (int i = 0; i < trace.size(); i++) {
                if (FlowShard.of(trace.header(i), shards) == shard) {
                    headers.add(trace.header(i));
                }
            }
            BlockBuilder builder = new BlockBuilder(shard, shards, blockSize);
            int blocks = (headers.size() + blockSize - 1) / blockSize;
            for (int i = 0; i < blocks * blockSize; i++) {
                packet++;
                boolean full =
                        builder.add(
                                headers.get(i % headers.size()),
                                packet,
                                FIRST_TIME_NS + NS_A_PACKET * packet,
                                FRAME_LENGTH);
                if (full) {
                    shardOf.add(shard);
                    messages.add(builder.take("bench", 0).encode());
                }
            }
        }
        return new TraceBlocks(messages, shardOf, blockSize);
    }
}
