package dev.sluice.engine.forest;

import dev.sluice.engine.forest.Cutting.Items;

/**
 * An even sample of a node's items, one header word of it at a time: what the items name there, and
 * which children of a window each belongs to. What is compared often lies together here. Not
 * thread-safe.
 */
final class ItemSample {
    /** Items at most. */
    static final int MOST = 160;

    private static final int HALF = 16;

    /** In place of the lowest port of an item that does not ask for a range. */
    private static final int NO_RANGE = -1;

    private final ForestEntries entries;
    private final int[] items = new int[MOST];

    /** Copies that each item may still become. */
    final float[] shares = new float[MOST];

    private final int[] values = new int[MOST];
    private final int[] masks = new int[MOST];

    /** Of a word with ranges the lowest and the highest port that each item meets at the node. */
    private final int[] lows = new int[MOST];

    private final int[] highs = new int[MOST];

    private int size;
    private boolean ranged;
    private int dividing;
    private int top;

    /** Bits of the word to the right of the port that is looked at. */
    private int port;

    private int shift;
    private int mask;

    ItemSample(ForestEntries entries) {
        this.entries = entries;
    }

    /**
     * Takes a sample.
     *
     * @param n items of the list that count
     * @param most items of the sample
     */
    void draw(Items list, int n, int most) {
        size = Math.min(n, most);
        for (int i = 0; i < size; i++) {
            int at = (int) ((long) i * n / size);
            items[i] = list.items()[at];
            shares[i] = list.shares()[at];
        }
    }

    int size() {
        return size;
    }

    /**
     * Turns to a header word, or to one of its ports.
     *
     * @param p layout position
     * @param from the first bit that windows may have: 16 for the source port
     * @param to the bit behind the last one
     */
    void turnTo(int p, int from, int to, Region region) {
        int known = region.masks()[p];
        boolean source = from >= HALF;
        int named = 0;
        int allNamed = -1;
        int ones = 0;
        int zeros = 0;
        for (int i = 0; i < size; i++) {
            int e = items[i] >>> ForestEntries.ITEM_BITS;
            int value = entries.columns().values()[p][e];
            int names = entries.columns().masks()[p][e];
            values[i] = value;
            masks[i] = names;
            named |= names;
            allNamed &= names;
            ones |= value;
            zeros |= ~value & names;
        }
        // Bits that all items name with one value divide nothing.
        dividing = named & ~known & ~(allNamed & ~(ones & zeros));
        port = from;
        ranged = p == entries.columns().ports() && bounds(region, known, source);
        top = ranged ? to - Region.knownBits(known, source) : -1;
    }

    /** Sets the ranges of a port; whether an item asks for one. */
    private boolean bounds(Region region, int known, boolean source) {
        int lowest = region.lowest(known, source);
        int highest = lowest | (1 << HALF - Region.knownBits(known, source)) - 1;
        boolean any = false;
        for (int i = 0; i < size; i++) {
            if (ForestEntries.ranged(items[i], source)) {
                lows[i] = Math.max(lowest, entries.low(items[i], source));
                highs[i] = Math.min(highest, entries.high(items[i], source));
                any = true;
            } else {
                lows[i] = NO_RANGE;
            }
        }
        return any;
    }

    /** Returns whether any window of the word divides the items. */
    boolean divides() {
        return dividing != 0 || ranged;
    }

    /**
     * Returns whether a window begins and ends with bits that divide the items, or with a range's.
     */
    boolean mayBeCutBy(int windowShift, int width) {
        boolean ends =
                (dividing >>> windowShift & 1) != 0
                        && (dividing >>> windowShift + width - 1 & 1) != 0;
        return ends || windowShift + width == top;
    }

    /** Turns to a window of the word. */
    void over(int windowShift, int width) {
        shift = windowShift;
        mask = (1 << width) - 1;
    }

    /** How many children of the window the i-th item belongs to. */
    int count(int i) {
        if (ranged && lows[i] != NO_RANGE) {
            int below = shift - port;
            return Spread.countRange(lows[i] >>> below, highs[i] >>> below, mask);
        }
        return 1 << Integer.bitCount(Spread.wild(masks[i], shift, mask));
    }

    /** Counts the i-th item at each child that it belongs to. */
    void addTo(int[] counts, int i) {
        if (ranged && lows[i] != NO_RANGE) {
            int first = lows[i] >>> shift - port;
            int count = count(i);
            for (int k = 0; k < count; k++) {
                counts[first + k & mask]++;
            }
            return;
        }
        int wild = Spread.wild(masks[i], shift, mask);
        int value = values[i] >>> shift & mask & ~wild;
        if ((wild & wild + 1) == 0) { // a prefix: neighbours
            for (int c = value; c <= value + wild; c++) {
                counts[c]++;
            }
            return;
        }
        for (int sub = wild; ; sub = sub - 1 & wild) {
            counts[value | sub]++;
            if (sub == 0) {
                return;
            }
        }
    }
}
