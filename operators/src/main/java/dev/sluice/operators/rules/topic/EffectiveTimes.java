package dev.sluice.operators.rules.topic;

import dev.sluice.schemas.codec.DeadLetterReason;
import dev.sluice.schemas.codec.MalformedMessageException;
import java.time.Instant;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * When the versions of a history come into force, in event time: never before the version that
 * precedes them, and always after the time up to which a heartbeat has said that none will. Of
 * versions with the same time the highest counts. Not thread-safe.
 */
public final class EffectiveTimes {
    /** The time before the first version. */
    public static final long NONE = Long.MIN_VALUE;

    private long newestNs = NONE;
    private long heartbeatNs = NONE;

    /** Time of the newest version, ns since 1970 UTC, or {@link #NONE}. */
    public long newestNs() {
        return newestNs;
    }

    /** Time up to which a heartbeat has said that no other version will be, or {@link #NONE}. */
    public long heartbeatNs() {
        return heartbeatNs;
    }

    /** The last time of which it is known which version is in force; {@link #NONE}: of none. */
    public long knownNs() {
        return Math.max(heartbeatNs, newestNs == NONE ? NONE : newestNs - 1);
    }

    /** A heartbeat says that no other version will be in force from a time up to this one. */
    public void heartbeat(long untilNs) {
        heartbeatNs = Math.max(heartbeatNs, untilNs);
    }

    /**
     * The first time from which the next version may be in force.
     *
     * @param newestNs time of the newest version, or {@link #NONE}
     * @param heartbeatNs time up to which a heartbeat has said that no other will be, or {@link
     *     #NONE}
     */
    public static long earliestNs(long newestNs, long heartbeatNs) {
        boolean after = heartbeatNs != NONE && heartbeatNs != Long.MAX_VALUE;
        return Math.max(newestNs, after ? heartbeatNs + 1 : heartbeatNs);
    }

    /**
     * The time of the next version. It counts once {@link #took} says so.
     *
     * @param statedNs what the version asks for, or null: the latest of its COMMIT, the version
     *     before, and what follows the last heartbeat
     * @param commitTimeNs time of the COMMIT's record, or {@link RuleTransaction#NO_TIME}
     * @throws MalformedMessageException if it asks for a time before that of the version before, or
     *     for one that a heartbeat has ruled out
     */
    public long resolve(@Nullable Long statedNs, long commitTimeNs)
            throws MalformedMessageException {
        if (statedNs == null) {
            return Math.max(earliestNs(newestNs, heartbeatNs), commitTimeNs);
        }
        if (statedNs < newestNs) {
            throw new MalformedMessageException(
                    DeadLetterReason.RULES_TIME_BACK,
                    "a version is to be in force from %d ns on, the one before it is from %d ns on"
                            .formatted(statedNs, newestNs));
        }
        if (statedNs < earliestNs(newestNs, heartbeatNs)) {
            throw new MalformedMessageException(
                    DeadLetterReason.RULES_TIME_BACK,
                    "a version is to be in force from %d ns on, a heartbeat before it says that none will be up to %d ns"
                            .formatted(statedNs, heartbeatNs));
        }
        return statedNs;
    }

    /** A time as people write it. */
    public static Instant instant(long ns) {
        long second = TimeUnit.SECONDS.toNanos(1);
        return Instant.ofEpochSecond(Math.floorDiv(ns, second), Math.floorMod(ns, second));
    }

    /** A version with this time has been taken. */
    public void took(long timeNs) {
        newestNs = timeNs;
    }
}
