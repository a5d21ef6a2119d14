package dev.sluice.operators.statistics;

import dev.sluice.schemas.codec.Column;
import java.util.Arrays;
import java.util.function.Consumer;

/**
 * Hits by rule and window, of one history: a hash table with open addressing and linear probing
 * over flat arrays, since a rule set that changes many times a second brings every rule of a batch
 * here. Not thread-safe.
 */
final class HitTable {
    private static final int STRIDE = 8;
    private static final int RULE = 0;
    private static final int WINDOW = 1;
    private static final int PACKETS = 2;
    private static final int BYTES = 3;
    private static final int FIRST = 4;
    private static final int LAST = 5;
    private static final int FROM = 6;
    private static final int TO = 7;

    /** By hash: number of an entry from 1, or 0. Twice as long as there is room for entries. */
    private int[] buckets = new int[128];

    private long[] entries = new long[64 * STRIDE];

    /** By entry: whether a rule matched. */
    private boolean[] matched = new boolean[64];

    private int size;

    /** Entries: rules that were hit, each once a window. */
    int size() {
        return size;
    }

    /** Adds hits of a rule in a window. */
    void add(
            boolean ruleMatched,
            long ruleId,
            long windowStartNs,
            long packets,
            long bytes,
            long firstNs,
            long lastNs,
            long version) {
        int entry = find(ruleMatched, ruleId, windowStartNs);
        int at = entry * STRIDE;
        if (entry == size) {
            open(ruleMatched, ruleId, windowStartNs);
            at = entry * STRIDE;
            entries[at + FROM] = version;
            entries[at + TO] = version;
        }
        entries[at + PACKETS] += packets;
        entries[at + BYTES] += bytes;
        if (firstNs != Column.NO_TIME) {
            entries[at + FIRST] = Math.min(entries[at + FIRST], firstNs);
            entries[at + LAST] = Math.max(entries[at + LAST], lastNs);
        }
        entries[at + FROM] = Math.min(entries[at + FROM], version);
        entries[at + TO] = Math.max(entries[at + TO], version);
    }

    /** The entry, or {@link #size} where there is none; its bucket is then ready to take it. */
    private int find(boolean ruleMatched, long ruleId, long window) {
        if (2 * (size + 1) > buckets.length) {
            grow();
        }
        int mask = buckets.length - 1;
        for (int b = hash(ruleMatched, ruleId, window) & mask; ; b = b + 1 & mask) {
            int entry = buckets[b] - 1;
            if (entry < 0) {
                buckets[b] = size + 1;
                return size;
            }
            int at = entry * STRIDE;
            if (entries[at + RULE] == ruleId
                    && entries[at + WINDOW] == window
                    && matched[entry] == ruleMatched) {
                return entry;
            }
        }
    }

    private void open(boolean ruleMatched, long ruleId, long window) {
        matched[size] = ruleMatched;
        int at = size * STRIDE;
        Arrays.fill(entries, at, at + STRIDE, 0);
        entries[at + RULE] = ruleId;
        entries[at + WINDOW] = window;
        entries[at + FIRST] = Long.MAX_VALUE;
        entries[at + LAST] = Column.NO_TIME;
        size++;
    }

    private void grow() {
        buckets = new int[2 * buckets.length];
        int room = buckets.length / 2;
        entries = Arrays.copyOf(entries, room * STRIDE);
        matched = Arrays.copyOf(matched, room);
        int mask = buckets.length - 1;
        for (int entry = 0; entry < size; entry++) {
            int at = entry * STRIDE;
            int b = hash(matched[entry], entries[at + RULE], entries[at + WINDOW]) & mask;
            while (buckets[b] != 0) {
                b = b + 1 & mask;
            }
            buckets[b] = entry + 1;
        }
    }

    /** Finalizer of MurmurHash3 for 64 bits. */
    private static int hash(boolean ruleMatched, long ruleId, long window) {
        long h = ruleId + window * 0x9e3779b97f4a7c15L + (ruleMatched ? 1 : 0);
        h = (h ^ h >>> 33) * 0xff51afd7ed558ccdL;
        h = (h ^ h >>> 33) * 0xc4ceb9fe1a85ec53L;
        return (int) (h ^ h >>> 33);
    }

    /** Hands everything out, in no particular order, and begins anew. */
    void moveTo(String history, long windowNs, Consumer<RuleHits> to) {
        for (int entry = 0; entry < size; entry++) {
            int at = entry * STRIDE;
            long last = entries[at + LAST];
            to.accept(
                    new RuleHits(
                            history,
                            matched[entry],
                            entries[at + RULE],
                            windowNs,
                            entries[at + WINDOW],
                            0,
                            entries[at + PACKETS],
                            entries[at + BYTES],
                            last == Column.NO_TIME ? Column.NO_TIME : entries[at + FIRST],
                            last,
                            entries[at + FROM],
                            entries[at + TO]));
        }
        size = 0;
        Arrays.fill(buckets, 0);
    }
}
