package dev.sluice.engine.prefix;

import dev.sluice.engine.image.BuildMeter;
import dev.sluice.engine.image.WordWriter;
import java.util.BitSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * DIR-24-8 (P. Gupta, S. Lin, N. McKeown, "Routing lookups in hardware at memory access speeds",
 * INFOCOM 1998): a table with an entry for each 24-bit prefix; where longer prefixes exist, the
 * entry leads to a block of 256 entries, one for each value of the last 8 bits.
 */
public final class Dir24 {
    private static final int NARROW_RESULTS = 0x7fff;

    /** Bits of an address that name an entry of a block. */
    private static final int LOWEST = Dir24Layout.BLOCK - 1;

    private Dir24() {}

    /**
     * Writes the tables.
     *
     * @param prefixes IPv4 prefixes, best first: where two cover an address the first wins
     * @param results result of each, from 0 on
     * @param meter counts the entries that are written
     * @return offset of the record
     */
    public static int write(
            WordWriter out, List<Prefix> prefixes, int[] results, BuildMeter meter) {
        int most = 0;
        BitSet blocked = new BitSet(1 << Dir24Layout.TOP_BITS);
        for (int i = 0; i < results.length; i++) {
            most = Math.max(most, results[i] + 1);
            if (prefixes.get(i).length() > Dir24Layout.TOP_BITS) {
                blocked.set(prefixes.get(i).word(0) >>> Dir24Layout.BLOCK_BITS);
            }
        }
        int blocks = blocked.cardinality();
        boolean narrow = most <= NARROW_RESULTS && blocks <= NARROW_RESULTS;
        int record = out.reserve(Dir24Layout.RECORD);
        int table =
                out.reserve(narrow ? 1L << Dir24Layout.TOP_BITS - 1 : 1L << Dir24Layout.TOP_BITS);
        int blockAt = out.reserve((narrow ? Dir24Layout.BLOCK / 2L : Dir24Layout.BLOCK) * blocks);
        out.set(record + Dir24Layout.TABLE, table);
        out.set(record + Dir24Layout.BLOCKS, blockAt);
        out.set(record + Dir24Layout.NARROW, narrow ? 1 : 0);
        int number = 0;
        int flag = narrow ? Dir24Layout.NARROW_FLAG : Dir24Layout.WIDE_FLAG;
        for (int b = blocked.nextSetBit(0); b >= 0; b = blocked.nextSetBit(b + 1)) {
            put(out, table, b, number++ | flag, narrow);
        }
        // Worst first: a better prefix overwrites the entries that it shares with worse ones.
        Set<Prefix> painted = new HashSet<>();
        boolean[] best = new boolean[results.length];
        for (int i = 0; i < results.length; i++) {
            best[i] = painted.add(prefixes.get(i));
        }
        for (int i = results.length - 1; i >= 0; i--) {
            if (!best[i]) {
                continue; // the same prefix has a better result
            }
            Prefix p = prefixes.get(i);
            meter.work(1L << Math.max(0, Dir24Layout.TOP_BITS - p.length()));
            paint(out, record, p.word(0), p.length(), results[i] + 1);
        }
        return record;
    }

    private static void paint(WordWriter out, int record, int address, int length, int value) {
        boolean narrow = out.get(record + Dir24Layout.NARROW) != 0;
        int table = out.get(record + Dir24Layout.TABLE);
        int flag = narrow ? Dir24Layout.NARROW_FLAG : Dir24Layout.WIDE_FLAG;
        int first = address >>> Dir24Layout.BLOCK_BITS;
        int count = length >= Dir24Layout.TOP_BITS ? 1 : 1 << Dir24Layout.TOP_BITS - length;
        for (int e = first; e < first + count; e++) {
            int entry = get(out, table, e, narrow);
            if ((entry & flag) == 0) {
                put(out, table, e, value, narrow);
                continue;
            }
            int block = out.get(record + Dir24Layout.BLOCKS);
            int from =
                    (entry & ~flag) * Dir24Layout.BLOCK
                            + (length > Dir24Layout.TOP_BITS ? address & LOWEST : 0);
            int n = length > Dir24Layout.TOP_BITS ? 1 << 32 - length : Dir24Layout.BLOCK;
            for (int k = from; k < from + n; k++) {
                put(out, block, k, value, narrow);
            }
        }
    }

    private static int get(WordWriter out, int base, int index, boolean narrow) {
        return narrow
                ? out.get(base + (index >>> 1)) >>> (index << 4 & 16) & 0xffff
                : out.get(base + index);
    }

    private static void put(WordWriter out, int base, int index, int value, boolean narrow) {
        if (narrow) {
            int word = base + (index >>> 1);
            int shift = index << 4 & 16;
            out.set(word, out.get(word) & ~(0xffff << shift) | value << shift);
        } else {
            out.set(base + index, value);
        }
    }

    /** Result for each of n addresses, -1 for none. */
    public static void lookUp(
            int[] w, int record, int[] addresses, int from, int n, int[] results, int to) {
        int table = w[record + Dir24Layout.TABLE];
        int blocks = w[record + Dir24Layout.BLOCKS];
        if (w[record + Dir24Layout.NARROW] != 0) {
            for (int i = 0; i < n; i++) {
                int index = addresses[from + i] >>> Dir24Layout.BLOCK_BITS;
                results[to + i] = w[table + (index >>> 1)] >>> (index << 4) & 0xffff;
            }
            for (int i = 0; i < n; i++) {
                int entry = results[to + i];
                if ((entry & Dir24Layout.NARROW_FLAG) != 0) {
                    int index =
                            (entry & ~Dir24Layout.NARROW_FLAG) * Dir24Layout.BLOCK
                                    + (addresses[from + i] & LOWEST);
                    entry = w[blocks + (index >>> 1)] >>> (index << 4) & 0xffff;
                }
                results[to + i] = entry - 1;
            }
        } else {
            for (int i = 0; i < n; i++) {
                results[to + i] = w[table + (addresses[from + i] >>> Dir24Layout.BLOCK_BITS)];
            }
            for (int i = 0; i < n; i++) {
                int entry = results[to + i];
                if (entry < 0) {
                    entry =
                            w[
                                    blocks
                                            + (entry & ~Dir24Layout.WIDE_FLAG) * Dir24Layout.BLOCK
                                            + (addresses[from + i] & LOWEST)];
                }
                results[to + i] = entry - 1;
            }
        }
    }
}
