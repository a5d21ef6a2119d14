package dev.sluice.engine.pairs;

import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;

/** Distinct prefixes in walking order, with the extent of each one's descendants. Immutable. */
final class PrefixSet {
    final Prefix[] prefixes;

    /** Index behind the last prefix that lies within prefix i. */
    final int[] end;

    /** Index of the closest prefix around prefix i, -1 for none. */
    final int[] parent;

    private final Map<Prefix, Integer> index = new HashMap<>();

    PrefixSet(Collection<Prefix> from) {
        prefixes = from.stream().distinct().sorted().toArray(Prefix[]::new);
        int n = prefixes.length;
        end = new int[n];
        parent = new int[n];
        int[] stack = new int[130];
        int depth = 0;
        for (int i = 0; i < n; i++) {
            index.put(prefixes[i], i);
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

    int size() {
        return prefixes.length;
    }

    int indexOf(Prefix prefix) {
        Integer i = index.get(prefix);
        if (i == null) {
            throw new IllegalArgumentException(prefix + " is not in the set");
        }
        return i;
    }

    /** Prefixes within a prefix of the set, itself counted. */
    int descendants(Prefix prefix) {
        int i = indexOf(prefix);
        return end[i] - i;
    }

    /** For each prefix of another set, 1 + index here of the longest prefix around it, 0: none. */
    int[] longestAround(PrefixSet others) {
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
