package dev.sluice.operators.statistics;

import java.io.Serializable;

/**
 * Options of rule statistics.
 *
 * @param on whether hits are counted
 * @param windowNs length of windows that are counted beside the totals, in ns; 0: none
 */
public record StatisticsOptions(boolean on, long windowNs) implements Serializable {
    /** No counts. */
    public static final StatisticsOptions OFF = new StatisticsOptions(false, 0);

    /** Totals, no windows. */
    public static final StatisticsOptions TOTALS = new StatisticsOptions(true, 0);

    /** Checks the length of the windows. */
    public StatisticsOptions {
        if (windowNs < 0) {
            throw new IllegalArgumentException(
                    "windows of " + windowNs + " ns; a window lasts at least 1 ns, 0 means none");
        }
        if (windowNs > 0 && !on) {
            throw new IllegalArgumentException(
                    "windows are counted only where statistics are on; leave out one of the two");
        }
    }

    /** Tells whether hits are also counted by windows. */
    public boolean hasWindows() {
        return windowNs > 0;
    }
}
