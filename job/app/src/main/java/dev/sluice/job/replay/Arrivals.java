package dev.sluice.job.replay;

import dev.sluice.job.hits.Pace;

/**
 * When verdicts came. The job commits them at its checkpoints, so that only verdicts that come over
 * several of these tell its rate. Not thread-safe.
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
     * Nothing has come yet.
     *
     * @param began when the start began, in ns
     * @param shortest the shortest time in ns that tells a rate
     */
    Arrivals(long began, long shortest) {
        this.began = began;
        this.shortest = shortest;
    }

    /** So many verdicts have come by now, all together. */
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

    /** The pace since the first verdicts. */
    Pace pace(long now) {
        boolean tells = count > 0 && last - first >= shortest;
        return new Pace(
                ((count == 0 ? now : first) - began) / NANOS,
                tells ? count - beforeFirst : count,
                tells ? (last - first) / NANOS : 0);
    }
}
