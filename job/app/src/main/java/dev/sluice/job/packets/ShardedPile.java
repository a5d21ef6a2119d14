package dev.sluice.job.packets;

import dev.sluice.job.kafka.HeaderColumns;
import dev.sluice.job.kafka.PacketExporter;
import dev.sluice.schemas.header.FlowShard;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.ObjIntConsumer;

/**
 * Counting sort of single headers by flow shard, from which blocks are made.
 *
 * <p>Memory depends on the capacity (some 200 bytes a header), not on the number of shards. Headers
 * of a shard keep their order. A block ends where the capture changes.
 *
 * <p>Reusable; not thread-safe.
 */
final class ShardedPile {
    /** Capture of a header. */
    private record Origin(String capture, int index) {}

    private final FlowShard by;
    private final int shards;
    private final HeaderColumns arrived;
    private final HeaderColumns sorted;
    private final int[] shardOf;
    private final int[] originOf;
    private final int[] order;
    private final int[] ends;
    private final List<Origin> origins = new ArrayList<>();

    /**
     * Creates an empty pile.
     *
     * @param by which headers share a flow shard
     * @param shards flow shards
     * @param capacity maximal number of headers
     */
    ShardedPile(FlowShard by, int shards, int capacity) {
        this.by = by;
        this.shards = shards;
        this.arrived = new HeaderColumns(capacity);
        this.sorted = new HeaderColumns(capacity);
        this.shardOf = new int[capacity];
        this.originOf = new int[capacity];
        this.order = new int[capacity];
        this.ends = new int[shards];
    }

    /** Adds a header; there must be room. */
    void add(String capture, int captureIndex, int[] words, long packet, long timeNs) {
        int at = arrived.count();
        int shard = by.of(words, shards);
        shardOf[at] = shard;
        ends[shard]++;
        originOf[at] = origin(capture, captureIndex);
        arrived.add(words, packet, timeNs);
    }

    /** Returns the number of an origin; captures that alternate get a number for each turn. */
    private int origin(String capture, int index) {
        int last = origins.size() - 1;
        if (last >= 0) {
            Origin origin = origins.get(last);
            if (origin.index == index && origin.capture.equals(capture)) {
                return last;
            }
        }
        origins.add(new Origin(capture, index));
        return last + 1;
    }

    /**
     * Emits the messages of the blocks of all headers, each with its flow shard, and empties the
     * pile.
     */
    void take(ObjIntConsumer<byte[]> out) {
        int count = arrived.count();
        if (count == 0) {
            return;
        }
        int end = 0;
        for (int shard = 0; shard < shards; shard++) {
            end += ends[shard];
            ends[shard] = end;
        }
        for (int i = count - 1; i >= 0; i--) {
            order[--ends[shardOf[i]]] = i; // ends becomes the starts of the shards
        }
        sorted.gather(arrived, order);
        int from = 0;
        while (from < count) {
            int to = endOfBlock(from, count);
            int shard = shardOf[order[from]];
            Origin origin = origins.get(originOf[order[from]]);
            out.accept(
                    sorted.block(origin.capture, origin.index, shard, shards, from, to - from)
                            .encode(),
                    shard);
            from = to;
        }
        arrived.clear();
        origins.clear();
        Arrays.fill(ends, 0);
    }

    private int endOfBlock(int from, int count) {
        int shard = shardOf[order[from]];
        Origin origin = origins.get(originOf[order[from]]);
        int most = Math.min(count, from + PacketExporter.Options.MAX_BLOCK);
        int to = from + 1;
        while (to < most
                && shardOf[order[to]] == shard
                && (originOf[order[to]] == originOf[order[to - 1]]
                        || origins.get(originOf[order[to]]).equals(origin))) {
            to++;
        }
        return to;
    }
}
