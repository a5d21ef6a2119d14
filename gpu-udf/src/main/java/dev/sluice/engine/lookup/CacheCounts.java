package dev.sluice.engine.lookup;

/** Counts of the flow caches in front of a look-up, over all threads. Thread-safe. */
public interface CacheCounts {
    /** Share of the headers that were answered from a cache so far, 0 before the first one. */
    double hitRate();

    /** How often a thread's cache came into use by itself. */
    default long turnedOn() {
        return 0;
    }

    /** How often a thread's cache was left again by itself. */
    default long turnedOff() {
        return 0;
    }
}
