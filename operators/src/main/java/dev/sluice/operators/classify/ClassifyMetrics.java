package dev.sluice.operators.classify;

import dev.sluice.engine.Engine;
import java.util.function.IntSupplier;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.MetricGroup;

/**
 * The metrics of a classify operator instance. Changed in the mailbox thread, read by those of
 * Flink's reporters.
 *
 * <p>What stands under {@code gpu} is of the rule set in force alone, and 0 where no device serves
 * it.
 */
final class ClassifyMetrics {
    private final Counter headers;
    private final Counter batches;
    private final Counter droppedTransactions;

    /** Share of the last batch that was full, 0 to 1. */
    private volatile double batchFill;

    /** Version of the rule set in force, -1 before the first. */
    private volatile long ruleSetVersion = -1;

    /**
     * Registers the metrics.
     *
     * @param batchesInFlight batches that are submitted and not emitted, as of the call
     */
    ClassifyMetrics(MetricGroup group, Engine engine, IntSupplier batchesInFlight) {
        headers = group.counter("headers");
        batches = group.counter("batches");
        droppedTransactions = group.counter("droppedRuleTransactions");
        group.gauge("batchesInFlight", batchesInFlight::getAsInt);
        group.gauge("batchFill", () -> batchFill);
        group.gauge("ruleSetVersion", () -> ruleSetVersion);
        group.gauge("flowCacheHitRate", () -> engine.figures().flowCacheHitRate());
        MetricGroup gpu = group.addGroup("gpu");
        gpu.gauge("batches", () -> engine.figures().deviceBatches());
        gpu.gauge("headers", () -> engine.figures().deviceHeaders());
        gpu.gauge("cpuBatches", () -> engine.figures().cpuBatches());
        gpu.gauge("fallBacks", () -> engine.figures().fallBacks());
        gpu.gauge("resting", () -> engine.figures().resting() ? 1L : 0L);
        gpu.gauge("flightMicros", () -> engine.figures().flightMicros());
        gpu.gauge("batchesUnderWay", () -> engine.figures().batchesUnderWay());
        gpu.gauge("imageBytes", () -> engine.figures().deviceImageBytes());
    }

    /** A batch was handed to the worker. */
    void batchSubmitted(int size, int capacity) {
        batchFill = (double) size / capacity;
        headers.inc(size);
        batches.inc();
    }

    /** A rule transaction was dropped. */
    void transactionDropped() {
        droppedTransactions.inc();
    }

    /** A rule set is in force. */
    void ruleSetInForce(long version) {
        ruleSetVersion = version;
    }
}
