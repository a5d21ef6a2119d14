package dev.sluice.operators.classify;

import dev.sluice.engine.ServedVersion;
import dev.sluice.engine.lookup.PendingVerdicts;
import dev.sluice.engine.lookup.VerdictBatch;
import dev.sluice.engine.rules.Rule;
import dev.sluice.schemas.header.HeaderBatch;
import dev.sluice.schemas.header.HeaderLayout;
import dev.sluice.schemas.header.HeaderWord;
import java.util.Arrays;

/**
 * Stand-in where no version judges packets: the default action, without a look-up, under version 0.
 *
 * @param history id of the history whose first version is younger than the packets
 * @param defaultAction the action
 */
record NoRules(String history, String defaultAction) implements ServedVersion {
    private static final HeaderLayout LAYOUT = HeaderLayout.of(HeaderWord.PORTS);

    @Override
    public long version() {
        return 0;
    }

    @Override
    public HeaderLayout layout() {
        return LAYOUT;
    }

    @Override
    public int slots() {
        return 0;
    }

    @Override
    public Rule rule(int verdict) {
        throw new IllegalArgumentException("there are no rules, so none has verdict " + verdict);
    }

    @Override
    public PendingVerdicts submit(HeaderBatch headers, VerdictBatch verdicts) {
        Arrays.fill(verdicts.rules(), 0, headers.size(), VerdictBatch.MISS);
        return () -> {};
    }

    @Override
    public ServedVersion retain() {
        return this; // nothing is held
    }

    @Override
    public void close() {
        // nothing is held
    }
}
