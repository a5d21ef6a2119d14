package dev.sluice.engine.rfc;

import dev.sluice.engine.prefix.PrefixSearch;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Reads the tables of a reduction tree for a block of headers. Each table is read for all headers
 * of the block before the next one, so that the processor overlaps the cache misses of many
 * headers. Immutable, thread-safe.
 */
public final class RfcTables {
    /** Most headers of a block. */
    public static final int BLOCK = PrefixSearch.BLOCK;

    /**
     * For images of up to so many words, 16-bit tables are copied to arrays of 16-bit entries,
     * which are faster to read.
     */
    private static final int COPY_UP_TO_WORDS = 8 << 20;

    private static final char[] NOT_COPIED = {};

    private final int[] words;
    private final Step[] steps;

    private record Step(
            int kind,
            int mode,
            int table,
            int[] record,
            char[] narrow,
            BitmapTable.@Nullable Place bitmap) {}

    /**
     * Tables in an image's memory.
     *
     * @param words the image
     * @param records offset of the records of the steps
     * @param count number of steps
     * @param tablesEnd where the last table ends
     */
    public RfcTables(int[] words, int records, int count, int tablesEnd) {
        this.words = words;
        steps = new Step[count];
        for (int s = 0; s < count; s++) {
            int at = records + s * RfcLayout.RECORD;
            int[] record = Arrays.copyOfRange(words, at, at + RfcLayout.RECORD);
            int mode = record[RfcLayout.MODE];
            int table = record[RfcLayout.TABLE];
            int end =
                    s + 1 == count ? words.length : words[at + RfcLayout.RECORD + RfcLayout.TABLE];
            boolean copy = mode == RfcLayout.PLAIN_16 && words.length <= COPY_UP_TO_WORDS;
            steps[s] =
                    new Step(
                            record[RfcLayout.KIND],
                            mode,
                            table,
                            record,
                            copy ? narrow(words, table, end) : NOT_COPIED,
                            mode == RfcLayout.BITMAP ? bitmap(words, record) : null);
        }
    }

    private static BitmapTable.Place bitmap(int[] words, int[] record) {
        return BitmapTable.Place.of(
                words,
                record[RfcLayout.TABLE],
                record[RfcLayout.ACCESSORY],
                new BitmapTable.Form(
                        record[RfcLayout.PIECE_BITS],
                        record[RfcLayout.PIECE_WORDS],
                        record[RfcLayout.ELEMENTS]),
                record[RfcLayout.WIDE] != 0);
    }

    /** Words as the halves that they hold, the lower ones first. */
    public static char[] narrow(int[] words, int from, int to) {
        char[] narrow = new char[2 * (to - from)];
        for (int i = from; i < to; i++) {
            narrow[2 * (i - from)] = (char) words[i];
            narrow[2 * (i - from) + 1] = (char) (words[i] >>> 16);
        }
        return narrow;
    }

    /** Number of steps. */
    public int steps() {
        return steps.length;
    }

    /**
     * The entries of the tables for a block of headers.
     *
     * @param h flat memory of the batch
     * @param capacity distance of two words of a header there
     * @param from first header of the block
     * @param n headers of the block, at most {@link #BLOCK}
     * @return for each step n entries, valid until the thread's next call
     */
    public int[][] read(int[] h, int capacity, int from, int n) {
        int[][] classes = Scratch.OF_THREAD.get().classes(steps.length);
        for (int s = 0; s < steps.length; s++) {
            Step step = steps[s];
            int[] out = classes[s];
            index(step, h, capacity, from, n, classes, out);
            read(step, n, out);
        }
        return classes;
    }

