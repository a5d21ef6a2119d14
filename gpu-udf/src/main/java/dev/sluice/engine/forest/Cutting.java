package dev.sluice.engine.forest;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Divides the list of a node: an item goes to each child whose bits it matches, or, where that are
 * more than its share of copies, to the rest. Of one forest; not thread-safe.
 */
final class Cutting {
    /** Without a rest an item may become so many times more copies than its share. */
    private static final float BEYOND_SHARE = 4;

    private final ForestEntries entries;
    private final Spread spread;

    Cutting(ForestEntries entries) {
        this.entries = entries;
        this.spread = new Spread(entries);
    }

    /**
     * A list of items with the copies that each may still become.
     *
     * @param items in total order
     */
    record Items(int[] items, float[] shares) {
        int size() {
            return items.length;
        }

        Items upTo(int n) {
            return n == items.length
                    ? this
                    : new Items(Arrays.copyOf(items, n), Arrays.copyOf(shares, n));
        }
    }

    /**
     * A node's children before they are built.
     *
     * @param children their lists; equal ones are the same object
     * @param rest what goes to none of them; null: the node has no rest
     * @param copies items of all distinct children beyond one an entry
     */
    record Cut(Window window, Items[] children, @Nullable Items rest, long copies) {}

    /**
     * Divides a list.
     *
     * @param rests whether items may go to the rest; else every item goes to all its children
     * @param bounded whether no item may go to {@link #tooMany} children
     * @param mostCopies copies that may be made beyond one an item
     * @return null if that makes too many copies
     */
    @Nullable Cut cut(
            Items list,
            Window window,
            Region region,
            boolean rests,
            boolean bounded,
            long mostCopies) {
        spread.over(window, region);
        int size = list.size();
        int[] items = list.items();
        float[] shares = list.shares();
        int children = window.children();
        int[] starts = new int[children + 1];
        int[] counts = new int[size];
        int restSize = 0;
        long raw = 0;
        for (int i = 0; i < size; i++) {
            int count = spread.count(items[i]);
            if (rests && goesToRest(count, shares[i])) {
                counts[i] = -1;
                restSize++;
                continue;
            }
            counts[i] = count;
            raw += count;
            if (raw - size > mostCopies || bounded && tooMany(count, shares[i])) {
                return null;
            }
            spread.list(items[i]);
            for (int k = 0; k < count; k++) {
                starts[spread.children[k] + 1]++;
            }
        }
        for (int c = 0; c < children; c++) {
            starts[c + 1] += starts[c];
        }
        int[] at = Arrays.copyOf(starts, children);
        int[] members = new int[starts[children]];
        float[] memberShares = new float[members.length];
        int[] rest = new int[restSize];
        float[] restShares = new float[restSize];
        int r = 0;
        for (int i = 0; i < size; i++) {
            if (counts[i] < 0) {
                rest[r] = items[i];
                restShares[r++] = shares[i];
                continue;
            }
            spread.list(items[i]);
            float share = below(shares[i], counts[i]);
            for (int k = 0; k < counts[i]; k++) {
                int c = spread.children[k];
                members[at[c]] = spread.within(items[i], c);
                memberShares[at[c]++] = share;
            }
        }
        Items[] lists = new Items[children];
        Map<ListOf, Integer> distinct = new HashMap<>();
        long made = restSize - (long) size;
        // Values of ports are known below, so children by them are never the same.
        boolean alike = window.position() != entries.columns().ports();
        for (int c = 0; c < children; c++) {
            Integer first =
                    alike
                            ? distinct.putIfAbsent(new ListOf(members, starts[c], starts[c + 1]), c)
                            : null;
            if (first != null) {
                lists[c] = lists[first];
                continue;
            }
            lists[c] =
                    new Items(
                            Arrays.copyOfRange(members, starts[c], starts[c + 1]),
                            Arrays.copyOfRange(memberShares, starts[c], starts[c + 1]));
            made += lists[c].size();
        }
        return new Cut(
                window,
                lists,
                restSize == 0 ? null : new Items(rest, restShares),
                Math.max(0, made));
    }

    /** Returns whether an item goes to the rest of a node that has one. */
    static boolean goesToRest(int children, float share) {
        return children > 1 && children > share;
    }

    /** Returns whether an item may not go to all its children even where there is no rest. */
    static boolean tooMany(int children, float share) {
        return children > 1 && children > BEYOND_SHARE * share;
    }

    /** The share of each copy of an item that goes to so many children. */
    static float below(float share, int children) {
        return share / children;
    }

    /** A child's list, as a part of an array; compared by content. */
    private record ListOf(int[] lists, int from, int to) {
        @Override
        public boolean equals(Object other) {
            return other instanceof ListOf that
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
