package dev.sluice.operators.statistics;

import dev.sluice.schemas.codec.Column;
import dev.sluice.schemas.codec.RuleStatistics;
import java.nio.ByteBuffer;
import java.util.function.Consumer;
import java.util.function.IntUnaryOperator;

/**
 * Hits of rules of one history in flat arrays, a row for each rule, or for each rule and window.
 * Any thread may read a passed instance. The arrays are not copied.
 *
 * @param history id of the rule history
 * @param windowNs length of their windows in ns; 0: they belong to none
 * @param matched by row: whether a rule matched
 * @param numbers {@link #STRIDE} a row
 * @param size number of rows
 */
public record HitRows(String history, long windowNs, boolean[] matched, long[] numbers, int size) {
    /** Numbers in a row. */
    static final int STRIDE = 8;

    static final int RULE = 0;
    static final int WINDOW = 1;
    static final int PACKETS = 2;
    static final int BYTES = 3;

    /** Time of the first hit; undefined where {@link #LAST} is {@link Column#NO_TIME}. */
    static final int FIRST = 4;

    static final int LAST = 5;
    static final int FROM = 6;
    static final int TO = 7;

    private static final int ROW_BYTES = 1 + STRIDE * Long.BYTES;

    boolean matched(int row) {
        return matched[row];
    }

    long ruleId(int row) {
        return numbers[row * STRIDE + RULE];
    }

    /** Returns a number of a row: one of {@link #WINDOW}, {@link #PACKETS} and so on. */
    long number(int row, int which) {
        return numbers[row * STRIDE + which];
    }

    /** Returns a row as an object. */
    RuleStatistics hits(int row) {
        int at = row * STRIDE;
        long last = numbers[at + LAST];
        return new RuleStatistics(
                history,
                matched[row] ? numbers[at + RULE] : null,
                windowNs,
                numbers[at + WINDOW],
                0,
                numbers[at + PACKETS],
                numbers[at + BYTES],
                last == Column.NO_TIME ? Column.NO_TIME : numbers[at + FIRST],
                last,
                numbers[at + FROM],
                numbers[at + TO]);
    }

    /** Passes all rows as objects, in no particular order. */
    public void forEach(Consumer<RuleStatistics> to) {
        for (int row = 0; row < size; row++) {
            to.accept(hits(row));
        }
    }

    /** Packs the rows {@code order(from)} to {@code order(to - 1)} to bytes. */
    byte[] pack(IntUnaryOperator order, int from, int to) {
        ByteBuffer bytes = ByteBuffer.allocate((to - from) * ROW_BYTES);
        for (int n = from; n < to; n++) {
            int row = order.applyAsInt(n);
            bytes.put((byte) (matched[row] ? 1 : 0));
            for (int i = row * STRIDE; i < (row + 1) * STRIDE; i++) {
                bytes.putLong(numbers[i]);
            }
        }
        return bytes.array();
    }

    /** Unpacks rows from bytes. */
    static HitRows unpack(String history, long windowNs, byte[] packed) {
        int size = packed.length / ROW_BYTES;
        boolean[] matched = new boolean[size];
        long[] numbers = new long[size * STRIDE];
        ByteBuffer bytes = ByteBuffer.wrap(packed);
        for (int row = 0; row < size; row++) {
            matched[row] = bytes.get() != 0;
            for (int i = row * STRIDE; i < (row + 1) * STRIDE; i++) {
                numbers[i] = bytes.getLong();
            }
        }
        return new HitRows(history, windowNs, matched, numbers, size);
    }
}
