package dev.sluice.engine.hashtree;

import dev.sluice.engine.tuplespace.TupleSearch;
import dev.sluice.engine.tuplespace.TupleSpaceLayout;
import dev.sluice.schemas.header.Field;
import dev.sluice.schemas.header.FieldBits;
import dev.sluice.schemas.header.HeaderLayout;
import dev.sluice.schemas.header.HeaderWord;

/** Searches the trees of an image for the headers of a block. One instance for each thread. */
public final class HashTreeSearch {
    private static final ThreadLocal<HashTreeSearch> OF_THREAD =
            ThreadLocal.withInitial(HashTreeSearch::new);

    private static final int ETHER_TYPE = Field.ETH_TYPE.maskInWord();
    private static final int VLAN_ID = Field.VLAN_ID.maskInWord();

    private final int[] header = new int[HeaderWord.COUNT];

    private HashTreeSearch() {}

    /** The thread's instance. */
    public static HashTreeSearch get() {
        return OF_THREAD.get();
    }

    /** Digest of those of the filters' four fields that are asked for. */
    static int digest(
            int[] words, boolean type, boolean vlan, boolean source, boolean destination) {
        int ether = words[HeaderWord.ETHER];
        int digest =
                TupleSpaceLayout.mix(
                        0, (type ? ether & ETHER_TYPE : 0) | (vlan ? ether & VLAN_ID : 0));
        int middle =
                words[HeaderWord.MAC_MIDDLE] & (source ? ~FieldBits.MIDDLE_DST_MASK : 0)
                        | words[HeaderWord.MAC_MIDDLE]
                                & (destination ? FieldBits.MIDDLE_DST_MASK : 0);
        digest = TupleSpaceLayout.mix(digest, source ? words[HeaderWord.MAC_HIGH] : 0);
        digest = TupleSpaceLayout.mix(digest, middle);
        digest = TupleSpaceLayout.mix(digest, destination ? words[HeaderWord.MAC_LOW] : 0);
        return TupleSpaceLayout.finish(digest);
    }

    /** Entry of a digest in one of the two arrays of a filter. */
    static int index(int digest, int array, int bits) {
        return TupleSpaceLayout.filterBit(digest, array, bits);
    }

    /** Searches for a block that {@code search} was started for. */
    public void search(TupleSearch search, int[] w, HeaderLayout layout, int n) {
        int head = w[TupleSpaceLayout.EXTRA_AT];
        for (int i = 0; i < n; i++) {
            for (int p = 0; p < layout.size(); p++) {
                header[layout.word(p)] = search.word(p, i);
            }
            int main = w[head + HashTreeLayout.MAIN];
            if (w[main + HashTreeLayout.RULES] > 0) {
                int groups = groups(w, head);
                if (groups != 0) {
                    node(search, w, main, i, groups);
                }
            }
            int extra = w[head + HashTreeLayout.EXTRA_ROOT];
            if (w[extra + HashTreeLayout.RULES] > 0) {
                node(search, w, extra, i, HashTreeLayout.ALL_GROUPS);
            }
        }
    }

    /** The groups of layers 1 and 2 that may have a match by the filters: a bit each, 12 bits. */
    private int groups(int[] w, int head) {
        int bits = w[head + HashTreeLayout.FILTER_BITS];
        int all = 0;
        for (int filter = 0; filter < HashTreeLayout.FILTER_COUNT; filter++) {
            int arrays = head + HashTreeLayout.FILTERS + HashTreeLayout.ARRAYS * filter;
            int first = w[arrays];
            int second = w[arrays + 1];
            for (int macs = filter == 0 ? 1 : 0; macs < 4; macs++) {
                int digest =
                        digest(
                                header,
                                (filter & HashTreeLayout.FILTER_TYPE) != 0,
                                (filter & HashTreeLayout.FILTER_VLAN) != 0,
                                (macs & HashTreeLayout.GROUP_SOURCE) != 0,
                                (macs & HashTreeLayout.GROUP_DESTINATION) != 0);
                all |=
                        mask(w, first, index(digest, 0, bits))
                                & mask(w, second, index(digest, 1, bits));
            }
        }
        return all;
    }

    private static int mask(int[] w, int array, int index) {
        return w[array + (index >>> 1)] >>> 16 * (index & 1) & HashTreeLayout.ALL_GROUPS;
    }

    private void node(TupleSearch search, int[] w, int node, int i, int groups) {
        int layer = w[node + HashTreeLayout.LAYER];
        int shift = layer == HashTreeLayout.MACS ? 0 : HashTreeLayout.ETHERNET_AT;
        boolean filtered = layer == HashTreeLayout.MACS || layer == HashTreeLayout.ETHERNET;
        for (int g = HashLayers.GROUPS[layer] - 1; g >= 0; g--) {
            int record = node + HashTreeLayout.FIRST_GROUP + HashTreeLayout.GROUP * g;
            if (w[record + HashTreeLayout.TABLE] == 0
                    || filtered && (groups >>> shift + g & 1) == 0) {
                continue;
            }
            int entry = w[HashLayers.entry(w, record, HashLayers.hash(layer, g, header))];
            if (entry < 0) {
                node(search, w, ~entry, i, groups);
            } else if (entry > 0) {
                search.chain(entry, i);
            }
        }
    }
}
