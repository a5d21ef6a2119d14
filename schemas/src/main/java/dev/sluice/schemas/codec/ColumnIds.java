package dev.sluice.schemas.codec;

import java.util.HashSet;
import java.util.Set;

/**
 * Set of the ids of a block's columns, which finds one that comes twice. It allocates only for ids
 * that no writer of ours gives. Reusable; not thread-safe.
 */
final class ColumnIds {
    private long low;
    private long high;
    private final Set<Integer> others = new HashSet<>(0);

    void clear() {
        low = 0;
        high = 0;
        others.clear();
    }

    /** Adds an id; returns whether it is new. */
    boolean add(int id) {
        if (id >>> 7 != 0) {
            return others.add(id);
        }
        long bit = 1L << (id & 63);
        boolean fresh = ((id < 64 ? low : high) & bit) == 0;
        if (id < 64) {
            low |= bit;
        } else {
            high |= bit;
        }
        return fresh;
    }
}
