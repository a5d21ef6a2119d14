package dev.sluice.engine.bitvector;

import dev.sluice.engine.image.Image;
import dev.sluice.engine.lookup.CompiledClassifier;
import dev.sluice.engine.lookup.VerdictBatch;
import dev.sluice.schemas.header.HeaderBatch;
import java.util.Arrays;

/**
 * Finds the range of each field for a block of headers, then intersects the bitvectors header by
 * header. Thread-safe.
 */
public final class BitvectorClassifier extends CompiledClassifier {
    private static final int BLOCK = 256;

    /** Parts that a search divides a list of bounds into at a time. */
    private static final int PARTS = 32;

    private final int fields;
    private final int count;
    private final int vector;

    /** A classifier over an image of this algorithm. */
    public BitvectorClassifier(Image image) {
        super(image);
        fields = words[BitvectorLayout.FIELDS_AT];
        count = words[BitvectorLayout.COUNT_AT];
        vector = words[BitvectorLayout.VECTOR_WORDS_AT];
    }

    @Override
    protected void search(HeaderBatch headers, int[] verdicts) {
        Scratch scratch = Scratch.OF_THREAD.get();
        int[] at = scratch.room(count * BLOCK);
        int[] h = headers.words();
        for (int from = 0; from < headers.size(); from += BLOCK) {
            int n = Math.min(BLOCK, headers.size() - from);
            for (int f = 0; f < count; f++) {
                int record = fields + f * BitvectorLayout.RECORD;
                int base = words[record + BitvectorLayout.POSITION] * headers.capacity() + from;
                int shift = words[record + BitvectorLayout.SHIFT];
                int bits = words[record + BitvectorLayout.BITS];
                int mask = bits == 32 ? -1 : (1 << bits) - 1;
                for (int i = 0; i < n; i++) {
                    at[f * BLOCK + i] = range(record, bits, h[base + i] >>> shift & mask);
                }
            }
            for (int i = 0; i < n; i++) {
                verdicts[from + i] = first(at, i);
            }
        }
    }

    /** Offset of the bitvector of a value's range, -1 if no rule covers it. */
    private int range(int record, int bits, int value) {
        int ranges = words[record + BitvectorLayout.RANGES];
        int perWord = BitvectorCompiler.perWord(bits);
        int lows = words[record + BitvectorLayout.LOWS];
        int from = 0;
        int to = ranges;
        // Invariant: the last low bound that is not above the value is in from..to-1, if any.
        while (to - from > 1) {
            int step = (to - from + PARTS - 1) / PARTS;
            int below = 0;
            for (int k = from + step; k < to; k += step) {
                below += Integer.compareUnsigned(bound(lows, perWord, k), value) <= 0 ? 1 : 0;
            }
            from += below * step;
            to = Math.min(to, from + step);
        }
        if (ranges == 0
                || Integer.compareUnsigned(bound(lows, perWord, from), value) > 0
                || Integer.compareUnsigned(
                                bound(words[record + BitvectorLayout.HIGHS], perWord, from), value)
                        < 0) {
            return -1;
        }
        return words[record + BitvectorLayout.VECTORS] + from * BitvectorLayout.rangeWords(vector);
    }

    private int bound(int bounds, int perWord, int index) {
        return switch (perWord) {
            case 4 -> words[bounds + (index >>> 2)] >>> 8 * (index & 3) & 0xff;
            case 2 -> words[bounds + (index >>> 1)] >>> 16 * (index & 1) & 0xffff;
            default -> words[bounds + index];
        };
    }

    /** Position of the first rule whose bit is set in the bitvectors of all fields. */
    private int first(int[] at, int i) {
        int[] w = words;
        for (int f = 0; f < count; f++) {
            if (at[f * BLOCK + i] < 0) {
                return VerdictBatch.MISS;
            }
        }
        if (count == 0) {
            return image().rules() == 0 ? VerdictBatch.MISS : 0;
        }
        int aggregate = BitvectorLayout.aggregateWords(vector);
        for (int a = 0; a < aggregate; a++) {
            int candidates = -1;
            for (int f = 0; f < count; f++) {
                candidates &= w[at[f * BLOCK + i] + a];
            }
            for (; candidates != 0; candidates &= candidates - 1) {
                int v = 32 * a + Integer.numberOfTrailingZeros(candidates);
                long both = -1;
                for (int f = 0; f < count && both != 0; f++) {
                    int word = at[f * BLOCK + i] + aggregate + 2 * v;
                    both &= w[word] & 0xffffffffL | (long) w[word + 1] << 32;
                }
                if (both != 0) {
                    return 64 * v + Long.numberOfTrailingZeros(both);
                }
            }
        }
        return VerdictBatch.MISS;
    }

    private static final class Scratch {
        static final ThreadLocal<Scratch> OF_THREAD = ThreadLocal.withInitial(Scratch::new);
        private int[] ranges = new int[0];

        int[] room(int size) {
            if (ranges.length < size) {
                ranges = Arrays.copyOf(ranges, size);
            }
            return ranges;
        }
    }
}
