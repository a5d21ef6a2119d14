package dev.sluice.engine.prefix;

import dev.sluice.engine.image.BuildMeter;
import dev.sluice.engine.image.HashMultipliers;
import dev.sluice.engine.image.WordWriter;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Binary search on prefix lengths (M. Waldvogel, G. Varghese, J. Turner, B. Plattner, "Scalable
 * high speed IP routing lookups", SIGCOMM 1997) for IPv6: a hash table for each prefix length that
 * occurs, searched in the order of a binary search over the lengths. A longer prefix leaves markers
 * in the tables of shorter lengths that the search probes before its own: a hit says that longer
 * lengths are worth a look. A marker also has the best result for its bits, in case the longer
 * lengths then miss.
 */
public final class LengthSearch {
    /** Steps of a search over the 128 lengths. */
    private static final int LONGEST_SEARCH = 8;

    /** Bytes of a marker before it is written. */
    private static final long MARKER_BYTES = 96;

    private LengthSearch() {}

    /**
     * Writes the tables.
     *
     * @param prefixes best first: of all that cover an address the first wins
     * @param results result of each, from 0 on
     * @param meter counts the markers
     * @return offset of the record
     */
    public static int write(
            WordWriter out, List<Prefix> prefixes, int[] results, BuildMeter meter) {
        PrefixSet set = new PrefixSet(prefixes);
        int[] best = new int[set.size()];
        Arrays.fill(best, Integer.MAX_VALUE);
        for (int i = 0; i < results.length; i++) {
            int at = set.indexOf(prefixes.get(i));
            best[at] = Math.min(best[at], i);
        }
        for (int i = 0; i < best.length; i++) { // parents come first
            if (set.parent[i] >= 0) {
                best[i] = Math.min(best[i], best[set.parent[i]]);
            }
        }
        int[] lengths =
                Arrays.stream(set.prefixes)
                        .mapToInt(Prefix::length)
                        .filter(l -> l > 0)
                        .sorted()
                        .distinct()
                        .toArray();
        Map<Integer, Set<Prefix>> entries = new HashMap<>();
        for (Prefix p : set.prefixes) {
            // A marker for each step of the search.
            meter.work(LONGEST_SEARCH * (long) BuildMeter.JUMP);
            meter.hold(MARKER_BYTES * LONGEST_SEARCH);
            int low = 0;
            int high = lengths.length - 1;
            while (low <= high && p.length() > 0) {
                int middle = low + high >>> 1;
                if (lengths[middle] > p.length()) {
                    high = middle - 1;
                    continue;
                }
                entries.computeIfAbsent(lengths[middle], l -> new HashSet<>())
                        .add(cut(p, lengths[middle]));
                if (lengths[middle] == p.length()) {
                    break;
                }
                low = middle + 1;
            }
        }
        int record = out.reserve(LengthSearchLayout.rest(0, lengths.length) + 1L);
        out.set(record + LengthSearchLayout.COUNT, lengths.length);
        for (int l = 0; l < lengths.length; l++) {
            Set<Prefix> here = entries.getOrDefault(lengths[l], Set.of());
            int places = Integer.highestOneBit(Math.max(2, 2 * here.size() - 1)) * 2;
            int table =
                    out.reserveAligned(
                            (long) LengthSearchLayout.ENTRY * places, LengthSearchLayout.ENTRY);
            out.set(record + LengthSearchLayout.LENGTHS + l, lengths[l]);
            out.set(LengthSearchLayout.tables(record, lengths.length) + l, table);
            out.set(LengthSearchLayout.masks(record, lengths.length) + l, places - 1);
            PrefixSet own = new PrefixSet(here);
            int[] around = set.longestAround(own);
            for (int e = 0; e < own.size(); e++) {
                Prefix p = own.prefixes[e];
                int result = around[e] == 0 ? 0 : results[best[around[e] - 1]] + 1;
                int place = hash(p.word(0), p.word(1), p.word(2), p.word(3)) & places - 1;
                while (out.get(table + place * LengthSearchLayout.ENTRY + LengthSearchLayout.USED)
                        != 0) {
                    place = place + 1 & places - 1;
                }
                for (int k = 0; k < 4; k++) {
                    out.set(table + place * LengthSearchLayout.ENTRY + k, p.word(k));
                }
                out.set(
                        table + place * LengthSearchLayout.ENTRY + LengthSearchLayout.RESULT,
                        result);
                out.set(table + place * LengthSearchLayout.ENTRY + LengthSearchLayout.USED, 1);
            }
        }
        boolean wild = set.size() > 0 && set.prefixes[0].length() == 0;
        out.set(LengthSearchLayout.rest(record, lengths.length), wild ? results[best[0]] + 1 : 0);
        return record;
    }

    private static Prefix cut(Prefix p, int length) {
        if (length > 64) {
            return new Prefix(
                    p.high(), length == 128 ? p.low() : p.low() & -1L << 128 - length, length);
        }
        return new Prefix(length == 64 ? p.high() : p.high() & -1L << 64 - length, 0, length);
    }

    private static int hash(int a, int b, int c, int d) {
        int h = a * HashMultipliers.GOLDEN;
        h = (h ^ h >>> 15 ^ b) * HashMultipliers.FINISH_1;
        h = (h ^ h >>> 13 ^ c) * HashMultipliers.FINISH_2;
        h = (h ^ h >>> 16 ^ d) * HashMultipliers.GOLDEN;
        return h ^ h >>> 15;
    }

    private static int mask(int length, int word) {
        int bits = Math.max(0, Math.min(32, length - 32 * word));
        return bits == 0 ? 0 : -1 << 32 - bits;
    }

    /** Result for an address of four words, -1 for none. */
    public static int lookUp(int[] w, int record, int a, int b, int c, int d) {
        int count = w[record + LengthSearchLayout.COUNT];
        int result = w[LengthSearchLayout.rest(record, count)];
        int low = 0;
        int high = count - 1;
        while (low <= high) {
            int middle = low + high >>> 1;
            int length = w[record + LengthSearchLayout.LENGTHS + middle];
            int table = w[LengthSearchLayout.tables(record, count) + middle];
            int mask = w[LengthSearchLayout.masks(record, count) + middle];
            int ka = a & mask(length, 0);
            int kb = b & mask(length, 1);
            int kc = c & mask(length, 2);
            int kd = d & mask(length, 3);
            int place = hash(ka, kb, kc, kd) & mask;
            boolean hit = false;
            while (w[table + place * LengthSearchLayout.ENTRY + LengthSearchLayout.USED] != 0) {
                int at = table + place * LengthSearchLayout.ENTRY;
                if (w[at] == ka && w[at + 1] == kb && w[at + 2] == kc && w[at + 3] == kd) {
                    result = w[at + LengthSearchLayout.RESULT];
                    hit = true;
                    break;
                }
                place = place + 1 & mask;
            }
            if (hit) {
                low = middle + 1;
            } else {
                high = middle - 1;
            }
        }
        return result - 1;
    }

    /** Probes that a look-up takes at most. */
    public static int mostProbes(int[] w, int record) {
        return 32 - Integer.numberOfLeadingZeros(w[record + LengthSearchLayout.COUNT]);
    }
}
