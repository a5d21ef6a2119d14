package dev.sluice.lab.load;

import java.util.Arrays;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Sends the blocks of some flow shards, each when it is due. Packets are numbered as they come in
 * the load, from 1. The times of a block's packets lie between the sending of the shard's block
 * before and its own, at most {@link RepeatedBlock#MOST_SPAN_NS}. For one thread.
 */
public final class LoadSender {
    /** Target of messages. */
    public interface Out {
        /**
         * Sends the message of a block, which is the sender's again on return.
         *
         * @param block says whose message it is
         */
        void send(RepeatedBlock block, byte[] message);
    }

    private final Supplier<@Nullable LoadBlock> feed;
    private final Pacer pacer;
    private final long limit;

    /** Time of the last packet of each shard. */
    private final long[] lastNs;

    /**
     * A sender.
     *
     * @param limit headers of the load that are wanted at all
     * @param shards flow shards of the load
     */
    public LoadSender(Supplier<@Nullable LoadBlock> feed, Pacer pacer, long limit, int shards) {
        this.feed = feed;
        this.pacer = pacer;
        this.limit = limit;
        lastNs = new long[shards];
    }

    /** Sends until the load ends, or there is no block left. */
    public void run(Out out) {
        Arrays.fill(lastNs, pacer.clock().epochNanos());
        for (LoadBlock next = feed.get(); next != null; next = feed.get()) {
            long left = limit - next.before();
            if (left <= 0) {
                return;
            }
            RepeatedBlock block = next.block();
            if (block.count() > left) {
                block = block.first((int) left);
            }
            if (!pacer.await(next.before() + block.count(), block.count())) {
                return;
            }
            int shard = block.shard();
            long now = pacer.clock().epochNanos();
            byte[] message = block.message(next.before() + 1, lastNs[shard], now);
            lastNs[shard] = now;
            out.send(block, message);
        }
    }
}
