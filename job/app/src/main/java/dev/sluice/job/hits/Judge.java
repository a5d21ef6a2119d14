package dev.sluice.job.hits;

import dev.sluice.engine.rules.RuleSet;
import dev.sluice.schemas.header.HeaderBatch;

/** Judge of headers: a rule set, or a policy of several look-ups. Not thread-safe. */
interface Judge extends AutoCloseable {
    /** The rules that answer; a verdict is a position in them. */
    RuleSet answers();

    /** Creates an empty batch with the words that the rules look at. */
    HeaderBatch newBatch(int capacity);

    /**
     * Judges headers.
     *
     * @return the verdict of each; valid until the next call
     */
    int[] judge(HeaderBatch headers);

    @Override
    void close();
}
