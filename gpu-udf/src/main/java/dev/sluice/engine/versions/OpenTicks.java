package dev.sluice.engine.versions;

import org.jspecify.annotations.Nullable;

/**
 * The versions of one base that are in use, in the order of their ticks: a doubly linked list, so
 * that one comes or goes at once wherever it stands. Thread-safe.
 */
final class OpenTicks {
    private @Nullable VersionView last;

    /** Tick of the oldest version in use, as any thread last saw it. */
    private volatile int oldest = VersionedTuplesLayout.NEVER;

    /** A version is in use; its tick is not smaller than any before. */
    synchronized void add(VersionView view) {
        VersionView end = last;
        view.before = end;
        if (end == null) {
            oldest = view.tick();
        } else {
            end.behind = view;
        }
        last = view;
    }

    /** A version is in use no more. */
    synchronized void remove(VersionView view) {
        VersionView before = view.before;
        VersionView behind = view.behind;
        if (before == null) {
            oldest = behind == null ? VersionedTuplesLayout.NEVER : behind.tick();
        } else {
            before.behind = behind;
        }
        if (behind == null) {
            last = before;
        } else {
            behind.before = before;
        }
        view.before = null;
        view.behind = null;
    }

    /** The oldest tick in use, NEVER if there is none. */
    int oldest() {
        return oldest;
    }
}
