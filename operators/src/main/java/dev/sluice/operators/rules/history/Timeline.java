package dev.sluice.operators.rules.history;

import java.util.Arrays;

/**
 * When the versions of a history came into force, and up to which time that is known. Versions are
 * named by their index in the history, from 0; they lie on the timeline in the order of their
 * times, each at a place of its own, from 0. A history whose oldest versions were deleted begins
 * with the oldest that is kept.
 *
 * <p>Immutable, thread-safe. Timelines that follow each other share their arrays: one never looks
 * behind its own end.
 *
 * @param effectiveNs by place: time from which the version is in force
 * @param indexes by place: index of the version
 * @param size number of versions
 * @param truncated whether versions before the first were deleted
 * @param knownNs the last time of which it is known which version is in force
 */
public record Timeline(
        long[] effectiveNs, int[] indexes, int size, boolean truncated, long knownNs) {
    /** No version was in force yet. */
    public static final int NO_RULES = -1;

    /** The version that was in force is no longer kept. */
    public static final int HISTORY_DELETED = -2;

    /** Known up to here: what comes next is not known for any time. */
    static final long NOTHING_KNOWN = Long.MIN_VALUE;

    /** Known up to here: nothing will come any more. */
    static final long ALL_KNOWN = Long.MAX_VALUE;

    private static final int FIRST_CAPACITY = 16;

    /** A timeline without versions, of which nothing is known. */
    static Timeline empty(boolean truncated) {
        return new Timeline(
                new long[FIRST_CAPACITY], new int[FIRST_CAPACITY], 0, truncated, NOTHING_KNOWN);
    }

    /**
     * A timeline that is known for all times, of versions with the indexes from 0 on.
     *
     * @param effectiveNs time from which each version is in force, ns since 1970 UTC, never
     *     decreasing
     * @param truncated whether versions before the first were deleted
     * @throws IllegalArgumentException if a time is below the one before
     */
    public static Timeline of(long[] effectiveNs, boolean truncated) {
        Timeline timeline = empty(truncated).knownTo(ALL_KNOWN);
        for (int i = 0; i < effectiveNs.length; i++) {
            if (i > 0 && effectiveNs[i] < effectiveNs[i - 1]) {
                throw new IllegalArgumentException(
                        "version "
                                + i
                                + " of the timeline is in force from "
                                + effectiveNs[i]
                                + " on, before the version that precedes it, "
                                + effectiveNs[i - 1]);
            }
            timeline = timeline.followedBy(effectiveNs[i], i);
        }
        return timeline;
    }

    /**
     * This timeline with one more version, which takes the place of those that are in force from a
     * later time on. To be called once at most.
     *
     * @param index of the version, higher than those here
     */
    Timeline followedBy(long fromNs, int index) {
        int kept = size;
        while (kept > 0 && effectiveNs[kept - 1] > fromNs) {
            kept--;
        }
        boolean copy = kept < size || size == effectiveNs.length;
        int capacity = Math.max(FIRST_CAPACITY, 2 * (kept + 1));
        long[] times = copy ? Arrays.copyOf(effectiveNs, capacity) : effectiveNs;
        int[] numbers = copy ? Arrays.copyOf(indexes, capacity) : indexes;
        times[kept] = fromNs;
        numbers[kept] = index;
        return new Timeline(times, numbers, kept + 1, truncated, knownNs);
    }

    /** The same versions, known up to a time. */
    Timeline knownTo(long timeNs) {
        return new Timeline(effectiveNs, indexes, size, truncated, timeNs);
    }

    /** The same versions, before which others were deleted. */
    Timeline withoutOldest() {
        return new Timeline(effectiveNs, indexes, size, true, knownNs);
    }

    /** This timeline without the versions before an index, which is there. */
    Timeline withoutBefore(int index) {
        int from = Arrays.binarySearch(indexes, 0, size, index);
        if (from < 0) {
            throw new IllegalArgumentException("version " + index + " is not on the timeline");
        }
        return new Timeline(
                Arrays.copyOfRange(effectiveNs, from, size),
                Arrays.copyOfRange(indexes, from, size),
                size - from,
                true,
                knownNs);
    }

    /**
     * Tells whether packets of a time can be judged: the version in force then is known. Where
     * there is no version at all, they cannot: nobody knows the action of packets that no version
     * judges.
     */
    public boolean knows(long timeNs) {
        return timeNs <= knownNs && size > 0;
    }

    /** Time from which the version at a place is in force. */
    public long effectiveNs(int place) {
        return effectiveNs[place];
    }

    /** Index of the version at a place. */
    public int index(int place) {
        return indexes[place];
    }

    /**
     * The version in force at a time: the last one of those that came into force at it or before.
     *
     * @return its place, {@link #NO_RULES} or {@link #HISTORY_DELETED}
     */
    public int placeAt(long timeNs) {
        int at = Arrays.binarySearch(effectiveNs, 0, size, timeNs);
        if (at >= 0) {
            while (at + 1 < size && effectiveNs[at + 1] == timeNs) {
                at++;
            }
            return at;
        }
        int before = -at - 2;
        return before >= 0 ? before : truncated ? HISTORY_DELETED : NO_RULES;
    }

    /** The first time at which another version than at this place is in force; largest if none. */
    long nextChangeNs(int place) {
        int next = Math.max(place, -1) + 1;
        return next < size ? effectiveNs[next] : Long.MAX_VALUE;
    }
}
