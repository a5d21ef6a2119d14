package dev.sluice.engine.versions;

import org.jspecify.annotations.Nullable;

/**
 * Ticks of the versions of one base that are in use, in their order: a doubly linked list, so that
 * one comes or goes at once wherever it stands. Thread-safe.
 */
final class OpenTicks {
    /** A tick that a version uses. Its neighbours are guarded by the list. */
    static final class Entry {
        private final int tick;
        private @Nullable Entry before;
        private @Nullable Entry behind;

        private Entry(int tick) {
            this.tick = tick;
        }
    }

    private @Nullable Entry last;

    /** Oldest tick in use, as any thread last saw it. */
    private volatile int oldest = VersionedTuplesLayout.NEVER;

    /** A version uses a tick, which is not smaller than any before. */
    synchronized Entry add(int tick) {
        Entry entry = new Entry(tick);
        Entry end = last;
        entry.before = end;
        if (end == null) {
            oldest = tick;
        } else {
            end.behind = entry;
        }
        last = entry;
        return entry;
    }

    /** The version uses its tick no more. */
    synchronized void remove(Entry entry) {
        Entry before = entry.before;
        Entry behind = entry.behind;
        if (before == null) {
            oldest = behind == null ? VersionedTuplesLayout.NEVER : behind.tick;
        } else {
            before.behind = behind;
        }
        if (behind == null) {
            last = before;
        } else {
            behind.before = before;
        }
        entry.before = null;
        entry.behind = null;
    }

    /** The oldest tick in use, NEVER if there is none. */
    int oldest() {
        return oldest;
    }
}
