package dev.sluice.engine.forest;

/**
 * The children of a window that an item belongs to: those that agree with its value in the bits
 * that it names, or with its range of a port. Of one window at a time; not thread-safe.
 */
final class Spread {
    private static final int HALF = 16;

    private final ForestEntries entries;

    /** The children of the last item that was asked for. */
    final int[] children = new int[1 << Window.MAX_WIDTH];

    private int[] values = new int[0];
    private int[] masks = new int[0];
    private int shift;
    private int mask;

    /** True if the window lies in the ports, and in the source port. */
    private boolean ports;

    private boolean source;

    /** Bits of the port to the right of the window. */
    private int below;

    /** Lowest port that the highest bits allow at the node. */
    private int lowest;

    private int highest;

    /** True if the window begins behind the highest bits that are known. */
    private boolean next;

    Spread(ForestEntries entries) {
        this.entries = entries;
    }

    /** Turns to a window of a node. */
    void over(Window window, Region region) {
        over(window.position(), window.shift(), window.width(), region);
    }

    void over(int position, int windowShift, int width, Region region) {
        values = entries.columns().values()[position];
        masks = entries.columns().masks()[position];
        shift = windowShift;
        mask = (1 << width) - 1;
        ports = position == entries.columns().ports();
        if (ports) {
            source = shift >= HALF;
            below = source ? shift - HALF : shift;
            int portsMask = region.masks()[position];
            int known = Region.knownBits(portsMask, source);
            lowest = region.lowest(portsMask, source);
            highest = lowest | (1 << HALF - known) - 1;
            next = below + width == HALF - known;
        }
    }

    private boolean ranged(int item) {
        return ports && ForestEntries.ranged(item, source);
    }

    /** How many children an item belongs to. */
    int count(int item) {
        if (ranged(item)) {
            int first = Math.max(lowest, entries.low(item, source)) >>> below;
            int last = Math.min(highest, entries.high(item, source)) >>> below;
            return countRange(first, last, mask);
        }
        int e = item >>> ForestEntries.ITEM_BITS;
        return 1 << Integer.bitCount(wild(masks[e], shift, mask));
    }

    /** Children of a range, from the first to the last one: at most all. */
    static int countRange(int first, int last, int windowMask) {
        return Math.max(0, Math.min(windowMask + 1, last - first + 1));
    }

    /** Bits of a window that an item does not name. */
    static int wild(int itemMask, int windowShift, int windowMask) {
        return ~(itemMask >>> windowShift) & windowMask;
    }

    /** Sets {@link #children} to the item's; returns their number. */
    int list(int item) {
        int n = 0;
        if (ranged(item)) {
            int first = Math.max(lowest, entries.low(item, source)) >>> below;
            int count = count(item);
            for (; n < count; n++) {
                children[n] = first + n & mask;
            }
            return n;
        }
        int e = item >>> ForestEntries.ITEM_BITS;
        int wild = wild(masks[e], shift, mask);
        int value = values[e] >>> shift & mask & ~wild;
        for (int sub = wild; ; sub = sub - 1 & wild) {
            children[n++] = value | sub;
            if (sub == 0) {
                return n;
            }
        }
    }

    /** The item in a child's list. */
    int within(int item, int child) {
        if (!ranged(item) || !next) {
            return item;
        }
        int from = lowest + (child << below);
        boolean holds =
                entries.low(item, source) <= from
                        && entries.high(item, source) >= from + (1 << below) - 1;
        return holds ? item | (source ? ForestEntries.SRC_HOLDS : ForestEntries.DST_HOLDS) : item;
    }
}
