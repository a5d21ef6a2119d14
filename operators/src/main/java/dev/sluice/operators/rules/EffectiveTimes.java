package dev.sluice.operators.rules;

import dev.sluice.schemas.codec.MalformedMessageException;
import org.jspecify.annotations.Nullable;

/**
 * When the versions of a history come into force, in event time: never before the version that
 * precedes them. Of versions with the same time the highest counts. Not thread-safe.
 */
public final class EffectiveTimes {
    /** The time before the first version. */
    public static final long NONE = Long.MIN_VALUE;

    private long newestNs = NONE;

    /** Time of the newest version, ns since 1970 UTC, or {@link #NONE}. */
    public long newestNs() {
        return newestNs;
    }

    /**
     * The time of the next version. It counts once {@link #took} says so.
     *
     * @param statedNs what the version asks for, or null: the later of its COMMIT and the version
     *     before
     * @param commitTimeNs time of the COMMIT's record, or {@link RuleTransaction#NO_TIME}
     * @throws MalformedMessageException if it asks for a time before that of the version before
     */
    public long resolve(@Nullable Long statedNs, long commitTimeNs)
            throws MalformedMessageException {
        if (statedNs == null) {
            return Math.max(newestNs, commitTimeNs);
        }
        if (statedNs < newestNs) {
            throw new MalformedMessageException(
                    "rules: effective time goes back",
                    "a version is to be in force from %d ns on, the one before it is from %d ns on"
                            .formatted(statedNs, newestNs));
        }
        return statedNs;
    }

    /** A version with this time has been taken. */
    public void took(long timeNs) {
        newestNs = timeNs;
    }
}
