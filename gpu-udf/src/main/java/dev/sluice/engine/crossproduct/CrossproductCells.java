package dev.sluice.engine.crossproduct;

import dev.sluice.engine.image.BuildMeter;
import dev.sluice.engine.lookup.UnsupportedRulesException;
import dev.sluice.engine.prefix.PrefixSet;
import dev.sluice.engine.prefix.PrefixSubset;
import java.util.Arrays;

/**
 * The cells of one group before they are written: one for each pair of a source and a destination
 * prefix that lie within the two of a rule, with all such rules in total order. Has four forms: a
 * plain table where most pairs have a cell; a map of bits where a good part has one; a list of
 * cells for each prefix of one address where these have few partners; else a hash table.
 */
final class CrossproductCells implements GroupPrefixes {
    /** Lower bits of the numbers in {@link #sorted}, which are the rule's position. */
    static final int POSITION_BITS = 20;

    /** Pairs that a map has at most: 8 MB. */
    private static final long MOST_MAPPED = 32L << 20;

    /** Cells that a list has at most. */
    private static final int MOST_LISTED = 64;

    final int[] rules;

    /** Prefixes of the group: of the source, of the destination. */
    final PrefixSet[] prefixes;

    /**
     * {@link CrossproductLayout#DIRECT}, {@link CrossproductLayout#MAPPED}, {@link
     * CrossproductLayout#LISTED_BY_SOURCE}, {@link CrossproductLayout#LISTED_BY_DESTINATION} or
     * {@link CrossproductLayout#HASHED}.
     */
    final int form;

    /** The address whose number counts first in {@link #sorted}. */
    final int major;

    /**
     * For each rule in each of its cells the cell's number, then the rule's position, as one
     * number; ascending, so that a cell's rules follow each other, best first.
     */
    final long[] sorted;

    private final PrefixSubset[] subsets;

    /** Different cells. */
    final int count;

    /**
     * For each prefix that has a list: number of its first cell, from 1 on; empty without lists.
     */
    private final int[] starts;

    /**
     * Finds the cells of a group.
     *
     * @param rules positions of the group's rules, ascending
     * @param kinds prefixes of all rules
     * @param room how many cells there may be, counted once for each of their rules
     * @param line line of the group's first rule in its file, for the error
     * @param limits decide the form
     * @param meter counts the pairs
     * @throws UnsupportedRulesException if there are more
     */
    CrossproductCells(
            int[] rules,
            RuleKinds kinds,
            long room,
            int line,
            CrossproductLimits limits,
            BuildMeter meter) {
        this.rules = rules;
        prefixes = new PrefixSet[2];
        subsets = new PrefixSubset[2];
        for (int a = 0; a < 2; a++) {
            subsets[a] = new PrefixSubset(kinds.prefixes[a], kinds.prefixOf[a], rules);
            prefixes[a] = subsets[a].set();
        }
        long entries = 0;
        for (int r : rules) {
            entries +=
                    (long) subsets[0].descendants(kinds.prefixOf[0][r])
                            * subsets[1].descendants(kinds.prefixOf[1][r]);
        }
        if (entries > room) {
            throw new UnsupportedRulesException(
                    CrossproductLayout.LABEL,
                    line,
                    "its prefixes nest so deeply that " + entries + " address pairs arise");
        }
        meter.work(entries);
        meter.hold(2 * Long.BYTES * entries);
        long[] bySource = pairs(kinds.prefixOf, 0, (int) entries);
        count = count(bySource);
        long plain = (prefixes[0].size() + 1L) * (prefixes[1].size() + 1L);
        boolean direct = plain <= Math.max(limits.directAtLeast(), limits.directUpTo() * count);
        if (direct || plain <= Math.min(limits.mappedUpTo() * count, MOST_MAPPED)) {
            form = direct ? CrossproductLayout.DIRECT : CrossproductLayout.MAPPED;
            major = 0;
            sorted = bySource;
            starts = new int[0];
            return;
        }
        int[] sources = starts(bySource, 0, limits.listedUpTo());
        if (sources.length > 0) {
            form = CrossproductLayout.LISTED_BY_SOURCE;
            major = 0;
            sorted = bySource;
            starts = sources;
            return;
        }
        long[] byDestination = pairs(kinds.prefixOf, 1, (int) entries);
        starts = starts(byDestination, 1, limits.listedUpTo());
        form =
                starts.length > 0
                        ? CrossproductLayout.LISTED_BY_DESTINATION
                        : CrossproductLayout.HASHED;
        major = starts.length > 0 ? 1 : 0;
        sorted = starts.length > 0 ? byDestination : bySource;
    }

