package dev.sluice.schemas.codec;

/**
 * Differences between neighbouring values of a column, packed straight into the message it travels
 * in. The first value travels apart; its place in the column says nothing and is the smallest
 * difference, so that it never takes room. Reusable; not thread-safe.
 */
final class PackedDeltas extends PackedColumn {
    private static final long[] NONE = {};

    private long[] values = NONE;
    private long[] deltas = NONE;

    /**
     * Differences of no column as yet.
     *
     * @param column id of the column of differences
     */
    PackedDeltas(int column) {
        id = column;
    }

    /** Takes the differences of the first values of a column. */
    void set(Column column, int howMany) {
        if (values.length < howMany) {
            values = new long[howMany];
            deltas = new long[howMany];
        }
        long[] from = values;
        long[] to = deltas;
        column.copyLongs(0, howMany, from, 0);
        long low = howMany == 1 ? 0 : Long.MAX_VALUE;
        long high = howMany == 1 ? 0 : Long.MIN_VALUE;
        for (int i = 1; i < howMany; i++) {
            long delta = from[i] - from[i - 1];
            to[i] = delta;
            low = Math.min(low, delta);
            high = Math.max(high, delta);
        }
        to[0] = low;
        base = low;
        width = Column.widthOf(high - low);
        count = howMany;
    }

    /** The first value of the column. */
    long first() {
        return values[0];
    }

    @Override
    public void copyTo(byte[] target, int at) {
        Column.pack(deltas, 0, count, base, width, target, at);
    }
}
