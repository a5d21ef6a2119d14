package dev.sluice.operators.statistics;

import static dev.sluice.operators.statistics.HitRows.BYTES;
import static dev.sluice.operators.statistics.HitRows.FIRST;
import static dev.sluice.operators.statistics.HitRows.FROM;
import static dev.sluice.operators.statistics.HitRows.LAST;
import static dev.sluice.operators.statistics.HitRows.PACKETS;
import static dev.sluice.operators.statistics.HitRows.RULE;
import static dev.sluice.operators.statistics.HitRows.STRIDE;
import static dev.sluice.operators.statistics.HitRows.TO;
import static dev.sluice.operators.statistics.HitRows.WINDOW;

import dev.sluice.schemas.codec.Column;
import java.util.Arrays;

/**
 * Hits by rule and window, of one history: a hash table with open addressing and linear probing
 * over flat arrays.
 *
 * <p>It is on a busy path: with many versions a second all rules of each batch are added here, and
 * at each checkpoint all rules hit. Not thread-safe.
 */
final class RuleHitTable {
    private static final int LEAST_ROOM = 64;

    /** Row numbers from 1 by hash, or 0; at least twice as long as the capacity for rows. */
    private int[] buckets;

    private long[] numbers;
    private boolean[] matched;
    private int size;

    /** Creates an empty table. */
    RuleHitTable() {
        clear(LEAST_ROOM);
    }

    private RuleHitTable(int[] buckets, long[] numbers, boolean[] matched, int size) {
        this.buckets = buckets;
        this.numbers = numbers;
        this.matched = matched;
        this.size = size;
    }

    /** Creates a table of rows with different rules or windows. */
    static RuleHitTable of(HitRows rows) {
        RuleHitTable table = new RuleHitTable();
        for (int row = 0; row < rows.size(); row++) {
            table.add(rows, row, rows.number(row, WINDOW));
        }
        return table;
    }

    private void clear(int room) {
        buckets = new int[2 * room];
        numbers = new long[room * STRIDE];
        matched = new boolean[room];
        size = 0;
    }

    /** Returns the number of rows: rules that were hit, each once a window. */
    int size() {
        return size;
    }

    /** Copies the table. */
    RuleHitTable copy() {
        return new RuleHitTable(buckets.clone(), numbers.clone(), matched.clone(), size);
    }

    /**
     * Adds a row under a window.
     *
     * @return the number of its row here, which stays
     */
    int add(HitRows rows, int row, long windowStartNs) {
        return add(rows.matched(row), rows.numbers(), row * STRIDE, windowStartNs);
    }

    /**
     * Adds hits of a rule under a window.
     *
     * @param hits a row of {@link HitRows}, which begins at {@code from}
     * @return the number of its row here, which stays
     */
    int add(boolean ruleMatched, long[] hits, int from, long windowStartNs) {
        int row = find(ruleMatched, hits[from + RULE], windowStartNs);
        int at = row * STRIDE;
        boolean timed = hits[from + LAST] != Column.NO_TIME;
        if (row == size) {
            matched[size++] = ruleMatched;
            System.arraycopy(hits, from, numbers, at, STRIDE);
            numbers[at + WINDOW] = windowStartNs;
            if (!timed) {
                numbers[at + FIRST] = Long.MAX_VALUE;
            }
            return row;
        }
        numbers[at + PACKETS] += hits[from + PACKETS];
        numbers[at + BYTES] += hits[from + BYTES];
        if (timed) {
            numbers[at + FIRST] = Math.min(numbers[at + FIRST], hits[from + FIRST]);
            numbers[at + LAST] = Math.max(numbers[at + LAST], hits[from + LAST]);
        }
        numbers[at + FROM] = Math.min(numbers[at + FROM], hits[from + FROM]);
        numbers[at + TO] = Math.max(numbers[at + TO], hits[from + TO]);
        return row;
    }

    /** Finds a row; {@link #size} if there is none, and its bucket then refers to that row. */
    private int find(boolean ruleMatched, long ruleId, long window) {
        if (2 * (size + 1) > buckets.length) {
            grow();
        }
        int mask = buckets.length - 1;
        for (int b = hash(ruleMatched, ruleId, window) & mask; ; b = b + 1 & mask) {
            int row = buckets[b] - 1;
            if (row < 0) {
                buckets[b] = size + 1;
                return size;
            }
            int at = row * STRIDE;
            if (numbers[at + RULE] == ruleId
                    && numbers[at + WINDOW] == window
                    && matched[row] == ruleMatched) {
                return row;
            }
        }
    }

    private void grow() {
        buckets = new int[2 * buckets.length];
        int room = buckets.length / 2;
        numbers = Arrays.copyOf(numbers, room * STRIDE);
        matched = Arrays.copyOf(matched, room);
        int mask = buckets.length - 1;
        for (int row = 0; row < size; row++) {
            int at = row * STRIDE;
            int b = hash(matched[row], numbers[at + RULE], numbers[at + WINDOW]) & mask;
            while (buckets[b] != 0) {
                b = b + 1 & mask;
            }
            buckets[b] = row + 1;
        }
    }

    /** Hashes a key by the 64-bit finalizer of MurmurHash3. */
    private static int hash(boolean ruleMatched, long ruleId, long window) {
        long h = ruleId + window * 0x9e3779b97f4a7c15L + (ruleMatched ? 1 : 0);
        h = (h ^ h >>> 33) * 0xff51afd7ed558ccdL;
        h = (h ^ h >>> 33) * 0xc4ceb9fe1a85ec53L;
        return (int) (h ^ h >>> 33);
    }

    /** Returns the present rows; valid until something is added. */
    HitRows rows(String history, long windowNs) {
        return new HitRows(history, windowNs, matched, numbers, size);
    }

    /** Returns all rows and clears the table, which keeps its capacity. */
    HitRows take(String history, long windowNs) {
        HitRows rows = rows(history, windowNs);
        clear(Math.max(LEAST_ROOM, buckets.length / 2));
        return rows;
    }
}
