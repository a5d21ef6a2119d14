package dev.sluice.schemas.codec;

/**
 * The ids of a block's columns, to see one that comes twice, in the time of one look. Ids that a
 * writer of ours gives are bits; those that it never gives go to a table with linear probing, which
 * grows with them alone. Reusable; not thread-safe.
 */
final class ColumnIds {
    private static final int[] NONE = {};

    /** Ids 0 to 63, and 64 to 127, as bits. */
    private long low;

    private long high;

    /** Other ids; 0 is none of them and marks a free place. At most half of it is taken. */
    private int[] others = NONE;

    private int taken;

    /** Forgets all ids. */
    void clear() {
        low = 0;
        high = 0;
        others = NONE;
        taken = 0;
    }

    /** Adds an id; returns false if it was there. */
    boolean add(int id) {
        if (id >>> 7 != 0) {
            return addOther(id);
        }
        long bit = 1L << (id & 63);
        if (id < 64) {
            boolean fresh = (low & bit) == 0;
            low |= bit;
            return fresh;
        }
        boolean fresh = (high & bit) == 0;
        high |= bit;
        return fresh;
    }

    private boolean addOther(int id) {
        if (2 * (taken + 1) > others.length) {
            int[] before = others;
            others = new int[Math.max(8, 2 * before.length)];
            for (int old : before) {
                if (old != 0) {
                    others[place(old)] = old;
                }
            }
        }
        int place = place(id);
        if (others[place] == id) {
            return false;
        }
        others[place] = id;
        taken++;
        return true;
    }

    /** Returns the place of an id, or the one where it belongs. */
    private int place(int id) {
        int mask = others.length - 1;
        int place = id * 0x9e3779b9 >>> Integer.numberOfLeadingZeros(mask);
        while (others[place] != 0 && others[place] != id) {
            place = place + 1 & mask;
        }
        return place;
    }
}
