package dev.sluice.engine.prefix;

import java.util.Arrays;
import java.util.Collection;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;

/**
 * Distinct prefixes in ascending order, so that those within a prefix follow it directly, with the
 * end of these and the closest prefix around for each. Immutable.
 */
public final class PrefixSet {
    /** The prefixes, ascending. Do not change. */
    public final Prefix[] prefixes;

    /** Index behind the last prefix that lies within prefix i. */
    public final int[] end;

    /** Index of the closest prefix around prefix i, -1 for none. */
    public final int[] parent;

    /** The distinct ones of some prefixes. */
    public PrefixSet(Collection<Prefix> from) {
        this(distinct(from));
    }

    /** The set of distinct prefixes in ascending order. */
    private PrefixSet(Prefix[] ascending) {
        prefixes = ascending;
        int n = prefixes.length;
        end = new int[n];
        parent = new int[n];
        int[] stack = new int[130];
        int depth = 0;
        for (int i = 0; i < n; i++) {
            while (depth > 0 && !prefixes[stack[depth - 1]].covers(prefixes[i])) {
                end[stack[--depth]] = i;
            }
            parent[i] = depth == 0 ? -1 : stack[depth - 1];
            stack[depth++] = i;
        }
        while (depth > 0) {
            end[stack[--depth]] = n;
        }
    }

    private static Prefix[] distinct(Collection<Prefix> from) {
        Prefix[] sorted = from.toArray(Prefix[]::new);
        Arrays.sort(sorted);
        int n = 0;
        for (Prefix prefix : sorted) {
            if (n == 0 || !prefix.equals(sorted[n - 1])) {
                sorted[n++] = prefix;
            }
        }
        return Arrays.copyOf(sorted, n);
    }

    /** The prefixes whose index is kept, as a set of their own. */
    public PrefixSet subset(IntPredicate kept) {
        return new PrefixSet(
                IntStream.range(0, prefixes.length)
                        .filter(kept)
                        .mapToObj(i -> prefixes[i])
                        .toArray(Prefix[]::new));
    }

    /** Number of prefixes. */
    public int size() {
        return prefixes.length;
    }

    /** Index of a prefix of the set. */
    public int indexOf(Prefix prefix) {
        int i = Arrays.binarySearch(prefixes, prefix);
        if (i < 0) {
            throw new IllegalArgumentException(prefix + " is not in the set");
        }
        return i;
    }

    /** Prefixes within the one with an index, itself counted. */
    public int descendants(int index) {
        return end[index] - index;
    }

    /** For each prefix of another set, 1 + index here of the longest prefix around it, 0: none. */
    public int[] longestAround(PrefixSet others) {
        int[] around = new int[others.size()];
        for (int i = 0; i < around.length; i++) {
            int at = Arrays.binarySearch(prefixes, others.prefixes[i]);
            int candidate = at >= 0 ? at : -at - 2;
            while (candidate >= 0 && !prefixes[candidate].covers(others.prefixes[i])) {
                candidate = parent[candidate];
            }
            around[i] = candidate + 1;
        }
        return around;
    }
}
