package dev.sluice.engine.crossproduct;

import dev.sluice.engine.lookup.Branchless;
import dev.sluice.engine.rules.Match;

/**
 * Finds the best rule of lists that are searched by service, for a block of headers at once: a step
 * of all binary searches, then the next one of those that are still open. Thread-safe.
 */
final class IntervalSearch {
    private final int[] words;

    IntervalSearch(int[] words) {
        this.words = words;
    }

    /**
     * Searches lists.
     *
     * @param lists number of lists; their headers and offsets are in {@link
     *     CrossproductScratch#header} and {@link CrossproductScratch#at}, which this overwrites
     * @param scratch has services and source ports, too, and each header's best position so far,
     *     which this lowers
     */
    void search(int lists, CrossproductScratch scratch) {
        int[] w = words;
        int[] header = scratch.header;
        int[] at = scratch.at;
        int[] services = scratch.services;
        int[] best = scratch.best;
        int[] left = scratch.intervals;
        int[] openAt = scratch.open;
        for (int k = 0; k < lists; k++) {
            left[k] = w[at[k]];
        }
        int open = 0;
        for (int k = 0; k < lists; k++) {
            openAt[open] = k;
            open += Branchless.lessThan(1, left[k]);
        }
        while (open > 0) {
            int still = 0;
            for (int j = 0; j < open; j++) {
                int k = openAt[j];
                int half = left[k] >>> 1;
                int probe = at[k] + CrossproductLayout.INTERVAL * half;
                int before = Branchless.maskIfNegative(services[header[k]] - w[probe]);
                at[k] = probe - (probe - at[k] & before);
                left[k] -= half;
                openAt[still] = k;
                still += Branchless.lessThan(1, left[k]);
            }
            open = still;
        }
        int chains = 0;
        for (int k = 0; k < lists; k++) {
            int i = header[k];
            int named = w[at[k] + CrossproductLayout.INTERVAL_NAMES];
            int chained = Branchless.maskIfNegative(named);
            best[i] = Math.min(best[i], named ^ (named ^ CrossproductLayout.NO_RULE) & chained);
            header[chains] = i;
            at[chains] = ~named;
            chains -= chained;
        }
        while (chains > 0) {
            chains = follow(chains, scratch);
        }
    }

    /** Tests a rule of each chain; returns how many have another one that may win. */
    private int follow(int chains, CrossproductScratch scratch) {
        int[] w = words;
        int[] header = scratch.header;
        int[] at = scratch.at;
        int[] ports = scratch.ports;
        int[] best = scratch.best;
        int left = 0;
        for (int k = 0; k < chains; k++) {
            int i = header[k];
            int link = at[k];
            int range = w[link + CrossproductLayout.LINK_PORTS];
            int last = w[link + CrossproductLayout.LINK_POSITION];
            int position = last & CrossproductLayout.UNMARKED;
            int better = Branchless.lessThan(position, best[i]);
            int hit = better & Branchless.isNotNegative(Match.outside(ports[i], range));
            best[i] += position - best[i] & -hit;
            header[left] = i;
            at[left] = link + CrossproductLayout.LINK;
            left += better & ~hit & Branchless.isNotNegative(last);
        }
        return left;
    }
}
