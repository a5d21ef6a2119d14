package dev.sluice.operators.rules.serving;

import dev.sluice.engine.Engine;
import dev.sluice.engine.RuleSetVersion;
import dev.sluice.engine.lookup.PendingVerdicts;
import dev.sluice.engine.lookup.StagedHeaders;
import dev.sluice.engine.lookup.VerdictBatch;
import dev.sluice.engine.rules.Rule;
import dev.sluice.operators.statistics.CountedRules;
import dev.sluice.schemas.header.HeaderBatch;
import dev.sluice.schemas.header.HeaderLayout;
import org.jspecify.annotations.Nullable;

/**
 * A version of an engine's rules.
 *
 * @param history id of the history that its number belongs to: the engine knows numbers alone
 * @param engine its engine, open for longer than the version
 * @param held the version, held for the first user of this
 */
record EngineVersion(String history, Engine engine, RuleSetVersion held) implements ServedVersion {
    @Override
    public long version() {
        return held.number();
    }

    @Override
    public String defaultAction() {
        return held.defaultAction();
    }

    @Override
    public HeaderLayout layout() {
        return held.layout();
    }

    @Override
    public int slots() {
        return held.slots();
    }

    @Override
    public long ruleId(int verdict) {
        return held.ruleId(verdict);
    }

    @Override
    public boolean numbersAlike(CountedRules other) {
        return other instanceof EngineVersion same
                && history.equals(same.history)
                && held.numbersAlike(same.held);
    }

    @Override
    public void ruleIds(int[] verdicts, int count, long[] ids) {
        held.ruleIds(verdicts, count, ids);
    }

    @Override
    public Rule rule(int verdict) {
        return held.rule(verdict);
    }

    @Override
    public @Nullable StagedHeaders stage(int headers) {
        return engine.stage(held, headers);
    }

    @Override
    public PendingVerdicts submit(HeaderBatch headers, VerdictBatch verdicts) {
        return engine.submit(held, headers, verdicts);
    }

    @Override
    public boolean isDeviceFull() {
        return engine.isDeviceFull(held);
    }

    @Override
    public void rest() {
        engine.rest();
    }

    @Override
    public void retain() {
        held.retain();
    }

    @Override
    public void close() {
        held.close();
    }

    @Override
    public String toString() {
        return "version %d of '%s', %,d rules; %s"
                .formatted(held.number(), held.name(), held.size(), held.explanation());
    }
}