    /** Index into a step's table for each header. */
    private static void index(
            Step step, int[] h, int capacity, int from, int n, int[][] classes, int[] out) {
        int[] record = step.record;
        switch (step.kind) {
            case RfcLayout.CHUNK -> {
                if (record[RfcLayout.POSITION] == RfcLayout.NO_POSITION) {
                    Arrays.fill(out, 0, n, 0);
                } else if (record[RfcLayout.ABOVE] != 0) {
                    level(
                            h,
                            record[RfcLayout.POSITION] * capacity + from,
                            n,
                            record[RfcLayout.SHIFT],
                            record[RfcLayout.MASK],
                            classes[record[RfcLayout.ABOVE] - 1],
                            record[RfcLayout.LOWER_BITS],
                            out);
                } else if (record[RfcLayout.UPPER_MASK] == 0) {
                    int base = record[RfcLayout.POSITION] * capacity + from;
                    chunk(h, base, n, record[RfcLayout.SHIFT], record[RfcLayout.MASK], out);
                } else {
                    chunk(h, record[RfcLayout.POSITION] * capacity + from, n, record, out);
                }
            }
            case RfcLayout.ONE_INPUT ->
                    System.arraycopy(classes[record[RfcLayout.FIRST_STEP]], 0, out, 0, n);
            case RfcLayout.TWO_INPUTS ->
                    pair(
                            classes[record[RfcLayout.FIRST_STEP]],
                            record[RfcLayout.FIRST_STRIDE],
                            classes[record[RfcLayout.SECOND_STEP]],
                            n,
                            out);
            default ->
                    triple(
                            classes[record[RfcLayout.FIRST_STEP]],
                            record[RfcLayout.FIRST_STRIDE],
                            classes[record[RfcLayout.SECOND_STEP]],
                            record[RfcLayout.SECOND_STRIDE],
                            classes[record[RfcLayout.THIRD_STEP]],
                            n,
                            out);
        }
    }

    private static void chunk(int[] h, int base, int n, int shift, int mask, int[] out) {
        for (int i = 0; i < n; i++) {
            out[i] = h[base + i] >>> shift & mask;
        }
    }

    private static void chunk(int[] h, int base, int n, int[] record, int[] out) {
        int shift = record[RfcLayout.SHIFT];
        int mask = record[RfcLayout.MASK];
        int upperShift = record[RfcLayout.UPPER_SHIFT];
        int upperMask = record[RfcLayout.UPPER_MASK];
        int lowerBits = record[RfcLayout.LOWER_BITS];
        for (int i = 0; i < n; i++) {
            int word = h[base + i];
            out[i] = word >>> shift & mask | (word >>> upperShift & upperMask) << lowerBits;
        }
    }

    private static void level(
            int[] h, int base, int n, int shift, int mask, int[] above, int bits, int[] out) {
        for (int i = 0; i < n; i++) {
            out[i] = (above[i] << bits) + (h[base + i] >>> shift & mask);
        }
    }

    private static void pair(int[] a, int strideA, int[] b, int n, int[] out) {
        for (int i = 0; i < n; i++) {
            out[i] = a[i] * strideA + b[i];
        }
    }

    private static void triple(
            int[] a, int strideA, int[] b, int strideB, int[] c, int n, int[] out) {
        for (int i = 0; i < n; i++) {
            out[i] = a[i] * strideA + b[i] * strideB + c[i];
        }
    }

    /** Replaces each index by the table's entry. */
    private void read(Step step, int n, int[] out) {
        BitmapTable.Place bitmap = step.bitmap;
        if (bitmap != null) {
            Scratch scratch = Scratch.OF_THREAD.get();
            BitmapTable.read(words, bitmap, n, out, scratch.rare, scratch.indices);
        } else if (step.mode == RfcLayout.PLAIN_16 && step.narrow.length > 0) {
            readNarrow(step.narrow, n, out);
        } else if (step.mode == RfcLayout.PLAIN_16) {
            readHalves(words, step.table, n, out);
        } else {
            readWords(words, step.table, n, out);
        }
    }

    private static void readNarrow(char[] table, int n, int[] out) {
        for (int i = 0; i < n; i++) {
            out[i] = table[out[i]];
        }
    }

    private static void readHalves(int[] w, int table, int n, int[] out) {
        for (int i = 0; i < n; i++) {
            int index = out[i];
            out[i] = w[table + (index >>> 1)] >>> (index << 4) & 0xffff;
        }
    }

    private static void readWords(int[] w, int table, int n, int[] out) {
        for (int i = 0; i < n; i++) {
            out[i] = w[table + out[i]];
        }
    }

    private static final class Scratch {
        static final ThreadLocal<Scratch> OF_THREAD = ThreadLocal.withInitial(Scratch::new);
        final int[] rare = new int[BLOCK + 1];
        final int[] indices = new int[BLOCK + 1];
        private int[][] classes = new int[0][];

        int[][] classes(int steps) {
            if (classes.length < steps) {
                classes = new int[steps][BLOCK];
            }
            return classes;
        }
    }
}
