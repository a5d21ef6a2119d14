package dev.sluice.engine.crossproduct;

import dev.sluice.engine.lookup.Branchless;
import dev.sluice.engine.rules.Match;

/**
 * Finds the best rule of lists that are searched by service, for a block of headers at once: some
 * steps of all binary searches ({@link SearchSteps}), then some of those that are still open.
 * Thread-safe.
 */
final class IntervalSearch {
    /** Steps of all searches before those that are done are taken off. */
    private static final int STEPS_AT_ONCE = 3;

    private final int[] words;

    IntervalSearch(int[] words) {
        this.words = words;
    }

    /**
     * Searches lists.
     *
     * @param found number of lists; their headers and offsets are in {@link
     *     CrossproductScratch#header} and {@link CrossproductScratch#at}, which this overwrites
     * @param first whether no lists were searched for these headers before
     * @param scratch has services and source ports, too, and each header's best position so far,
     *     which this lowers
     */
    void search(int found, boolean first, CrossproductScratch scratch) {
        int[] w = words;
        int[] at = scratch.at;
        int[] header = scratch.header;
        int[] best = scratch.best;
        int[] count = scratch.intervals;
        int lists = first ? found : better(found, scratch);
        for (int k = 0; k < lists; k++) {
            at[k] += CrossproductLayout.INTERVALS;
        }
        SearchSteps.read(w, at, lists, count);
        intervals(lists, scratch);
        int chains = 0;
        for (int k = 0; k < lists; k++) {
            int i = header[k];
            int named = w[at[k] + count[k]];
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

    /** Keeps the lists of which a rule is better than what was found; returns their number. */
    private int better(int found, CrossproductScratch scratch) {
        int[] w = words;
        int[] at = scratch.at;
        int[] header = scratch.header;
        int[] best = scratch.best;
        int lists = 0;
        for (int k = 0; k < found; k++) {
            int i = header[k];
            int list = at[k];
            header[lists] = i;
            at[lists] = list;
            lists += Branchless.lessThan(w[list + CrossproductLayout.BEST_OF_LIST], best[i]);
        }
        return lists;
    }

    /** Replaces each list's offset by that of the interval in which the header's service lies. */
    private void intervals(int lists, CrossproductScratch scratch) {
        int[] w = words;
        int[] header = scratch.header;
        int[] at = scratch.at;
        int[] count = scratch.intervals;
        int[] services = scratch.services;
        AddressSearch.Scratch room = scratch.search;
        int[] list = room.header;
        int[] interval = room.found;
        int[] left = room.count;
        int[] key = room.key;
        int[] probe = room.at;
        int[] read = room.read;
        for (int k = 0; k < lists; k++) {
            list[k] = k;
            interval[k] = at[k];
            left[k] = count[k];
            key[k] = services[header[k]];
            probe[k] = at[k] + (count[k] >>> 1);
        }
        int open = lists;
        while (open > 0) {
            for (int step = 0; step < STEPS_AT_ONCE; step++) {
                SearchSteps.read(w, probe, open, read);
                SearchSteps.step(open, key, read, 0, 0, interval, left, probe);
            }
            int still = 0;
            for (int j = 0; j < open; j++) {
                int k = list[j];
                int found = interval[j];
                int more = left[j];
                at[k] = found;
                list[still] = k;
                interval[still] = found;
                left[still] = more;
                key[still] = key[j];
                probe[still] = probe[j];
                still += Branchless.lessThan(1, more);
            }
            open = still;
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
