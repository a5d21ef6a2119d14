package dev.sluice.lab.load;

import java.util.concurrent.atomic.LongAccumulator;
import java.util.concurrent.atomic.LongAdder;

/** Count of what a load has sent so far. Thread-safe. */
public final class LoadCount {
    private final LongAdder headers = new LongAdder();
    private final LongAdder blocks = new LongAdder();
    private final LongAdder bytes = new LongAdder();
    private final LongAccumulator lastNanos = new LongAccumulator(Math::max, 0);

    /**
     * Counts a block.
     *
     * @param afterNanos when it was sent: time since the start of the load
     */
    void sent(int headersOfBlock, int bytesOfBlock, long afterNanos) {
        headers.add(headersOfBlock);
        blocks.increment();
        bytes.add(bytesOfBlock);
        lastNanos.accumulate(afterNanos);
    }

    /** Headers sent. */
    public long headers() {
        return headers.sum();
    }

    long blocks() {
        return blocks.sum();
    }

    /** Bytes of the messages, before any compression. */
    public long bytes() {
        return bytes.sum();
    }

    /** Time from the start of the load to the sending of the last block, ns. */
    long lastNanos() {
        return lastNanos.get();
    }
}
