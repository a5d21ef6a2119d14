package dev.sluice.operators.classify;

import dev.sluice.engine.ServedVersion;
import dev.sluice.engine.lookup.VerdictBatch;
import dev.sluice.schemas.header.HeaderBatch;
import org.jspecify.annotations.Nullable;

/**
 * Headers of a batch as a version of the shadow looks at them, and room for its verdicts.
 *
 * @param rules the version, retained for the batch
 * @param headers those of the batch itself where they have the layout of the version
 */
record ShadowBatch(ServedVersion rules, HeaderBatch headers, VerdictBatch verdicts) {
    /**
     * Memory of a batch under a version, which is retained.
     *
     * @param batch headers of the batch
     * @param staged whether the batch's headers lie in the memory of a device instead
     * @param over memory that is not used any more; null: none
     */
    static ShadowBatch of(
            ServedVersion rules, HeaderBatch batch, boolean staged, @Nullable ShadowBatch over) {
        HeaderBatch headers = batch;
        if (staged || !batch.layout().equals(rules.layout())) {
            headers =
                    over == null || over.headers == batch
                            ? new HeaderBatch(rules.layout(), batch.capacity())
                            : over.headers;
            headers.clear(rules.layout());
        }
        return new ShadowBatch(
                rules.retain(),
                headers,
                over == null ? new VerdictBatch(batch.capacity()) : over.verdicts);
    }
}
