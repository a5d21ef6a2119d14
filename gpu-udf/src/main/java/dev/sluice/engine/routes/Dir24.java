package dev.sluice.engine.routes;

import dev.sluice.engine.image.WordWriter;
import dev.sluice.engine.prefix.Prefix;
import java.util.BitSet;
import java.util.List;

/**
 * DIR-24-8 (P. Gupta, S. Lin, N. McKeown, "Routing lookups in hardware at memory access speeds",
 * INFOCOM 1998): one entry for each 24-bit prefix, and blocks of 256 where longer prefixes exist.
 *
 * <pre>
 * record  table of 2^24 entries | blocks | 1 if entries have 16 bits
 * entry   0: none; v: result v - 1; top bit set: block
 * </pre>
 */
final class Dir24 {
    static final int TABLE = 0;
    static final int BLOCKS = 1;
    static final int NARROW = 2;
    static final int RECORD = 3;
    private static final int TOP_BITS = 24;
    private static final int NARROW_RESULTS = 0x7fff;

    private Dir24() {}

    /**
     * Writes the tables.
     *
     * @param prefixes IPv4 prefixes, best first: where two cover an address the first wins
     * @param results result of each, from 0 on
     * @return offset of the record
     */
    static int write(WordWriter out, List<Prefix> prefixes, int[] results) {
        int most = 0;
        BitSet blocked = new BitSet(1 << TOP_BITS);
        for (int i = 0; i < results.length; i++) {
            most = Math.max(most, results[i] + 1);
            if (prefixes.get(i).length() > TOP_BITS) {
                blocked.set(prefixes.get(i).word(0) >>> 8);
            }
        }
        int blocks = blocked.cardinality();
        boolean narrow = most <= NARROW_RESULTS && blocks <= NARROW_RESULTS;
        int record = out.reserve(RECORD);
        int table = out.reserve(narrow ? 1L << TOP_BITS - 1 : 1L << TOP_BITS);
        int blockAt = out.reserve((narrow ? 128L : 256L) * blocks);
        out.set(record + TABLE, table);
        out.set(record + BLOCKS, blockAt);
        out.set(record + NARROW, narrow ? 1 : 0);
        int number = 0;
        int flag = narrow ? 0x8000 : Integer.MIN_VALUE;
        for (int b = blocked.nextSetBit(0); b >= 0; b = blocked.nextSetBit(b + 1)) {
            put(out, table, b, number++ | flag, narrow);
        }
        // Worst first: what comes later overwrites.
        for (int i = results.length - 1; i >= 0; i--) {
            Prefix p = prefixes.get(i);
            paint(out, record, p.word(0), p.length(), results[i] + 1);
        }
        return record;
    }

    private static void paint(WordWriter out, int record, int address, int length, int value) {
        boolean narrow = out.get(record + NARROW) != 0;
        int table = out.get(record + TABLE);
        int flag = narrow ? 0x8000 : Integer.MIN_VALUE;
        int first = address >>> 8;
        int count = length >= TOP_BITS ? 1 : 1 << TOP_BITS - length;
        for (int e = first; e < first + count; e++) {
            int entry = get(out, table, e, narrow);
            if ((entry & flag) == 0) {
                put(out, table, e, value, narrow);
                continue;
            }
            int block = out.get(record + BLOCKS);
            int from = (entry & ~flag) * 256 + (length > TOP_BITS ? address & 0xff : 0);
            int n = length > TOP_BITS ? 1 << 32 - length : 256;
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
    static void lookUp(
            int[] w, int record, int[] addresses, int from, int n, int[] results, int to) {
        int table = w[record + TABLE];
        int blocks = w[record + BLOCKS];
        if (w[record + NARROW] != 0) {
            for (int i = 0; i < n; i++) {
                int index = addresses[from + i] >>> 8;
                results[to + i] = w[table + (index >>> 1)] >>> (index << 4) & 0xffff;
            }
            for (int i = 0; i < n; i++) {
                int entry = results[to + i];
                if ((entry & 0x8000) != 0) {
                    int index = (entry & 0x7fff) * 256 + (addresses[from + i] & 0xff);
                    entry = w[blocks + (index >>> 1)] >>> (index << 4) & 0xffff;
                }
                results[to + i] = entry - 1;
            }
        } else {
            for (int i = 0; i < n; i++) {
                results[to + i] = w[table + (addresses[from + i] >>> 8)];
            }
            for (int i = 0; i < n; i++) {
                int entry = results[to + i];
                if (entry < 0) {
                    entry =
                            w[
                                    blocks
                                            + (entry & Integer.MAX_VALUE) * 256
                                            + (addresses[from + i] & 0xff)];
                }
                results[to + i] = entry - 1;
            }
        }
    }
}
