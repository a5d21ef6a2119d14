package dev.sluice.lab.inplace;

import dev.sluice.schemas.header.HeaderBatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/**
 * Two copies of a rule set, of which readers see one while the writer changes the other. The caller
 * makes writers take turns; readers come from any thread and never wait.
 *
 * <p>Why it is right: a reader first counts itself in at the copy that it read from {@code
 * current}, then reads {@code current} again, and looks only if it is the same copy. The writer
 * first publishes the other copy, then waits until the count of the one that it will change is 0.
 * All four accesses are volatile or atomic, so they have one total order (JLS §17.4.4): either the
 * reader's second read comes after the publication and it turns away, or its increment comes before
 * the writer's look at the count and the writer waits. What the writer wrote before it published
 * happens before what a reader of the new copy sees; what a reader read happens before its
 * decrement, and that before the writer's next change.
 */
final class TwoCopies<S extends LiveState> {
    /** A copy, and how many readers look into it. */
    static final class Copy<S extends LiveState> {
        final S state;
        private final AtomicInteger readers = new AtomicInteger();

        /** How many of the journal's changes were applied to this copy. */
        private int applied;

        Copy(S state) {
            this.state = state;
        }
    }

    /** So few changes touch so few lines that the cache still has them for the other copy. */
    static final int FEW = 64;

    private final Journal journal = new Journal();
    private volatile Copy<S> current;
    private Copy<S> idle;

    TwoCopies(S first, S second) {
        current = new Copy<>(first);
        idle = new Copy<>(second);
    }

    /** Where the next changes are written; {@link #publish} makes them visible together. */
    Journal journal() {
        return journal;
    }

    /**
     * Brings into the cache what a change of a slot's rule will read.
     *
     * @param changes number of changes that will be published with it; no effect where they are
     *     more than {@link #FEW}
     */
    void readAhead(int slot, int changes) {
        if (changes <= FEW) {
            idle.state.readAhead(slot);
        }
    }

    /**
     * Applies the journal to the idle copy and makes it the current one; waits for readers that
     * still look into it. The other copy follows at once if nobody looks into it, else at the next
     * call.
     */
    void publish() {
        Copy<S> next = idle;
        awaitNoReaders(next);
        next.state.apply(journal, next.applied, journal.size());
        next.applied = journal.size();
        Copy<S> last = current;
        current = next;
        idle = last;
        if (last.applied < journal.size() && last.readers.get() == 0) {
            last.state.apply(journal, last.applied, journal.size());
            last.applied = journal.size();
        }
        if (last.applied == journal.size()) {
            journal.clear();
            last.applied = 0;
            next.applied = 0;
        }
    }

    private static void awaitNoReaders(Copy<?> copy) {
        int spins = 0;
        while (copy.readers.get() != 0) {
            if (++spins < 1000) {
                Thread.onSpinWait();
            } else {
                LockSupport.parkNanos(20_000);
            }
        }
    }

    /** Looks a batch up in one version. */
    void search(HeaderBatch headers, long[] ids, int[] found) {
        Copy<S> copy = enter();
        try {
            copy.state.search(headers, ids, found);
        } finally {
            leave(copy);
        }
    }

    /** The version in force, which stays as it is until {@link #leave}. */
    Copy<S> enter() {
        while (true) {
            Copy<S> copy = current;
            copy.readers.getAndIncrement();
            if (copy == current) {
                return copy;
            }
            copy.readers.getAndDecrement();
        }
    }

    /** Ends a look-up that {@link #enter} began. */
    void leave(Copy<S> copy) {
        copy.readers.getAndDecrement();
    }

    /** Bytes of both copies; to be called by the writer. */
    long bytes() {
        return current.state.bytes() + idle.state.bytes();
    }
}
