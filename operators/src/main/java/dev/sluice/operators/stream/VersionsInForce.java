package dev.sluice.operators.stream;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The versions that subtasks of the process may still begin to use, oldest first.
 *
 * <p>A subtask uses a version only when it has itself received the message that commits it. Else a
 * subtask in front of a checkpoint barrier could use what another brought behind it, and after a
 * restart from that checkpoint its packets would be judged by older rules than before. A subtask
 * that has no version takes the oldest, whatever it has received: where it waits for its first
 * rules it receives nothing.
 *
 * <p>A version stays until every subtask has it or a newer one. If many pile up, because a subtask
 * is held up, those before the newest are left out.
 *
 * <p>Guarded by the lock of {@link RuleLeases}.
 */
final class VersionsInForce {
    /** Versions that are kept at most. */
    static final int MOST = 64;

    /**
     * A version in force. The stream is one of its users until the entry goes.
     *
     * @param serial number of its step
     * @param index number of the broadcast message that a subtask must have received to use it
     */
    record Entry(long serial, long index, ServedVersion lookup) {}

    /** How far a subtask is. */
    static final class Reader {
        /** Broadcast messages that it has received. */
        long received;

        /** Serial of the version that it uses; 0: none. */
        long serial;
    }

    private final Deque<Entry> entries = new ArrayDeque<>();

    /** The newest version; null before the first. */
    @Nullable Entry newest() {
        return entries.peekLast();
    }

    /** Puts a version in force; returns the users' references that are to be closed. */
    List<ServedVersion> add(Entry entry, Collection<Reader> readers) {
        List<ServedVersion> gone = new ArrayList<>();
        if (entries.size() >= MOST) {
            gone.add(entries.removeLast().lookup);
        }
        entries.add(entry);
        gone.addAll(forget(readers));
        return gone;
    }

    /** The newest version that a reader may use, retained for it; null if it has that already. */
    @Nullable Entry take(Reader reader) {
        Entry usable = null;
        Iterator<Entry> newestFirst = entries.descendingIterator();
        while (usable == null && newestFirst.hasNext()) {
            Entry entry = newestFirst.next();
            if (entry.index <= reader.received) {
                usable = entry;
            }
        }
        if (usable == null && reader.serial == 0) {
            usable = entries.peekFirst();
        }
        if (usable == null || usable.serial <= reader.serial) {
            return null;
        }
        reader.serial = usable.serial;
        usable.lookup.retain();
        return usable;
    }

    /** Whether {@link #take} would find a version. */
    boolean hasNewer(Reader reader) {
        for (Entry entry : entries) {
            if (entry.serial > reader.serial
                    && (entry.index <= reader.received || reader.serial == 0)) {
                return true;
            }
        }
        return false;
    }

    /** Leaves out the versions that no reader will take; returns what is to be closed. */
    List<ServedVersion> forget(Collection<Reader> readers) {
        List<ServedVersion> gone = new ArrayList<>();
        while (entries.size() > 1 && allHave(entries.getFirst(), readers)) {
            gone.add(entries.removeFirst().lookup);
        }
        return gone;
    }

    private static boolean allHave(Entry entry, Collection<Reader> readers) {
        for (Reader reader : readers) {
            if (reader.serial < entry.serial) {
                return false;
            }
        }
        return true;
    }

    /** Leaves all out; returns what is to be closed. */
    List<ServedVersion> clear() {
        List<ServedVersion> gone = entries.stream().map(Entry::lookup).toList();
        entries.clear();
        return gone;
    }
}
