package dev.sluice.operators.classify;

import dev.sluice.engine.gpu.GpuClassifier;
import dev.sluice.engine.gpu.GpuPool;
import dev.sluice.engine.lookup.BatchClassifier;
import dev.sluice.engine.lookup.Classifier;
import dev.sluice.engine.lookup.VerdictBatch;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.schemas.header.HeaderBatch;
import dev.sluice.schemas.header.HeaderLayout;
import org.jspecify.annotations.Nullable;

record EngineLookup(RuleSet rules, Classifier cpu, @Nullable GpuClassifier gpu)
        implements RuleSetLookup {
    @Override
    public HeaderLayout layout() {
        return cpu.image().layout();
    }

    @Override
    public BatchClassifier.@Nullable Staging stage(int headers) {
        return gpu == null ? null : gpu.stage(headers);
    }

    @Override
    public BatchClassifier.Flight submit(HeaderBatch headers, VerdictBatch verdicts) {
        return GpuPool.submit(gpu == null ? cpu : gpu, headers, verdicts);
    }

    @Override
    public void rest() {
        if (gpu != null) {
            gpu.rest();
        }
    }

    @Override
    public void close() {
        if (gpu != null) {
            gpu.close();
        }
    }
}
