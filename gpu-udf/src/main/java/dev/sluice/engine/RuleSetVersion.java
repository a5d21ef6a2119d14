package dev.sluice.engine;

import dev.sluice.engine.gpu.GpuClassifier;
import dev.sluice.engine.lookup.Algorithm;
import dev.sluice.engine.lookup.BatchClassifier;
import dev.sluice.engine.lookup.Classifier;
import dev.sluice.engine.lookup.FlowCache;
import dev.sluice.engine.lookup.PendingVerdicts;
import dev.sluice.engine.lookup.StagedHeaders;
import dev.sluice.engine.lookup.VerdictBatch;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.schemas.header.HeaderBatch;
import dev.sluice.schemas.header.HeaderLayout;
import org.jspecify.annotations.Nullable;

/**
 * A rule set that an {@link Engine} holds ready for look-ups. Batches are submitted to the engine
 * with the version they belong to; their verdicts are positions in {@link #rules}. Thread-safe.
 */
public final class RuleSetVersion implements AutoCloseable {
    private final Engine engine;
    private final RuleSet rules;
    private final Compiler.Compiled compiled;
    private final long buildNanos;
    private final @Nullable FlowCache cache;
    private final @Nullable GpuClassifier gpu;

    /** Looks batches up: the device's where there is one, else the CPU's. */
    private final Classifier classifier;

    private volatile boolean closed;

    RuleSetVersion(
            Engine engine,
            RuleSet rules,
            Compiler.Compiled compiled,
            long buildNanos,
            @Nullable FlowCache cache,
            @Nullable GpuClassifier gpu) {
        this.engine = engine;
        this.rules = rules;
        this.compiled = compiled;
        this.buildNanos = buildNanos;
        this.cache = cache;
        this.gpu = gpu;
        Classifier cpu = cache == null ? compiled.classifier() : cache;
        this.classifier = gpu == null ? cpu : gpu;
    }

    /** The rules, in the order that verdicts name them by. */
    public RuleSet rules() {
        return rules;
    }

    /** The layout of the batches to submit: the header words that the rules look at. */
    public HeaderLayout layout() {
        return classifier.layout();
    }

    /** An empty batch for headers to submit. */
    public HeaderBatch newBatch(int capacity) {
        return new HeaderBatch(layout(), capacity);
    }

    /** The algorithm that looks into the rules. */
    public Algorithm algorithm() {
        return compiled.algorithm();
    }

    /** Why the rules were compiled so: one readable line. */
    public String explanation() {
        return compiled.explanation();
    }

    /** Nanoseconds that compiling the rules took, the choice of an algorithm included. */
    public long buildNanos() {
        return buildNanos;
    }

    /** Whether a device classifies, the CPU only where it helps. */
    public boolean onDevice() {
        return gpu != null;
    }

    /** Bytes that look-ups need, all copies counted, on the host and on a device. */
    public long bytes() {
        return classifier.bytes();
    }

    PendingVerdicts submit(HeaderBatch headers, VerdictBatch verdicts) {
        if (classifier instanceof BatchClassifier several) {
            return several.submit(headers, verdicts);
        }
        classifier.classify(headers, verdicts);
        return PendingVerdicts.READY;
    }

    @Nullable StagedHeaders stage(int headers) {
        return gpu == null ? null : gpu.stage(headers);
    }

    void rest() {
        if (gpu != null) {
            gpu.rest();
        }
    }

    EngineFigures figures() {
        return EngineFigures.of(gpu, cache);
    }

    /** Whether the version is of an engine, and open. */
    @SuppressWarnings("ReferenceEquality") // two engines are never the same
    boolean isOpenIn(Engine asked) {
        return engine == asked && !closed;
    }

    /**
     * Gives back what a device holds of the rules. None of their batches may be under way, and none
     * may be submitted any more. To close a version again changes nothing.
     */
    @Override
    public void close() {
        closed = true;
        try {
            if (gpu != null) {
                gpu.close();
            }
        } finally {
            engine.forget(this);
        }
    }
}
