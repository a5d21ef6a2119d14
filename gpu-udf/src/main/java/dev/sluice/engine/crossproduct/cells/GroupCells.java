package dev.sluice.engine.crossproduct.cells;

import static dev.sluice.engine.crossproduct.model.CrossproductLimits.refused;

import dev.sluice.engine.crossproduct.model.CrossproductLayout;
import dev.sluice.engine.crossproduct.model.CrossproductLimits;
import dev.sluice.engine.crossproduct.model.GroupPrefixes;
import dev.sluice.engine.crossproduct.model.RuleKinds;
import dev.sluice.engine.image.BuildMeter;
import dev.sluice.engine.image.WordWriter;
import dev.sluice.engine.lookup.UnsupportedRulesException;
import dev.sluice.engine.prefix.PrefixSet;
import dev.sluice.engine.prefix.PrefixSubset;

/**
 * Cells of one group and the form in which they are written: a plain table where most pairs have a
 * cell; a map of bits where a good part has one; a list of cells for each prefix of one address
 * where these have few partners; else a hash table.
 */
public final class GroupCells implements GroupPrefixes {
    /** Pairs that a map has at most: 8 MB. */
    private static final long MOST_MAPPED = 32L << 20;

    /** Cells that a list has at most. */
    private static final int MOST_LISTED = 64;

    private final int[] rules;
    private final SortedCells cells;
    private final int form;

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
    public GroupCells(
            int[] rules,
            RuleKinds kinds,
            long room,
            int line,
            CrossproductLimits limits,
            BuildMeter meter) {
        this.rules = rules;
        PrefixSubset[] subsets = new PrefixSubset[2];
        for (int a = 0; a < 2; a++) {
            subsets[a] = new PrefixSubset(kinds.prefixes[a], kinds.prefixOf[a], rules);
        }
        long entries = 0;
        for (int r : rules) {
            entries +=
                    (long) subsets[0].descendants(kinds.prefixOf[0][r])
                            * subsets[1].descendants(kinds.prefixOf[1][r]);
        }
        if (entries > room) {
            throw refused(
                    line, "its prefixes nest so deeply that " + entries + " address pairs arise");
        }
        meter.work(entries);
        meter.hold(2 * Long.BYTES * entries);
        SortedCells bySource = new SortedCells(rules, kinds.prefixOf, subsets, 0, (int) entries);
        long count = bySource.count();
        long plain = (subsets[0].size() + 1L) * (subsets[1].size() + 1L);
        boolean direct = plain <= Math.max(limits.directAtLeast(), limits.directUpTo() * count);
        if (direct || plain <= Math.min(limits.mappedUpTo() * count, MOST_MAPPED)) {
            form = direct ? CrossproductLayout.DIRECT : CrossproductLayout.MAPPED;
            cells = bySource;
            starts = new int[0];
            return;
        }
        int[] sources = starts(bySource, limits.listedUpTo());
        if (sources.length > 0) {
            form = CrossproductLayout.LISTED_BY_SOURCE;
            cells = bySource;
            starts = sources;
            return;
        }
        SortedCells byDestination =
                new SortedCells(rules, kinds.prefixOf, subsets, 1, (int) entries);
        starts = starts(byDestination, limits.listedUpTo());
        boolean listed = starts.length > 0;
        form = listed ? CrossproductLayout.LISTED_BY_DESTINATION : CrossproductLayout.HASHED;
        cells = listed ? byDestination : bySource;
    }

    /** First cells of the lists of an address's prefixes; empty if lists would be too long. */
    private static int[] starts(SortedCells cells, long listedUpTo) {
        int[] starts = new int[cells.prefixes[cells.major].size() + 1];
        int[] lengths = new int[starts.length];
        cells.forEach(
                (c, major, minor, last) -> {
                    starts[major] = lengths[major]++ == 0 ? c + 1 : starts[major];
                });
        long seen = 0;
        for (int length : lengths) {
            if (length > MOST_LISTED) {
                return new int[0];
            }
            seen += (long) length * length;
        }
        return seen > listedUpTo * cells.count() ? new int[0] : starts;
    }

    /** Returns the cells in their order. */
    public SortedCells cells() {
        return cells;
    }

    /**
     * Writes the cells and the group's record.
     *
     * @param numbers number of each cell's list
     * @param lists takes the words that are to name lists
     * @param meter counts what is tried
     */
    public void write(
            WordWriter out, int record, int[] numbers, CellWords lists, BuildMeter meter) {
        switch (form) {
            case CrossproductLayout.DIRECT -> DirectCells.write(out, record, cells, numbers, lists);
            case CrossproductLayout.MAPPED -> MappedCells.write(out, record, cells, numbers, lists);
            case CrossproductLayout.HASHED ->
                    HashedCells.write(out, record, cells, numbers, lists, meter);
            default -> ListedCells.write(out, record, cells, numbers, lists);
        }
        out.set(record + CrossproductLayout.GROUP_FORM, form);
        out.set(record + CrossproductLayout.BEST, rules[0]);
    }

    /** The search of a group's cells. */
    public static CellSearch open(int[] words, int record, int cellBits) {
        CellGroup group = CellGroup.at(words, record);
        return switch (group.form()) {
            case CrossproductLayout.DIRECT -> new DirectCells(words, group);
            case CrossproductLayout.MAPPED -> new MappedCells(words, group);
            case CrossproductLayout.HASHED -> new HashedCells(words, group, cellBits);
            default -> new ListedCells(words, group);
        };
    }

    @Override
    public PrefixSet prefixes(int address) {
        return cells.prefixes[address];
    }

    /**
     * Returns the value of a row for a prefix of the group: its number, or the first cell of its
     * list.
     */
    @Override
    public int field(int address, int number) {
        return starts.length > 0 && address == cells.major ? starts[number] : number;
    }

    @Override
    public int bits(int address) {
        boolean listed = starts.length > 0 && address == cells.major;
        int most = listed ? cells.count() : prefixes(address).size();
        return 32 - Integer.numberOfLeadingZeros(most);
    }
}
