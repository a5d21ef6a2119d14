package dev.sluice.job.hits;

import dev.sluice.engine.Engine;
import dev.sluice.engine.EngineOptions;
import dev.sluice.engine.RuleSetVersion;
import dev.sluice.engine.gpu.GpuPool;
import dev.sluice.engine.lookup.VerdictBatch;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.schemas.header.HeaderBatch;

/** Look-ups in one rule set, on the CPU. */
final class RuleSetJudge implements Judge {
    private final Engine engine;
    private final RuleSetVersion version;
    private final VerdictBatch verdicts;

    /**
     * Compiles the rules.
     *
     * @param most most headers of a batch
     */
    RuleSetJudge(RuleSet rules, int most) {
        verdicts = new VerdictBatch(most);
        engine = Engine.open(rules, EngineOptions.DEFAULTS.withGpu(GpuPool.Selection.OFF));
        version = engine.current();
    }

    @Override
    public RuleSet answers() {
        return version.rules(); // a set that was just loaded has no changes
    }

    @Override
    public HeaderBatch newBatch(int capacity) {
        return version.newBatch(capacity);
    }

    @Override
    public int[] judge(HeaderBatch headers) {
        version.submit(headers, verdicts).await();
        return verdicts.rules();
    }

    @Override
    public void close() {
        engine.close();
    }
}
