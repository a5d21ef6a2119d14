package dev.sluice.operators.rules.serving;

import dev.sluice.engine.ServedVersion;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The leases of a stream, and the versions that their subtasks may still begin to use.
 *
 * <p>A subtask uses a version only when it has itself received the message that commits it. Else a
 * subtask in front of a checkpoint barrier could use what another brought behind it, and after a
 * restart from that checkpoint its packets would be judged by older rules than before. A subtask
 * that has no version takes the oldest, whatever it has received: where it waits for its first
 * rules it receives nothing.
 *
 * <p>A version stays until every subtask has it or a newer one. If many pile up, because a subtask
 * is held up, those before the newest are left out. While it is not decided what the tasks begin
 * with, versions are held back: one that is served on the way to the newest may be older than what
 * judged packets before a restart.
 *
 * <p>Thread-safe. Versions are closed, and tasks notified, without the lock.
 */
final class RuleLeases {
    /** Versions that are kept at most. */
    static final int MOST = 64;

    /**
     * A version in force. The stream is one of its users until the entry goes.
     *
     * @param serial number of its step
     * @param index number of the broadcast message that a subtask must have received to use it
     */
    record Entry(long serial, long index, ServedVersion version) {}

    private final Object lock = new Object();

    // Guarded by the lock.
    private final Set<RuleLease> leases = new LinkedHashSet<>();
    private final Deque<Entry> entries = new ArrayDeque<>(); // oldest first
    private boolean holding;

    /** The newest version that came into force while versions are held back. */
    private @Nullable Entry held;

    void add(RuleLease lease) {
        synchronized (lock) {
            leases.add(lease);
        }
    }

    /** Ends a lease; tells whether it had not ended before. */
    boolean remove(RuleLease lease) {
        boolean removed;
        List<ServedVersion> gone;
        synchronized (lock) {
            removed = leases.remove(lease);
            gone = leases.isEmpty() ? List.of() : unused();
        }
        gone.forEach(ServedVersion::close);
        return removed;
    }

    /** The newest version that a subtask may use, retained for it; null if it has that already. */
    @Nullable ServedVersion take(RuleLease lease) {
        List<ServedVersion> gone;
        Entry newest;
        synchronized (lock) {
            newest = usable(lease);
            if (newest == null) {
                return null;
            }
            lease.serial = newest.serial;
            newest.version.retain();
            gone = unused();
        }
        gone.forEach(ServedVersion::close);
        return newest.version;
    }

    /** Tells whether {@link #take} would find a version. */
    boolean hasNewer(RuleLease lease) {
        synchronized (lock) {
            return usable(lease) != null;
        }
    }

    private @Nullable Entry usable(RuleLease lease) {
        Entry usable = null;
        Iterator<Entry> newestFirst = entries.descendingIterator();
        while (usable == null && newestFirst.hasNext()) {
            Entry entry = newestFirst.next();
            usable = entry.index <= lease.received ? entry : null;
        }
        if (usable == null && lease.serial == 0) {
            usable = entries.peekFirst();
        }
        return usable == null || usable.serial <= lease.serial ? null : usable;
    }

    /** Leaves out the versions that no subtask will take; returns what is to be closed. */
    private List<ServedVersion> unused() {
        List<ServedVersion> gone = new ArrayList<>();
        while (entries.size() > 1 && allHave(entries.getFirst())) {
            gone.add(entries.removeFirst().version);
        }
        return gone;
    }

    private boolean allHave(Entry entry) {
        for (RuleLease lease : leases) {
            if (lease.serial < entry.serial) {
                return false;
            }
        }
        return true;
    }

    /** Number of the newest version that leases are shown; -1 before the first. */
    long newest() {
        synchronized (lock) {
            return entries.isEmpty() ? -1 : entries.getLast().version.version();
        }
    }

    /** Tells whether leases are shown a version. */
    boolean hasVersion() {
        synchronized (lock) {
            return !entries.isEmpty();
        }
    }

    /** Holds versions back from now on. */
    void hold() {
        synchronized (lock) {
            holding = true;
        }
    }

    /** Shows the newest version that was held back, and those to come. */
    void release() {
        Entry first;
        synchronized (lock) {
            holding = false;
            first = held;
            held = null;
        }
        if (first != null) {
            inForce(first);
        } else {
            notifyTasks();
        }
    }

    /** A version is in force; its users' count goes over to this. */
    void inForce(Entry entry) {
        List<ServedVersion> gone = new ArrayList<>();
        boolean shown;
        synchronized (lock) {
            shown = !holding;
            if (shown) {
                if (entries.size() >= MOST) {
                    gone.add(entries.removeLast().version);
                }
                entries.add(entry);
                gone.addAll(unused());
            } else {
                if (held != null) {
                    gone.add(held.version);
                }
                held = entry;
            }
        }
        gone.forEach(ServedVersion::close);
        if (shown) {
            notifyTasks();
        }
    }

    /** Has every task look for newer versions and dead letters. */
    void notifyTasks() {
        List<RuleLease> all;
        synchronized (lock) {
            all = List.copyOf(leases);
        }
        all.forEach(RuleLease::notifyTask);
    }

    /** Closes all versions. No batch may be under way any more. */
    void clear() {
        List<ServedVersion> gone = new ArrayList<>();
        synchronized (lock) {
            entries.forEach(entry -> gone.add(entry.version));
            entries.clear();
            if (held != null) {
                gone.add(held.version);
                held = null;
            }
        }
        gone.forEach(ServedVersion::close);
    }
}
