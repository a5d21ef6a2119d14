package dev.sluice.engine.versions;

import dev.sluice.engine.lookup.Branchless;
import dev.sluice.schemas.header.HeaderBatch;
import java.util.Arrays;

/**
 * Looks headers up in an overlay by {@link EntryVectors}, a block of them at a time: first the bits
 * of all headers in a group of entries, then the entries of those that have any. One instance for
 * each thread.
 */
final class VectorSearch {
    /** Most headers of a block. */
    private static final int BLOCK = 256;

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
            TickView version,
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
            numbered(headers, list, from, n, verdicts);
        }
        // An overlay that nobody looks into any more goes.
        vectors = EntryVectors.View.NONE;
        w = NO_WORDS;
        return order;
    }

    private void begin(TickView version, EntryVectors.View view, HeaderBatch headers, int count) {
        if (order.length < count) {
            order = new int[headers.capacity()];
        }
        vectors = view;
        w = version.words();
        now = VersionedTuplesLayout.NEVER - version.tick();
        base = version.changes().base.size();
    }

    /** Looks into the groups of entries. */
    private void numbered(HeaderBatch headers, int[] list, int from, int n, int[] verdicts) {
        int groups = vectors.groupsInUse();
        if (groups == 0) {
            return;
        }
        int[] halves = vectors.halves();
        buckets(headers, halves[0], 0, list, from, first, n);
        buckets(headers, halves[1], 1, list, from, second, n);
        buckets(headers, halves[2], 2, list, from, third, n);
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

    /** Writes the words of the values that headers have in a half. */
    private static void buckets(
            HeaderBatch headers, int half, int field, int[] list, int from, int[] to, int n) {
        int[] h = headers.words();
        int row = (half >>> 1) * headers.capacity();
        int shift = HeaderHalves.shift(half);
        int start = field * EntryVectors.HALF_WORDS;
        for (int k = 0; k < n; k++) {
            to[k] = h[row + list[from + k]];
        }
        for (int k = 0; k < n; k++) {
            to[k] = start + EntryVectors.bucket(to[k] >>> shift & 0xffff);
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

    /** Makes an entry a header's verdict if it matches, and is better than what was found. */
    private void offer(
            int entry, HeaderBatch headers, int header, int from, int k, int[] verdicts) {
        int precede = w[entry + VersionedTuplesLayout.PRECEDE];
        int found = order[from + k];
        boolean counts =
                w[entry + VersionedTuplesLayout.FROM] >= now
                        && w[entry + VersionedTuplesLayout.TO] < now;
        if (precede > found || !counts) {
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
