package dev.sluice.job.lab.load;

import dev.sluice.job.kafka.MessageProducer;
import dev.sluice.job.kafka.PacketExporter;
import dev.sluice.schemas.codec.RepeatedBlock;
import java.util.Arrays;

/**
 * Sends the blocks of some flow shards, each when it is due. Packets are numbered as they come in
 * the load, from 1. The times of a block's packets lie between the sending of the shard's block
 * before and its own, at most {@link RepeatedBlock#MOST_SPAN_NS}. For one thread.
 */
final class LoadSender {
    /** Where messages go: {@link MessageProducer}, or what a test has instead. */
    interface Out {
        void send(byte[] key, byte[] message);
    }

    private final BlockFeed feed;
    private final Pacer pacer;
    private final LoadClock clock;
    private final LoadCount count;
    private final long limit;
    private final byte[][] keys;

    /** Time of the last packet of each shard. */
    private final long[] lastNs;

    /**
     * A sender.
     *
     * @param limit headers of the load that are wanted at all
     * @param shards flow shards of the load
     */
    LoadSender(
            BlockFeed feed, Pacer pacer, LoadClock clock, LoadCount count, long limit, int shards) {
        this.feed = feed;
        this.pacer = pacer;
        this.clock = clock;
        this.count = count;
        this.limit = limit;
        keys = new byte[shards][];
        for (int shard = 0; shard < shards; shard++) {
            keys[shard] = PacketExporter.key(shard);
        }
        lastNs = new long[shards];
    }

    /**
     * Sends until the load ends.
     *
     * @return whether it ended by its time, or was stopped; else there is no block left to send
     */
    boolean run(Out out) throws InterruptedException {
        Arrays.fill(lastNs, clock.epochNanos());
        for (LoadBlock next = feed.next(); next != null; next = feed.next()) {
            long left = limit - next.before();
            if (left <= 0) {
                return false;
            }
            RepeatedBlock block = next.block();
            if (block.count() > left) {
                block = block.first((int) left);
            }
            if (!pacer.await(next.before() + block.count(), block.count())) {
                return true;
            }
            int shard = block.shard();
            long now = clock.epochNanos();
            byte[] message = block.message(next.before() + 1, lastNs[shard], now);
            lastNs[shard] = now;
            out.send(keys[shard], message);
            count.sent(block.count(), message.length, pacer.elapsedNanos());
        }
        return false;
    }
}
