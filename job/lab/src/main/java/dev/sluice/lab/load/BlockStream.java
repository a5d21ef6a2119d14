package dev.sluice.lab.load;

import dev.sluice.schemas.codec.RepeatedBlock;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicIntegerArray;
import org.jspecify.annotations.Nullable;

/**
 * The blocks of a source that is larger than memory: a thread reads it again and again, a few
 * blocks ahead of each sender. Blocks are full across passes; those that are not at the end of the
 * load come last.
 */
final class BlockStream implements AutoCloseable {
    /** Blocks that wait for a sender. */
    private static final int AHEAD = 32;

    private static final long LOOK_MILLIS = 50;

    private final List<BlockingQueue<LoadBlock>> queues = new ArrayList<>();
    private final Thread reader;
    private final HeaderSource source;
    private final BlockCycle.Cut cut;
    private final long limit;
    private long before;
    private volatile boolean closed;

    /** Set by the reader as the last thing that it does. */
    private volatile boolean ended;

    private volatile @Nullable RuntimeException failure;

    /** 1 for each sender that asks no more. */
    private final AtomicIntegerArray left;

    /**
     * Begins to read.
     *
     * @param limit headers that are wanted at all
     * @param senders how many share the stream, each with flow shards of its own
     */
    BlockStream(HeaderSource source, BlockCycle.Cut cut, long limit, int senders) {
        this.source = source;
        this.cut = cut;
        this.limit = limit;
        left = new AtomicIntegerArray(senders);
        for (int i = 0; i < senders; i++) {
            queues.add(new ArrayBlockingQueue<>(AHEAD));
        }
        reader = new Thread(this::read, "load reader");
        reader.setDaemon(true);
        reader.start();
    }

    private void read() {
        BlockCutter cutter = new BlockCutter(cut.name(), cut.shards(), cut.blockSize(), this::give);
        try {
            while (!closed && cutter.taken() < limit) {
                source.pass(
                        (words, frameLength) -> {
                            cutter.add(words, frameLength);
                            return !closed && cutter.taken() < limit;
                        });
            }
            cutter.flush();
        } catch (RuntimeException e) {
            failure = e; // a sender throws it
        }
        ended = true;
    }

    private void give(RepeatedBlock block) {
        int sender = block.shard() % queues.size();
        LoadBlock placed = new LoadBlock(block, before);
        before += block.count();
        try {
            while (!closed
                    && left.get(sender) == 0
                    && !queues.get(sender).offer(placed, LOOK_MILLIS, TimeUnit.MILLISECONDS)) {
                // its sender is not there yet
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException("nobody interrupts the reader", e);
        }
    }

    /** The blocks of a sender. */
    BlockFeed feed(int sender) {
        BlockingQueue<LoadBlock> queue = queues.get(sender);
        return new BlockFeed() {
            @Override
            public @Nullable LoadBlock next() throws InterruptedException {
                while (true) {
                    boolean all = ended || closed;
                    LoadBlock block = queue.poll(all ? 0 : LOOK_MILLIS, TimeUnit.MILLISECONDS);
                    if (block != null || all) {
                        requireRead();
                        return block;
                    }
                }
            }

            @Override
            public void leave() {
                left.set(sender, 1);
            }
        };
    }

    private void requireRead() {
        RuntimeException reason = failure;
        if (reason != null) {
            throw reason;
        }
    }

    /** Ends the reading. */
    @Override
    public void close() {
        closed = true;
        try {
            reader.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
