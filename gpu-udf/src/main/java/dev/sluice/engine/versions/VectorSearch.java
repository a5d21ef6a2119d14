package dev.sluice.engine.versions;

import dev.sluice.engine.lookup.Branchless;
import dev.sluice.schemas.header.HeaderBatch;
import java.util.Arrays;

/**
 * Looks headers up in an overlay by {@link EntryVectors}, a block of them at a time: first the bits
 * of all headers in a group of entries, then the entries of those that have any; at last the wide
 * entries, each compared with all headers of the block by loops that the JIT makes vectors of. One
 * instance for each thread.
 */
final class VectorSearch {
    /** Most headers of a block. */
    private static final int BLOCK = 256;

    /** Wide entries that are compared before those that may match are looked at, a bit each. */
    private static final int AT_ONCE = Integer.SIZE;

    private static final ThreadLocal<VectorSearch> OF_THREAD =
            ThreadLocal.withInitial(VectorSearch::new);

    private static final int[] NO_WORDS = {};

    /** For each header what precedes the best rule so far. */
    private int[] order = {};

    /** For each header of a block the place of that rule among the entries. */
    private final long[] sub = new long[BLOCK];

    /** For each header of a block the words of its values in a group: those of the first half. */
    private final int[] first = new int[BLOCK];

    private final int[] second = new int[BLOCK];
    private final int[] third = new int[BLOCK];

    /** Headers of a block that may match some entries, and the entries' bits. */
    private final int[] which = new int[BLOCK + 1];

    private final long[] bits = new long[BLOCK + 1];

    /** By position of a header word: that word of the block's headers, where it was needed. */
    private int[][] columns = {};

    /** By position of a header word: whether the block's are there. */
    private boolean[] isThere = {};

    private final int[] differs = new int[BLOCK];
    private final int[] wideBits = new int[BLOCK];

    // The look-up under way.
    private EntryVectors.View vectors = EntryVectors.View.NONE;
    private int[] w = NO_WORDS;
    private int now;
    private int base;

    private VectorSearch() {}

    /** The thread's instance. */
    static VectorSearch get() {
        return OF_THREAD.get();
    }

    /**
     * Replaces verdicts where an entry is better.
     *
     * @param version gives the overlay's words
     * @param view the version's vectors
     * @param list indices of the headers that are looked up
     * @param count how many of the list are
     * @param verdicts by index in the batch: positions of base rules, or a miss; gets the number of
     *     the base's rules + slot where an entry is better
     * @return by place in the list: how many rules of the base are better than the verdict, where
     *     that is an entry's; valid until the next call
     */
    int[] search(
            VersionView version,
            EntryVectors.View view,
            HeaderBatch headers,
            int[] list,
            int count,
            int[] verdicts) {
        begin(version, view, headers, count);
        for (int from = 0; from < count; from += BLOCK) {
            int n = Math.min(BLOCK, count - from);
            for (int k = from; k < from + n; k++) {
                // A miss is -1: as an unsigned number above every position.
                order[k] = verdicts[list[k]] & Integer.MAX_VALUE;
            }
            Arrays.fill(sub, 0, n, Long.MAX_VALUE);
            Arrays.fill(isThere, false);
            numbered(headers, list, from, n, verdicts);
            wide(headers, list, from, n, verdicts);
        }
        // An overlay that nobody looks into any more goes.
        vectors = EntryVectors.View.NONE;
        w = NO_WORDS;
        return order;
    }

    private void begin(
            VersionView version, EntryVectors.View view, HeaderBatch headers, int count) {
        if (order.length < count) {
            order = new int[headers.capacity()];
        }
        if (columns.length < headers.layout().size()) {
            columns = new int[headers.layout().size()][BLOCK];
            isThere = new boolean[columns.length];
        }
        vectors = view;
        w = version.words();
        now = VersionedTuplesLayout.NEVER - version.tick();
        base = version.versionedRules().baseSize();
    }

    /** Looks into the groups of entries. */
    private void numbered(HeaderBatch headers, int[] list, int from, int n, int[] verdicts) {
        int groups = vectors.groupsInUse();
        if (groups == 0) {
            return;
        }
        int[] halves = vectors.halves();
        buckets(column(headers, halves[0] >>> 1, list, from, n), halves[0], 0, first, n);
        buckets(column(headers, halves[1] >>> 1, list, from, n), halves[1], 1, second, n);
        buckets(column(headers, halves[2] >>> 1, list, from, n), halves[2], 2, third, n);
        for (int g = 0; g < groups; g++) {
            int some = candidates(g, n);
            for (int c = 0; c < some; c++) {
                int k = which[c];
                for (long left = bits[c]; left != 0; left &= left - 1) {
                    int entry = vectors.entry(g, Long.numberOfTrailingZeros(left));
                    offer(entry, headers, list[from + k], from, k, verdicts);
                }
            }
        }
    }

