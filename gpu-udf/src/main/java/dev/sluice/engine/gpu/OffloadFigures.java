package dev.sluice.engine.gpu;

import java.util.concurrent.atomic.LongAdder;

/**
 * Counts of the batches of a classifier, or of those that served an engine one after another:
 * counted for metrics and tests. Thread-safe.
 */
public final class OffloadFigures {
    public final LongAdder batches = new LongAdder();
    public final LongAdder headers = new LongAdder();
    public final LongAdder cpuBatches = new LongAdder();
    public final LongAdder cpuHeaders = new LongAdder();
    public final LongAdder fallBacks = new LongAdder();

    /** µs from the start of the last batch to its verdicts. */
    public volatile long lastMicros;

    /** The device classified a batch. */
    void classified(int headerCount) {
        batches.increment();
        headers.add(headerCount);
    }

    /** A batch went to the CPU at once. */
    void wentToCpu(int headerCount) {
        cpuBatches.increment();
        cpuHeaders.add(headerCount);
    }

    /** A batch failed on the device, and the CPU classifies it again. */
    void failed(int headerCount) {
        fallBacks.increment();
        cpuHeaders.add(headerCount);
    }
}
