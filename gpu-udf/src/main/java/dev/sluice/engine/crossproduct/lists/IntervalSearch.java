package dev.sluice.engine.crossproduct.lists;

import dev.sluice.engine.crossproduct.model.CrossproductLayout;
import dev.sluice.engine.crossproduct.model.CrossproductScratch;
import dev.sluice.engine.lookup.Branchless;
import dev.sluice.engine.prefix.PrefixSearch;
import dev.sluice.engine.prefix.SearchSteps;
import dev.sluice.engine.rules.Match;

/**
 * Finds the best rule of lists that are searched by service, for a block of headers at once: some
 * steps of all binary searches ({@link SearchSteps}), then some of those that are still open.
 * Thread-safe.
 */
final class IntervalSearch implements ListSearch {
    /** Steps of all searches before those that are done are taken off. */
    private static final int STEPS_AT_ONCE = 3;

    private final int[] words;
    private final int portsPosition;

    /** True if some lists are divided or have an index. */
    private final boolean flagged;

    IntervalSearch(int[] words, int head) {
        this.words = words;
        this.flagged = words[head + CrossproductLayout.LIST_FLAGS] != 0;
        this.portsPosition = words[head + CrossproductLayout.PORTS_POSITION];
    }

    /** Each header's service, as {@link CrossproductLayout#SERVICE_SHIFT} says, and source port. */
    @Override
    public void begin(
            int[] h, int capacity, int from, int n, int[] classes, CrossproductScratch scratch) {
        int base = portsPosition * capacity + from;
        int[] services = scratch.services;
        int[] ports = scratch.ports;
        for (int i = 0; i < n; i++) {
            int both = h[base + i];
            services[i] = classes[i] << CrossproductLayout.SERVICE_SHIFT | both & 0xffff;
            ports[i] = both >>> 16;
        }
    }

    @Override
    public void search(int found, boolean first, int[] classes, CrossproductScratch scratch) {
        int divided =
                search(
                        first ? found : better(found, scratch),
                        scratch.services,
                        scratch.ports,
                        scratch);
        if (divided > 0) {
            bySourcePort(divided, scratch);
        }
    }

    /** Searches the lists by source port of those that are divided. */
    private void bySourcePort(int divided, CrossproductScratch scratch) {
        int[] services = scratch.services;
        int[] ports = scratch.ports;
        int[] sourceServices = scratch.sourceServices;
        int[] destinationPorts = scratch.destinationPorts;
        for (int k = 0; k < divided; k++) {
            int i = scratch.dividedHeader[k];
            int service = services[i];
            sourceServices[i] = service & -1 << CrossproductLayout.SERVICE_SHIFT | ports[i];
            destinationPorts[i] = service & Match.ANY_PORT;
            scratch.header[k] = i;
            scratch.at[k] = scratch.dividedAt[k];
        }
        search(better(divided, scratch), sourceServices, destinationPorts, scratch);
    }

    /**
     * Searches lists by one port.
     *
     * @param services each header's service by that port
     * @param ports its other port
     * @return how many of them are divided
     */
    private int search(int lists, int[] services, int[] ports, CrossproductScratch scratch) {
        int[] w = words;
        int[] at = scratch.at;
        int[] header = scratch.header;
        int[] best = scratch.best;
        int[] count = scratch.intervals;
        for (int k = 0; k < lists; k++) {
            at[k] += CrossproductLayout.INTERVALS;
        }
        SearchSteps.read(w, at, lists, count);
        int divided = flagged ? divided(lists, scratch) : 0;
        intervals(lists, services, scratch);
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
            chains = follow(chains, ports, scratch);
        }
        return divided;
    }

    /** Collects the lists that are divided, and those that have an index; keeps the counts. */
    private int divided(int lists, CrossproductScratch scratch) {
        int[] w = words;
        int[] count = scratch.intervals;
        int[] indexed = scratch.indexed;
        int[] dividedHeader = scratch.dividedHeader;
        int[] dividedAt = scratch.dividedAt;
        int withIndex = 0;
        int divided = 0;
        for (int k = 0; k < lists; k++) {
            int flags = count[k];
            indexed[withIndex] = k;
            withIndex += Branchless.isNegative(flags);
            dividedAt[divided] = k;
            divided += Branchless.isNegative(flags << 1);
            count[k] = flags & CrossproductLayout.INTERVAL_COUNT;
        }
        scratch.withIndex = withIndex;
        for (int d = 0; d < divided; d++) {
            int k = dividedAt[d];
            dividedHeader[d] = scratch.header[k];
            dividedAt[d] = w[scratch.at[k] + 2 * count[k]];
        }
        return divided;
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
    private void intervals(int lists, int[] services, CrossproductScratch scratch) {
        int[] w = words;
        int[] header = scratch.header;
        int[] at = scratch.at;
        int[] count = scratch.intervals;
        PrefixSearch.Room room = scratch.room;
        int[] list = room.header;
        int[] interval = scratch.found;
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
        if (flagged) {
            narrow(scratch);
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

    /** Leaves of each list with an index what begins in the header's part, and the one before. */
    private void narrow(CrossproductScratch scratch) {
        int[] w = words;
        int[] indexed = scratch.indexed;
        PrefixSearch.Room room = scratch.room;
        int[] interval = scratch.found;
        int[] left = room.count;
        int[] key = room.key;
        int[] probe = room.at;
        int lists = scratch.withIndex;
        for (int j = 0; j < lists; j++) {
            int k = indexed[j];
            int list = interval[k] - CrossproductLayout.INTERVALS;
            int shape = w[list - CrossproductLayout.PARTS_SHAPE];
            int beyond = key[k] - w[list - CrossproductLayout.PARTS_FROM];
            int part =
                    Math.min(
                            Math.max(beyond, 0) >>> (shape >>> CrossproductLayout.PARTS_SHIFT_AT),
                            shape & CrossproductLayout.LAST_PART);
            int before = w[list - CrossproductLayout.PARTS_BEFORE - part];
            int more = w[list - CrossproductLayout.PARTS_BEFORE - 1 - part] - before + 1;
            interval[k] += before;
            left[k] = more;
            probe[k] = interval[k] + (more >>> 1);
        }
    }

    /** Tests a rule of each chain; returns how many have another one that may win. */
    private int follow(int chains, int[] ports, CrossproductScratch scratch) {
        int[] w = words;
        int[] header = scratch.header;
        int[] at = scratch.at;
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
