package dev.sluice.lab.inplace;

import java.util.Arrays;

/** The ids of the rules in slots. Not thread-safe. */
final class SlotIds {
    private long[] ids = new long[64];

    void set(int slot, long id) {
        if (slot >= ids.length) {
            ids = Arrays.copyOf(ids, Math.max(slot + 1, ids.length * 3 / 2));
        }
        ids[slot] = id;
    }

    long get(int slot) {
        return ids[slot];
    }

    long bytes() {
        return 8L * ids.length;
    }
}
