package dev.sluice.engine.crossproduct;

import dev.sluice.engine.rfc.RfcTables;

/** Room of one thread for a block: what the steps of a look-up hand on. */
final class CrossproductScratch {
    private static final int BLOCK = RfcTables.BLOCK;
    static final ThreadLocal<CrossproductScratch> OF_THREAD =
            ThreadLocal.withInitial(CrossproductScratch::new);

    /** Each header's best position so far. */
    final int[] best = new int[BLOCK];

    /** Headers that have a cell, and their cells. */
    final int[] header = new int[BLOCK + 1];

    final int[] at = new int[BLOCK + 1];

    /** Headers for which a group may have a better rule, and how many they are. */
    final int[] alive = new int[BLOCK + 1];

    final int[] moreHeader = new int[BLOCK + 1];
    final int[] groupSource = new int[BLOCK + 1];
    final int[] groupDestination = new int[BLOCK + 1];

    /** Each header's service and source port. */
    final int[] services = new int[BLOCK];

    final int[] ports = new int[BLOCK];

    /** How many intervals each list has. */
    final int[] intervals = new int[BLOCK];

    /** Of the lists, those with an index, and how many they are. */
    final int[] indexed = new int[BLOCK + 1];

    int withIndex;

    /**
     * Headers of divided lists, and their lists by source port. The headers' services by source
     * port and their destination ports, at the same places as {@link #services}.
     */
    final int[] dividedHeader = new int[BLOCK + 1];

    final int[] dividedAt = new int[BLOCK + 1];
    final int[] sourceServices = new int[BLOCK];
    final int[] destinationPorts = new int[BLOCK];

    final AddressRows.Scratch search = new AddressRows.Scratch();
    int left;
    int[][] source = {};
    int[][] destination = {};

    /** Makes room for rows of so many words. */
    void rows(int ofSource, int ofDestination) {
        if (source.length < ofSource) {
            source = new int[ofSource][BLOCK];
        }
        if (destination.length < ofDestination) {
            destination = new int[ofDestination][BLOCK];
        }
    }
}
