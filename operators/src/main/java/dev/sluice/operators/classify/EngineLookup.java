package dev.sluice.operators.classify;

import dev.sluice.engine.Engine;
import dev.sluice.engine.RuleSetVersion;
import dev.sluice.engine.lookup.PendingVerdicts;
import dev.sluice.engine.lookup.StagedHeaders;
import dev.sluice.engine.lookup.VerdictBatch;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.schemas.header.HeaderBatch;
import dev.sluice.schemas.header.HeaderLayout;
import org.jspecify.annotations.Nullable;

/**
 * One version of an engine's rules, as the pipeline looks batches up in it.
 *
 * @param engine the engine of the operator instance, open for longer than the version
 * @param version open until the pipeline closes it
 */
record EngineLookup(Engine engine, RuleSetVersion version) implements RuleSetLookup {
    @Override
    public RuleSet rules() {
        return version.rules();
    }

    @Override
    public HeaderLayout layout() {
        return version.layout();
    }

    @Override
    public @Nullable StagedHeaders stage(int headers) {
        return engine.stage(version, headers);
    }

    @Override
    public PendingVerdicts submit(HeaderBatch headers, VerdictBatch verdicts) {
        return engine.submit(version, headers, verdicts);
    }

    @Override
    public void rest() {
        engine.rest();
    }

    @Override
    public void close() {
        version.close();
    }
}
