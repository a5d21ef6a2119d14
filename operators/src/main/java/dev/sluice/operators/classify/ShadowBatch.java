package dev.sluice.operators.classify;

import dev.sluice.engine.ServedVersion;
import dev.sluice.engine.lookup.VerdictBatch;
import dev.sluice.schemas.header.HeaderBatch;

/**
 * Headers of a batch as a version of the shadow looks at them, and room for its verdicts.
 *
 * @param rules the version, retained for the batch
 */
record ShadowBatch(ServedVersion rules, HeaderBatch headers, VerdictBatch verdicts) {
    /** Memory for a batch under a version, which is retained. */
    ShadowBatch(ServedVersion rules, int capacity) {
        this(rules.retain(), new HeaderBatch(rules.layout(), capacity), new VerdictBatch(capacity));
    }

    /** The memory of a batch that is over, for one under a version, which is retained. */
    ShadowBatch next(ServedVersion by) {
        if (!by.layout().equals(headers.layout())) {
            return new ShadowBatch(by, headers.capacity());
        }
        headers.clear(headers.layout());
        return new ShadowBatch(by.retain(), headers, verdicts);
    }
}
