package dev.sluice.engine.rfc;

import dev.sluice.engine.image.BuildMeter;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.Map;

/**
 * The classes of one part as the columns of a product: which of them each rule allows, and which
 * rules allow whatever another one does there. Rules that allow the same classes share a
 * projection. Immutable once made; not thread-safe while it is.
 *
 * @param rules rules of each class, 64 a word
 * @param projectionOf projection of each rule
 * @param columns classes that the rules of a projection allow, ascending
 * @param covering projections that allow whatever a projection does, 64 a word; empty if unknown
 */
record RuleColumns(long[][] rules, int[] projectionOf, int[][] columns, long[][] covering)
        implements ClassRules {
    /**
     * Projections of which is known which contains which, at most: a bit for each two; beyond, one
     * contains only itself.
     */
    private static final int MOST_COMPARED = 1 << 13;

    /** The same, in words that are compared: a tenth of a second. */
    private static final long MOST_COMPARED_WORDS = 1 << 27;

    /**
     * Columns of a part's classes.
     *
     * @param part rules of each class, 64 a word
     * @param size number of rules
     * @param meter counts what is done, and holds what they take from now on
     */
    static RuleColumns of(RfcPart part, int size, BuildMeter meter) {
        int classes = part.classes();
        int words = (classes + 63) / 64;
        meter.hold((long) size * (Long.BYTES * words + Integer.BYTES));
        long[][] allowed = new long[size][words];
        for (int c = 0; c < classes; c++) {
            long[] bits = part.rules()[c];
            for (int w = 0; w < bits.length; w++) {
                for (long left = bits[w]; left != 0; left &= left - 1) {
                    int rule = 64 * w + Long.numberOfTrailingZeros(left);
                    allowed[rule][c >> 6] |= 1L << c;
                }
            }
            meter.work(bits.length);
        }
        int[] projectionOf = new int[size];
        Map<BitSet, Integer> numbers = new HashMap<>();
        int[][] columns = new int[size][];
        for (int r = 0; r < size; r++) {
            BitSet key = BitSet.valueOf(allowed[r]);
            Integer known = numbers.putIfAbsent(key, numbers.size());
            int projection = known == null ? numbers.size() - 1 : known;
            if (known == null) {
                columns[projection] = key.stream().toArray();
                meter.hold((long) Integer.BYTES * columns[projection].length);
            }
            projectionOf[r] = projection;
            meter.work(words);
        }
        meter.release((long) size * Long.BYTES * words);
        columns = Arrays.copyOf(columns, numbers.size());
        return new RuleColumns(
                part.rules(), projectionOf, columns, covering(columns, classes, meter));
    }

    /** For each projection a bit for each that contains it. */
    private static long[][] covering(int[][] columns, int classes, BuildMeter meter) {
        int projections = columns.length;
        int words = (projections + 63) / 64;
        long compared = Arrays.stream(columns).mapToLong(list -> (long) words * list.length).sum();
        if (projections > MOST_COMPARED || compared > MOST_COMPARED_WORDS) {
            return new long[0][];
        }
        meter.hold((long) Long.BYTES * words * projections);
        long scratchBytes = (long) Long.BYTES * words * classes;
        meter.hold(scratchBytes);
        long[][] having = new long[classes][words];
        for (int p = 0; p < projections; p++) {
            for (int c : columns[p]) {
                having[c][p >> 6] |= 1L << p;
            }
        }
        long[][] covering = new long[projections][words];
        for (int p = 0; p < projections; p++) {
            Arrays.fill(covering[p], -1L);
            for (int c : columns[p]) {
                for (int w = 0; w < words; w++) {
                    covering[p][w] &= having[c][w];
                }
            }
            meter.work((long) words * columns[p].length);
        }
        meter.release(scratchBytes);
        return covering;
    }

    /** Number of sets of classes that some rule allows. */
    int projections() {
        return columns.length;
    }

    /** The classes that a rule allows, ascending. */
    int[] columns(int rule) {
        return columns[projectionOf[rule]];
    }

    /** Returns whether a rule of one projection allows here whatever one of another does. */
    boolean covers(int projection, int other) {
        return projection == other
                || covering.length > 0
                        && (covering[other][projection >> 6] >>> projection & 1) != 0;
    }

    @Override
    public int count() {
        return rules.length;
    }

    @Override
    public int read(int row, int[] into) {
        int n = 0;
        long[] bits = rules[row];
        for (int w = 0; w < bits.length; w++) {
            for (long left = bits[w]; left != 0; left &= left - 1) {
                into[n++] = 64 * w + Long.numberOfTrailingZeros(left);
            }
        }
        return n;
    }
}
