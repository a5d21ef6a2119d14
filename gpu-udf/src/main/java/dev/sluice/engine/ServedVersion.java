package dev.sluice.engine;

import dev.sluice.engine.lookup.PendingVerdicts;
import dev.sluice.engine.lookup.StagedHeaders;
import dev.sluice.engine.lookup.VerdictBatch;
import dev.sluice.engine.rules.Rule;
import dev.sluice.schemas.codec.VerdictOutcome;
import dev.sluice.schemas.header.HeaderBatch;
import dev.sluice.schemas.header.HeaderLayout;
import dev.sluice.schemas.header.HeaderWord;
import org.jspecify.annotations.Nullable;

/**
 * A rule-set version that is ready for look-ups: what who submits batches needs of it.
 *
 * <p>A verdict is an int: {@link VerdictBatch#MISS}, or a number below {@link #slots} that this
 * version alone can turn into a rule.
 *
 * <p>Thread-safe. Several users may share a version: each has retained it, or owns the reference
 * that it was handed over with, and closes it once, when its last batch is out.
 */
public interface ServedVersion extends CountedRules, AutoCloseable {
    /** Action of a packet that no rule matches. */
    String defaultAction();

    /**
     * The most stages that a packet passes before the one that decides; {@link
     * VerdictBatch#earlier} has the rules that let it pass.
     */
    default int earlierStages() {
        return 0;
    }

    /**
     * Fate of a packet by a policy; NONE of each verdict: the rules stand for themselves.
     *
     * @param verdict which may be a miss
     */
    default VerdictOutcome outcome(int verdict) {
        return VerdictOutcome.NONE;
    }

    /** The assumption that a policy judges under, as options of its publisher; empty: none. */
    default String assumed() {
        return "";
    }

    /**
     * The bits of {@link HeaderWord#CONNECTION} that a policy's rules ask for; 0: it asks for no
     * connection's state, or the rules stand for themselves.
     */
    default int connectionBits() {
        return 0;
    }

    /** The layout of the batches to submit. */
    HeaderLayout layout();

    /**
     * The stable ids of the rules that verdicts name. None may be a miss.
     *
     * @param verdicts of which the first {@code count} are looked at
     * @param ids takes as many ids
     */
    default void ruleIds(int[] verdicts, int count, long[] ids) {
        for (int i = 0; i < count; i++) {
            ids[i] = ruleId(verdicts[i]);
        }
    }

    @Override
    default long ruleId(int verdict) {
        return rule(verdict).id();
    }

    /** The rule that a verdict names, as of this version, its line included. */
    Rule rule(int verdict);

    /**
     * Memory of a device that the headers of a batch can be written to without a detour over the
     * heap. Does not wait.
     *
     * @param headers most headers of the batch
     * @return null where there is none, and the headers go by {@link #submit}
     */
    default @Nullable StagedHeaders stage(int headers) {
        return null;
    }

    /**
     * Starts on a batch.
     *
     * @param headers not to be changed before the verdicts are there
     * @param verdicts filled when the verdicts are there
     */
    PendingVerdicts submit(HeaderBatch headers, VerdictBatch verdicts);

    /**
     * Tells whether a batch that is submitted now, without memory of {@link #stage}, waits for one
     * that is under way. A thread that has batches under way reads the verdicts of its eldest
     * first.
     */
    default boolean isDeviceFull() {
        return false;
    }

    /** Says that no batch comes for a while: what waits for one on a device may leave it. */
    default void rest() {}

    /** Counts one more user, who closes the version too. It must not be closed. Returns this. */
    ServedVersion retain();

    /**
     * Counts one user less. With the last, what is held for the version is given back; none of its
     * batches is under way any more.
     */
    @Override
    void close();
}