    private long[] pairs(int[][] prefixOf, int major, int entries) {
        PrefixSet first = prefixes[major];
        PrefixSet second = prefixes[1 - major];
        long columns = second.size() + 1L;
        long[] pairs = new long[entries];
        int n = 0;
        for (int r : rules) {
            int a0 = subsets[major].indexOf(prefixOf[major][r]);
            int b0 = subsets[1 - major].indexOf(prefixOf[1 - major][r]);
            for (int a = a0; a < first.end[a0]; a++) {
                for (int b = b0; b < second.end[b0]; b++) {
                    pairs[n++] = ((a + 1) * columns + b + 1) << POSITION_BITS | r;
                }
            }
        }
        Arrays.sort(pairs);
        return pairs;
    }

    private static int count(long[] sorted) {
        int cells = 0;
        for (int i = 0; i < sorted.length; i++) {
            cells +=
                    i == 0 || sorted[i] >>> POSITION_BITS != sorted[i - 1] >>> POSITION_BITS
                            ? 1
                            : 0;
        }
        return cells;
    }

    /** First cells of the lists of an address's prefixes; empty if lists would be too long. */
    private int[] starts(long[] pairs, int owner, long listedUpTo) {
        long columns = prefixes[1 - owner].size() + 1L;
        int[] starts = new int[prefixes[owner].size() + 1];
        long seen = 0;
        int cell = 0;
        for (int i = 0; i < pairs.length; ) {
            int number = (int) ((pairs[i] >>> POSITION_BITS) / columns);
            int before = cell;
            long last = -1;
            for (; i < pairs.length && (pairs[i] >>> POSITION_BITS) / columns == number; i++) {
                cell += pairs[i] >>> POSITION_BITS == last ? 0 : 1;
                last = pairs[i] >>> POSITION_BITS;
            }
            int length = cell - before;
            if (length > MOST_LISTED) {
                return new int[0];
            }
            starts[number] = before + 1;
            seen += (long) length * length;
        }
        return seen > listedUpTo * cell ? new int[0] : starts;
    }

    /** Index in {@link #sorted} behind the cell that begins at one. */
    int endOfCell(int from) {
        long cell = sorted[from] >>> POSITION_BITS;
        int to = from;
        while (to < sorted.length && sorted[to] >>> POSITION_BITS == cell) {
            to++;
        }
        return to;
    }

    /** The rule's position in a number of {@link #sorted}. */
    static int positionIn(long entry) {
        return (int) (entry & (1 << POSITION_BITS) - 1);
    }

    @Override
    public PrefixSet prefixes(int address) {
        return prefixes[address];
    }

    /** By how much a cell's number grows from a prefix of the first address to the next one. */
    int columns() {
        return prefixes[1 - major].size() + 1;
    }

    /**
     * Returns the value of a row for a prefix of the group: its number, or the first cell of its
     * list.
     */
    @Override
    public int field(int address, int number) {
        return starts.length > 0 && address == major ? starts[number] : number;
    }

    @Override
    public int bits(int address) {
        int most = starts.length > 0 && address == major ? count : prefixes[address].size();
        return 32 - Integer.numberOfLeadingZeros(most);
    }
}
