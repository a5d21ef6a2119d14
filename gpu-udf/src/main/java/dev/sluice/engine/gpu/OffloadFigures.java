package dev.sluice.engine.gpu;

import java.util.concurrent.atomic.LongAdder;

/**
 * Counts of the batches of a classifier, or of those that served an engine one after another:
 * counted for metrics and tests. Thread-safe.
 */
final class OffloadFigures {
    private final LongAdder batches = new LongAdder();
    private final LongAdder headers = new LongAdder();
    private final LongAdder cpuBatches = new LongAdder();
    private final LongAdder cpuHeaders = new LongAdder();
    private final LongAdder fallBacks = new LongAdder();
    private volatile long lastMicros;

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

    /** µs from the start of the last batch to its verdicts. */
    void took(long micros) {
        lastMicros = micros;
    }

    long batches() {
        return batches.sum();
    }

    long headers() {
        return headers.sum();
    }

    long cpuBatches() {
        return cpuBatches.sum();
    }

    long cpuHeaders() {
        return cpuHeaders.sum();
    }

    long fallBacks() {
        return fallBacks.sum();
    }

    long lastMicros() {
        return lastMicros;
    }
}
