package dev.sluice.engine.gpu;

import java.util.concurrent.atomic.LongAdder;

/**
 * Counts of the batches of a classifier, or of those that served an engine one after another:
 * counted for metrics and tests. Thread-safe.
 */
final class OffloadFigures {
    final LongAdder batches = new LongAdder();
    final LongAdder headers = new LongAdder();
    final LongAdder cpuBatches = new LongAdder();
    final LongAdder cpuHeaders = new LongAdder();
    final LongAdder fallBacks = new LongAdder();

    /** µs from the start of the last batch to its verdicts. */
    volatile long lastMicros;

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
