package dev.sluice.engine.forest;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Cuts the lists of nodes: an entry goes to each child whose bits it matches, and leaves the tree
 * where that takes more copies than it may make. Of one forest; not thread-safe.
 */
final class Cutting {
    /** Copies made in all cuts, those given up too, at which cutting ends: limits the time. */
    private static final long MOST_CUT_WORK = 30_000_000L;

    /** Copies made in one cut, before equal children are made one: limits the memory. */
    private static final long MOST_RAW_COPIES = 4_000_000L;

    private final ForestEntries entries;
    private final boolean[] spilled;
    private int spilledCount;
    private boolean maySpill;
    private long work;

    Cutting(ForestEntries entries) {
        this.entries = entries;
        this.spilled = new boolean[entries.count()];
    }

    /**
     * Another tree begins.
     *
     * @param spills whether entries may leave it for one that follows
     */
    void startTree(boolean spills) {
        maySpill = spills;
        spilledCount = 0;
        Arrays.fill(spilled, false);
    }

    /** Whether so many copies were made that no node is cut any more. */
    boolean exhausted() {
        return work > MOST_CUT_WORK;
    }

    /**
     * A node's children before they are built.
     *
     * @param lists for each child its entries; equal ones are the same array
     * @param shares for each child the copies that its entries may still make
     * @param copies copies beyond one an entry
     */
    record Cut(int position, int shift, int width, int[][] lists, float[][] shares, long copies) {}

    /**
     * Distributes the first entries of a list over the children of a window.
     *
     * @param shares for each entry the copies that it may still make
     * @param n entries of the list that count
     * @param mostCopies copies that may be made beyond one an entry
     * @return null if that makes too many copies
     */
    @Nullable Cut cut(
            int[] list, float[] shares, int n, int p, int shift, int width, long mostCopies) {
        int children = 1 << width;
        int mask = children - 1;
        int[] starts = new int[children + 1];
        long raw = 0;
        for (int i = 0; i < n; i++) {
            raw += 1L << Integer.bitCount(~(entries.masks[p][list[i]] >>> shift) & mask);
        }
        if (raw > MOST_RAW_COPIES) {
            return null;
        }
        work += n + raw;
        for (int i = 0; i < n; i++) {
            forEachChild(entries, list[i], p, shift, mask, c -> starts[c + 1]++);
        }
        for (int c = 0; c < children; c++) {
            starts[c + 1] += starts[c];
        }
        int[] members = new int[starts[children]]; // indexes in the node's list
        int[] at = Arrays.copyOf(starts, children);
        for (int i = 0; i < n; i++) {
            int index = i;
            forEachChild(entries, list[i], p, shift, mask, c -> members[at[c]++] = index);
        }
        // Children with equal lists are built once: they count as one copy.
        Map<ChildList, Integer> distinct = new HashMap<>();
        int[] firstOf = new int[children];
        int[] copiesOf = new int[n];
        for (int c = 0; c < children; c++) {
            Integer first =
                    distinct.putIfAbsent(new ChildList(members, starts[c], starts[c + 1]), c);
            firstOf[c] = first == null ? c : first;
            for (int i = starts[c]; first == null && i < starts[c + 1]; i++) {
                copiesOf[members[i]]++;
            }
        }
        boolean[] leaves = new boolean[n];
        long made = 0;
        for (int i = 0; i < n; i++) {
            leaves[i] = shares[i] < copiesOf[i] && maySpill;
            made += leaves[i] ? 0 : copiesOf[i] - 1;
        }
        if (made > mostCopies) {
            return null;
        }
        int[][] lists = new int[children][];
        float[][] listShares = new float[children][];
        for (int c = 0; c < children; c++) {
            if (firstOf[c] != c) {
                lists[c] = lists[firstOf[c]];
                listShares[c] = listShares[firstOf[c]];
                continue;
            }
            int[] entriesOf = new int[starts[c + 1] - starts[c]];
            float[] sharesOf = new float[entriesOf.length];
            int m = 0;
            for (int i = starts[c]; i < starts[c + 1]; i++) {
                int index = members[i];
                if (!leaves[index]) {
                    entriesOf[m] = list[index];
                    sharesOf[m++] = shares[index] / copiesOf[index];
                }
            }
            lists[c] = Arrays.copyOf(entriesOf, m);
            listShares[c] = Arrays.copyOf(sharesOf, m);
        }
        for (int i = 0; i < n; i++) {
            if (leaves[i]) {
                spill(list[i]);
            }
        }
        return new Cut(p, shift, width, lists, listShares, made);
    }

    private void spill(int e) {
        if (!spilled[e]) {
            spilled[e] = true;
            spilledCount++;
        }
    }

    /** The entries of a list that left the tree, for the next one. */
    int[] spilledOf(int[] list) {
        int[] next = new int[spilledCount];
        int n = 0;
        for (int e : list) {
            if (spilled[e]) {
                next[n++] = e;
            }
        }
        return next;
    }

    /** Takes a child's number. */
    interface Child {
        void accept(int child);
    }

    /** The children of a window that an entry belongs to. */
    static void forEachChild(ForestEntries all, int e, int p, int shift, int mask, Child each) {
        int wild = ~(all.masks[p][e] >>> shift) & mask;
        int value = all.values[p][e] >>> shift & mask & ~wild;
        for (int sub = wild; ; sub = sub - 1 & wild) {
            each.accept(value | sub);
            if (sub == 0) {
                return;
            }
        }
    }

    /** A child's list, as a part of an array; compared by content. */
    record ChildList(int[] lists, int from, int to) {
        @Override
        public boolean equals(Object other) {
            return other instanceof ChildList that
                    && Arrays.equals(lists, from, to, that.lists, that.from, that.to);
        }

        @Override
        public int hashCode() {
            int h = 1;
            for (int i = from; i < to; i++) {
                h = h * 31 + lists[i];
            }
            return h;
        }
    }
}
