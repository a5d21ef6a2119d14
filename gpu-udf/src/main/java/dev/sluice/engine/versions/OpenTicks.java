package dev.sluice.engine.versions;

import java.util.NavigableMap;
import java.util.TreeMap;

/** Ticks of the versions of one base that are in use. Thread-safe. */
final class OpenTicks {
    /** Versions that use a tick, by their ticks. */
    private final NavigableMap<Integer, Integer> versions = new TreeMap<>();

    /** Oldest tick in use, as any thread last saw it. */
    private volatile int oldest = VersionedTuplesLayout.NEVER;

    /** A version uses a tick. */
    void add(int tick) {
        change(tick, 1);
    }

    /** A version uses its tick no more. */
    void remove(int tick) {
        change(tick, -1);
    }

    private synchronized void change(int tick, int by) {
        if (versions.merge(tick, by, Integer::sum) == 0) {
            versions.remove(tick);
        }
        oldest = versions.isEmpty() ? VersionedTuplesLayout.NEVER : versions.firstKey();
    }

    /** The oldest tick in use, NEVER if there is none. */
    int oldest() {
        return oldest;
    }
}
