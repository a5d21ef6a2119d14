package dev.sluice.engine.rfc;

import java.util.Arrays;

/**
 * Reads the tables of a reduction tree for a block of headers, phase by phase: every table is read
 * for all headers of the block before the next, so that the loads of many headers are under way
 * together. Immutable.
 */
public final class RfcTables {
    /** Most headers of a block. */
    public static final int BLOCK = 512;

    /** Images of up to so many words get their 16-bit tables copied into arrays of that width. */
    private static final int COPY_UP_TO_WORDS = 8 << 20;

    private static final char[] NOT_COPIED = {};

    private final int[] words;
    private final Step[] steps;

    private record Step(
            int kind, int mode, int table, int[] own, char[] narrow, BitmapTable.Place bitmap) {}

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
            int[] own = new int[7];
            System.arraycopy(words, at + RfcLayout.POSITION, own, 0, own.length);
            int mode = words[at + RfcLayout.MODE];
            int table = words[at + RfcLayout.TABLE];
            int end =
                    s + 1 == count ? words.length : words[at + RfcLayout.RECORD + RfcLayout.TABLE];
            boolean copy = mode == RfcLayout.PLAIN_16 && words.length <= COPY_UP_TO_WORDS;
            steps[s] =
                    new Step(
                            words[at + RfcLayout.KIND],
                            mode,
                            table,
                            own,
                            copy ? narrow(table, end) : NOT_COPIED,
                            new BitmapTable.Place(
                                    table,
                                    words[at + RfcLayout.ACCESSORY],
                                    new BitmapTable.Form(
                                            words[at + RfcLayout.PIECE_BITS],
                                            words[at + RfcLayout.PIECE_WORDS],
                                            words[at + RfcLayout.ELEMENTS]),
                                    words[at + RfcLayout.WIDE] != 0));
        }
    }

    private char[] narrow(int from, int to) {
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
        int[] own = step.own;
        switch (step.kind) {
            case RfcLayout.CHUNK -> {
                if (own[0] < 0) {
                    Arrays.fill(out, 0, n, 0);
                } else if (own[6] != 0) {
                    level(
                            h,
                            own[0] * capacity + from,
                            n,
                            own[1],
                            own[2],
                            classes[own[6] - 1],
                            own[5],
                            out);
                } else if (own[4] == 0) {
                    chunk(h, own[0] * capacity + from, n, own[1], own[2], out);
                } else {
                    chunk(h, own[0] * capacity + from, n, own, out);
                }
            }
            case 1 -> System.arraycopy(classes[own[0]], 0, out, 0, n);
            case 2 -> pair(classes[own[0]], own[1], classes[own[2]], n, out);
            default ->
                    triple(
                            classes[own[0]],
                            own[1],
                            classes[own[2]],
                            own[3],
                            classes[own[4]],
                            n,
                            out);
        }
    }

    private static void chunk(int[] h, int base, int n, int shift, int mask, int[] out) {
        for (int i = 0; i < n; i++) {
            out[i] = h[base + i] >>> shift & mask;
        }
    }

    private static void chunk(int[] h, int base, int n, int[] own, int[] out) {
        int shift = own[1];
        int mask = own[2];
        int upperShift = own[3];
        int upperMask = own[4];
        int lowerBits = own[5];
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
        if (step.mode == RfcLayout.PLAIN_16 && step.narrow.length > 0) {
            readNarrow(step.narrow, n, out);
        } else if (step.mode == RfcLayout.PLAIN_16) {
            readHalves(words, step.table, n, out);
        } else if (step.mode == RfcLayout.PLAIN_32) {
            readWords(words, step.table, n, out);
        } else {
            Scratch scratch = Scratch.OF_THREAD.get();
            BitmapTable.read(words, step.bitmap, n, out, scratch.rare, scratch.indices);
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
