package dev.sluice.operators.stream;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The leases of a stream, and the versions that they are shown.
 *
 * <p>While it is not decided what the tasks begin with, versions are held back: one that is served
 * on the way to the newest may be older than what judged packets before a restart.
 *
 * <p>Thread-safe. Versions are closed, and tasks notified, without the lock.
 */
final class RuleLeases {
    private final Object lock = new Object();

    // Guarded by the lock.
    private final Set<RuleLease> leases = new LinkedHashSet<>();
    private final VersionsInForce versions = new VersionsInForce();
    private boolean holding;

    /** The newest version that came into force while versions are held back. */
    private VersionsInForce.@Nullable Entry held;

    void add(RuleLease lease) {
        synchronized (lock) {
            leases.add(lease);
        }
    }

    /** Ends a lease; whether it was the last. */
    boolean remove(RuleLease lease) {
        List<ServedVersion> gone;
        boolean last;
        synchronized (lock) {
            leases.remove(lease);
            last = leases.isEmpty();
            gone = last ? List.of() : versions.forget(readers());
        }
        gone.forEach(ServedVersion::close);
        return last;
    }

    /** The newest version that a subtask may use; null if it has that already. */
    @Nullable ServedVersion take(VersionsInForce.Reader reader) {
        List<ServedVersion> gone;
        VersionsInForce.Entry taken;
        synchronized (lock) {
            taken = versions.take(reader);
            gone = taken == null ? List.of() : versions.forget(readers());
        }
        gone.forEach(ServedVersion::close);
        return taken == null ? null : taken.lookup();
    }

    /** Whether {@link #take} would find a version. */
    boolean hasNewer(VersionsInForce.Reader reader) {
        synchronized (lock) {
            return versions.hasNewer(reader);
        }
    }

    /** Number of the newest version that leases are shown; -1 before the first. */
    long newest() {
        synchronized (lock) {
            VersionsInForce.Entry newest = versions.newest();
            return newest == null ? -1 : newest.lookup().version();
        }
    }

    /** Whether leases are shown a version. */
    boolean hasVersion() {
        synchronized (lock) {
            return versions.newest() != null;
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
        VersionsInForce.Entry first;
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
    void inForce(VersionsInForce.Entry entry) {
        List<ServedVersion> gone = new ArrayList<>();
        boolean shown;
        synchronized (lock) {
            shown = !holding;
            if (shown) {
                gone.addAll(versions.add(entry, readers()));
            } else {
                if (held != null) {
                    gone.add(held.lookup());
                }
                held = entry;
            }
        }
        gone.forEach(ServedVersion::close);
        if (shown) {
            notifyTasks();
        }
    }

    private List<VersionsInForce.Reader> readers() {
        return leases.stream().map(RuleLease::reader).toList();
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
        List<ServedVersion> gone;
        synchronized (lock) {
            gone = new ArrayList<>(versions.clear());
            if (held != null) {
                gone.add(held.lookup());
                held = null;
            }
        }
        gone.forEach(ServedVersion::close);
    }
}
