package dev.sluice.job.replay;

import dev.sluice.job.hits.Pace;

/**
 * Arrival times of a job's verdicts, from which their rate follows.
 *
 * <p>The job commits verdicts at its checkpoints, so that a rate needs verdicts of several
 * checkpoints. Not thread-safe.
 */
final class Arrivals {
    private static final double NANOS = 1e9;

    private final long began;
    private final long shortest;
    private long first;
    private long last;
    private long beforeFirst;
    private long count;

    /**
     * Creates the record of a start.
     *
     * @param began when the start began, in ns
     * @param shortest shortest time in ns from which a rate follows
     */
    Arrivals(long began, long shortest) {
        this.began = began;
        this.shortest = shortest;
    }

    /** Notes that so many verdicts have arrived in total. */
    void at(long verdicts, long now) {
        if (verdicts > count) {
            if (count == 0) {
                first = now;
                beforeFirst = verdicts;
            }
            last = now;
            count = verdicts;
        }
    }

    /** Returns the pace since the first verdicts. */
    Pace pace(long now) {
        boolean tells = count > 0 && last - first >= shortest;
        return new Pace(
                ((count == 0 ? now : first) - began) / NANOS,
                tells ? count - beforeFirst : count,
                tells ? (last - first) / NANOS : 0);
    }
}
