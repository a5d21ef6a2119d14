package dev.sluice.schemas.codec;

/**
 * A column of 32-bit words, taken as unsigned, that is packed straight into the message it travels
 * in: as {@link Column#ofWords} has it, without bytes of its own. The words must stay as they are
 * until the message is written. Reusable; not thread-safe.
 */
final class PackedWords extends PackedColumn {
    private static final int[] NONE = {};

    private int[] values = NONE;
    private int from;

    /** Takes words {@code from} to {@code from + count - 1} as the column's values. */
    void set(int columnId, int[] words, int first, int howMany) {
        id = columnId;
        values = words;
        from = first;
        count = howMany;
        // Unsigned order is signed order with the top bits turned: two plain minima, vectorized.
        int low = Integer.MAX_VALUE;
        int high = Integer.MIN_VALUE;
        for (int i = first; i < first + howMany; i++) {
            int turned = words[i] ^ Integer.MIN_VALUE;
            low = Math.min(low, turned);
            high = Math.max(high, turned);
        }
        int span = high - low;
        base = (low ^ Integer.MIN_VALUE) & 0xffffffffL;
        width = span == 0 ? 0 : span >>> 8 == 0 ? 1 : span >>> 16 == 0 ? 2 : 4;
    }

    /** Lets go of the words. */
    void clear() {
        values = NONE;
        count = 0;
    }

    @Override
    public void copyTo(byte[] target, int at) {
        int[] words = values;
        int first = from;
        int n = count;
        int least = (int) base;
        switch (width) {
            case 0 -> {}
            case 1 -> {
                for (int i = 0; i < n; i++) {
                    target[at + i] = (byte) (words[first + i] - least);
                }
            }
            case 2 -> {
                for (int i = 0; i < n; i++) {
                    LittleEndian.SHORTS.set(target, at + 2 * i, (short) (words[first + i] - least));
                }
            }
            default -> {
                for (int i = 0; i < n; i++) {
                    LittleEndian.INTS.set(target, at + 4 * i, words[first + i] - least);
                }
            }
        }
    }
}
