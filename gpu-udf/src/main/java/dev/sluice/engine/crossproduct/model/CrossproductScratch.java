package dev.sluice.engine.crossproduct.model;

import dev.sluice.engine.prefix.PrefixSearch;
import dev.sluice.engine.rfc.RfcTables;

/** Room of one thread for a block: what the steps of a look-up hand on. */
public final class CrossproductScratch {
    private static final int BLOCK = RfcTables.BLOCK;
    public static final ThreadLocal<CrossproductScratch> OF_THREAD =
            ThreadLocal.withInitial(CrossproductScratch::new);

    /** Each header's best position so far. */
    public final int[] best = new int[BLOCK];

    /** Headers that have a cell, and their cells. */
    public final int[] header = new int[BLOCK + 1];

    public final int[] at = new int[BLOCK + 1];

    /** Headers for which a group may have a better rule, and how many they are. */
    public final int[] alive = new int[BLOCK + 1];

    public final int[] moreHeader = new int[BLOCK + 1];
    public final int[] groupSource = new int[BLOCK + 1];
    public final int[] groupDestination = new int[BLOCK + 1];

    /** Each header's service and source port. */
    public final int[] services = new int[BLOCK];

    public final int[] ports = new int[BLOCK];

    /** How many intervals each list has. */
    public final int[] intervals = new int[BLOCK];

    /** Of the lists, those with an index, and how many they are. */
    public final int[] indexed = new int[BLOCK + 1];

    public int withIndex;

    /**
     * Headers of divided lists, and their lists by source port. The headers' services by source
     * port and their destination ports, at the same places as {@link #services}.
     */
    public final int[] dividedHeader = new int[BLOCK + 1];

    public final int[] dividedAt = new int[BLOCK + 1];
    public final int[] sourceServices = new int[BLOCK];
    public final int[] destinationPorts = new int[BLOCK];

    /** Prefixes that were found, and room of their search. */
    public final int[] found = new int[BLOCK];

    public final PrefixSearch.Room room = new PrefixSearch.Room();

    /** Headers that are still alive. */
    public int left;

    public int[][] source = {};
    public int[][] destination = {};

    /** Makes room for rows of so many words. */
    public void rows(int ofSource, int ofDestination) {
        if (source.length < ofSource) {
            source = new int[ofSource][BLOCK];
        }
        if (destination.length < ofDestination) {
            destination = new int[ofDestination][BLOCK];
        }
    }
}
