package dev.sluice.operators.stream;

import dev.sluice.engine.lookup.PendingVerdicts;
import dev.sluice.engine.lookup.StagedHeaders;
import dev.sluice.engine.lookup.VerdictBatch;
import dev.sluice.engine.rules.Rule;
import dev.sluice.operators.statistics.CountedRules;
import dev.sluice.schemas.header.HeaderBatch;
import dev.sluice.schemas.header.HeaderLayout;
import org.jspecify.annotations.Nullable;

/**
 * A version of which the history is known: the engine knows numbers alone.
 *
 * @param history id of the history that the version's number belongs to
 * @param lookup the version, held for the first user of this
 */
public record HistoryLookup(String history, RuleSetLookup lookup) implements RuleSetLookup {
    @Override
    public long version() {
        return lookup.version();
    }

    @Override
    public String defaultAction() {
        return lookup.defaultAction();
    }

    @Override
    public HeaderLayout layout() {
        return lookup.layout();
    }

    @Override
    public int slots() {
        return lookup.slots();
    }

    @Override
    public long ruleId(int verdict) {
        return lookup.ruleId(verdict);
    }

    @Override
    public boolean numbersAlike(CountedRules other) {
        return other instanceof HistoryLookup same
                && history.equals(same.history)
                && lookup.numbersAlike(same.lookup);
    }

    @Override
    public void ruleIds(int[] verdicts, int count, long[] ids) {
        lookup.ruleIds(verdicts, count, ids);
    }

    @Override
    public Rule rule(int verdict) {
        return lookup.rule(verdict);
    }

    @Override
    public @Nullable StagedHeaders stage(int headers) {
        return lookup.stage(headers);
    }

    @Override
    public PendingVerdicts submit(HeaderBatch headers, VerdictBatch verdicts) {
        return lookup.submit(headers, verdicts);
    }

    @Override
    public boolean isDeviceFull() {
        return lookup.isDeviceFull();
    }

    @Override
    public void rest() {
        lookup.rest();
    }

    @Override
    public void retain() {
        lookup.retain();
    }

    @Override
    public void close() {
        lookup.close();
    }

    @Override
    public String toString() {
        return lookup.toString();
    }
}