    private static void buckets(int[] column, int half, int field, int[] to, int n) {
        int shift = HeaderHalves.shift(half);
        int start = field * EntryVectors.HALF_WORDS;
        for (int k = 0; k < n; k++) {
            to[k] = start + EntryVectors.bucket(column[k] >>> shift & 0xffff);
        }
    }

    /** A word of the block's headers. */
    private int[] column(HeaderBatch headers, int position, int[] list, int from, int n) {
        int[] column = columns[position];
        if (!isThere[position]) {
            gather(headers.words(), position * headers.capacity(), list, from, n, column);
            isThere[position] = true;
        }
        return column;
    }

    private static void gather(int[] h, int row, int[] list, int from, int n, int[] to) {
        for (int k = 0; k < n; k++) {
            to[k] = h[row + list[from + k]];
        }
    }

    /** Lists the headers of the block that have bits in all three halves; returns how many. */
    private int candidates(int group, int n) {
        int[] one = first;
        int[] two = second;
        int[] three = third;
        long[] g = vectors.groups()[group];
        long known = vectors.bits(group);
        long anyOne = g[0];
        long anyTwo = g[EntryVectors.HALF_WORDS];
        long anyThree = g[2 * EntryVectors.HALF_WORDS];
        int some = 0;
        for (int k = 0; k < n; k++) {
            long both = (g[one[k]] | anyOne) & (g[two[k]] | anyTwo);
            long all = both & (g[three[k]] | anyThree) & known;
            which[some] = k;
            bits[some] = all;
            some += Branchless.isNotZero(all);
        }
        return some;
    }

    /** Compares the wide entries with all headers of the block. */
    private void wide(HeaderBatch headers, int[] list, int from, int n, int[] verdicts) {
        for (int at = 0; at < vectors.wideCount(); at += AT_ONCE) {
            int end = Math.min(vectors.wideCount(), at + AT_ONCE);
            Arrays.fill(wideBits, 0, n, 0);
            for (int j = at; j < end; j++) {
                int entry = vectors.wide()[j];
                if (counts(entry)) {
                    compare(entry, headers, list, from, n);
                    addBits(wideBits, differs, j - at, n);
                }
            }
            int some = 0;
            for (int k = 0; k < n; k++) {
                which[some] = k;
                some += Branchless.isNotZero(wideBits[k]);
            }
            for (int c = 0; c < some; c++) {
                int k = which[c];
                for (int left = wideBits[k]; left != 0; left &= left - 1) {
                    int entry = vectors.wide()[at + Integer.numberOfTrailingZeros(left)];
                    offer(entry, headers, list[from + k], from, k, verdicts);
                }
            }
        }
    }

    /**
     * Sets {@link #differs} to 0 where an entry is not behind what was found, and its masks fit.
     */
    private void compare(int entry, HeaderBatch headers, int[] list, int from, int n) {
        isWorse(differs, order, from, w[entry + VersionedTuplesLayout.PRECEDE], n);
        int values = entry + VersionedTuplesLayout.VALUES;
        int masks = entry + w[VersionedTuplesLayout.MASKS_AT];
        for (int p = 0; p < headers.layout().size(); p++) {
            if (w[masks + p] != 0) {
                int[] column = column(headers, p, list, from, n);
                addDifferences(differs, column, w[values + p], w[masks + p], n);
            }
        }
    }

    private static void isWorse(int[] differs, int[] order, int from, int precede, int n) {
        for (int k = 0; k < n; k++) {
            differs[k] = Branchless.lessThan(order[from + k], precede);
        }
    }

    private static void addDifferences(int[] differs, int[] column, int value, int mask, int n) {
        for (int k = 0; k < n; k++) {
            differs[k] |= (column[k] ^ value) & mask;
        }
    }

    private static void addBits(int[] bits, int[] differs, int bit, int n) {
        for (int k = 0; k < n; k++) {
            bits[k] |= (Branchless.isNotZero(differs[k]) ^ 1) << bit;
        }
    }

    /** Returns whether an entry's rule is there at the tick. */
    private boolean counts(int entry) {
        return w[entry + VersionedTuplesLayout.FROM] >= now
                && w[entry + VersionedTuplesLayout.TO] < now;
    }

    /** Makes an entry a header's verdict if it matches, and is better than what was found. */
    private void offer(
            int entry, HeaderBatch headers, int header, int from, int k, int[] verdicts) {
        int precede = w[entry + VersionedTuplesLayout.PRECEDE];
        int found = order[from + k];
        if (precede > found || !counts(entry)) {
            return;
        }
        long place = VersionedTuplesLayout.place(w, entry);
        if ((precede < found || place < sub[k])
                && VersionedSearch.matches(w, entry, headers.words(), headers.capacity(), header)) {
            order[from + k] = precede;
            sub[k] = place;
            verdicts[header] = base + w[entry + VersionedTuplesLayout.SLOT];
        }
    }
}
