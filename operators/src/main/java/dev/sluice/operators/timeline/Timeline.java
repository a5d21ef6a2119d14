package dev.sluice.operators.timeline;

import java.util.Arrays;

/**
 * When the versions of a history came into force. Versions are named by their index in the history,
 * from 0; a history whose oldest versions were deleted begins with the oldest that is kept.
 *
 * <p>Immutable, thread-safe.
 */
public final class Timeline {
    /** No version was in force yet. */
    public static final int NO_RULES = -1;

    /** The version that was in force is no longer kept. */
    public static final int HISTORY_DELETED = -2;

    private final long[] effectiveNs;
    private final boolean truncated;

    /**
     * A timeline.
     *
     * @param effectiveNs time from which each version is in force, ns since 1970 UTC, never
     *     decreasing
     * @param truncated whether versions before the first were deleted
     * @throws IllegalArgumentException if a time is below the one before
     */
    public Timeline(long[] effectiveNs, boolean truncated) {
        this.effectiveNs = effectiveNs.clone();
        this.truncated = truncated;
        for (int i = 1; i < effectiveNs.length; i++) {
            if (effectiveNs[i] < effectiveNs[i - 1]) {
                throw new IllegalArgumentException(
                        "version "
                                + i
                                + " of the timeline is in force from "
                                + effectiveNs[i]
                                + " on, before the version that precedes it, "
                                + effectiveNs[i - 1]);
            }
        }
    }

    /** Number of versions. */
    public int size() {
        return effectiveNs.length;
    }

    /** Time from which a version is in force. */
    public long effectiveNs(int index) {
        return effectiveNs[index];
    }

    /**
     * The version in force at a time: the last one of those that came into force at it or before.
     *
     * @return its index, {@link #NO_RULES} or {@link #HISTORY_DELETED}
     */
    public int indexAt(long timeNs) {
        int at = Arrays.binarySearch(effectiveNs, timeNs);
        if (at >= 0) {
            while (at + 1 < effectiveNs.length && effectiveNs[at + 1] == timeNs) {
                at++;
            }
            return at;
        }
        int before = -at - 2;
        return before >= 0 ? before : truncated ? HISTORY_DELETED : NO_RULES;
    }

    /** The first time at which another version than at this one is in force; largest if none is. */
    long nextChangeNs(int index) {
        int next = Math.max(index, -1) + 1;
        return next < effectiveNs.length ? effectiveNs[next] : Long.MAX_VALUE;
    }
}
