package dev.sluice.lab.inplace;

import dev.sluice.engine.rules.Match;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The changes that both copies make, in order, with the slots and ranks that the rules were given.
 * Not thread-safe.
 */
final class Journal {
    /** Kind of a change: a rule comes. */
    static final byte INSERT = 0;

    /** A rule goes. */
    static final byte REMOVE = 1;

    /** All rules get new ranks, in the same order as before. */
    static final byte RERANK = 2;

    byte[] kinds = new byte[64];
    int[] slots = new int[64];
    int[] ranks = new int[64];
    long[] ids = new long[64];
    @Nullable Match[] matches = new Match[64];

    /** For {@link #RERANK}: arrays of the rank of each slot; the change's slot is an index here. */
    final List<int[]> rankings = new ArrayList<>();

    private int size;

    /** Number of changes that {@link #clear} removed so far. */
    private long cleared;

    int size() {
        return size;
    }

    /** Number of a change among all that ever were in the journal, from its index now. */
    long position(int index) {
        return cleared + index;
    }

    void add(byte kind, int slot, int rank, long id, @Nullable Match match) {
        if (size == kinds.length) {
            kinds = Arrays.copyOf(kinds, 2 * size);
            slots = Arrays.copyOf(slots, 2 * size);
            ranks = Arrays.copyOf(ranks, 2 * size);
            ids = Arrays.copyOf(ids, 2 * size);
            matches = Arrays.copyOf(matches, 2 * size);
        }
        kinds[size] = kind;
        slots[size] = slot;
        ranks[size] = rank;
        ids[size] = id;
        matches[size++] = match;
    }

    Match match(int index) {
        Match match = matches[index];
        if (match == null) {
            throw new IllegalStateException("change " + index + " has no match");
        }
        return match;
    }

    void clear() {
        Arrays.fill(matches, 0, size, null);
        rankings.clear();
        cleared += size;
        size = 0;
    }
}
