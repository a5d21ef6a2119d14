package dev.sluice.engine.crossproduct;

import dev.sluice.engine.image.BuildMeter;
import dev.sluice.engine.image.WordWriter;
import dev.sluice.engine.prefix.Prefix;
import dev.sluice.engine.prefix.PrefixSet;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * One group of all rules for policies between few prefixes with few classes: a cell for every pair
 * of prefixes and {@link CrossproductLayout#PIECE} classes names a row, which has the best rule for
 * each of these classes. Equal rows are stored once. So a look-up reads two words behind its
 * prefixes and its class. Made source by source: each rule whose source contains it lowers the best
 * rule of its destinations and classes. Immutable.
 */
final class VerdictMatrix implements GroupPrefixes {
    /** Classes at most: with more, rows are long and mostly alike. */
    static final int MOST_CLASSES = 96;

    private static final int PIECE = CrossproductLayout.PIECE;

    private final PrefixSet[] prefixes;

    /** Number of the row of each cell; row 0 has no rule. */
    private final int[] cells;

    private final int[] rows;
    private final int pieces;

    private VerdictMatrix(PrefixSet[] prefixes, int[] cells, int[] rows, int pieces) {
        this.prefixes = prefixes;
        this.cells = cells;
        this.rows = rows;
        this.pieces = pieces;
    }

    /**
     * Makes the matrix of all rules.
     *
     * @param prefixOf source and destination prefix of each rule
     * @param kindOf kind of each rule
     * @param classesOf for each kind the classes in which it holds
     * @param classes number of classes
     * @param limits decide how large it may become
     * @param meter counts what is done and held
     * @return null if it would become larger
     */
    static @Nullable VerdictMatrix of(
            Prefix[][] prefixOf,
            int[] kindOf,
            int[][] classesOf,
            int classes,
            CrossproductLimits limits,
            BuildMeter meter) {
        PrefixSet[] prefixes = {
            new PrefixSet(Arrays.asList(prefixOf[0])), new PrefixSet(Arrays.asList(prefixOf[1]))
        };
        int pieces = (classes + PIECE - 1) / PIECE;
        long columns = (prefixes[1].size() + 1L) * pieces;
        long cells = (prefixes[0].size() + 1L) * columns;
        long most = Math.min(limits.matrixBytes(), meter.budgetBytes());
        if (classes > MOST_CLASSES || 4 * cells > most / 2) {
            return null;
        }
        long held = 4 * (cells + columns * PIECE);
        meter.hold(held);
        Painter painter = new Painter(prefixes, prefixOf, kindOf, classesOf, pieces, meter);
        boolean fits = painter.paint((most / 4 - cells) / PIECE);
        meter.release(held);
        return fits ? new VerdictMatrix(prefixes, painter.cells, painter.rows(), pieces) : null;
    }

    @Override
    public PrefixSet prefixes(int address) {
        return prefixes[address];
    }

    @Override
    public int field(int address, int number) {
        return number;
    }

    @Override
    public int bits(int address) {
        return 32 - Integer.numberOfLeadingZeros(prefixes[address].size());
    }

    /** Writes the cells and their rows, and the group's record. */
    void write(WordWriter out, int record, int vector) {
        int table = out.append(cells, vector);
        out.set(record + CrossproductLayout.CELLS, table);
        out.set(record + CrossproductLayout.GROUP_FORM, CrossproductLayout.DIRECT);
        out.set(record + CrossproductLayout.BEST, 0);
        out.set(record + CrossproductLayout.WIDTH, prefixes[1].size() + 1);
        out.set(record + CrossproductLayout.PIECES, pieces);
        int first = out.append(rows, PIECE);
        for (int c = 0; c < cells.length; c++) {
            out.set(table + c, first + cells[c] * PIECE);
        }
    }

    /** The matrix while it is made. */
    private static final class Painter {
        private final PrefixSet[] prefixes;
        private final int[] kindOf;
        private final int[][] classesOf;
        private final int pieces;
        private final BuildMeter meter;

        /** Positions of the rules of each source prefix, ascending. */
        private final int[][] rulesOf;

        /** Index of each rule's destination prefix. */
        private final int[] destinationOf;

        /** For the source at hand, for each destination prefix and class the best rule. */
        private final int[] best;

        final int[] cells;
        private int[] rows = new int[PIECE << 10];
        private int rowCount = 1;

        /** Numbers of rows by hash, 0 for none; at most half full. */
        private int[] table = new int[1 << 12];

        Painter(
                PrefixSet[] prefixes,
                Prefix[][] prefixOf,
                int[] kindOf,
                int[][] classesOf,
                int pieces,
                BuildMeter meter) {
            this.prefixes = prefixes;
            this.kindOf = kindOf;
            this.classesOf = classesOf;
            this.pieces = pieces;
            this.meter = meter;
            cells = new int[(prefixes[0].size() + 1) * (prefixes[1].size() + 1) * pieces];
            best = new int[prefixes[1].size() * pieces * PIECE];
            Arrays.fill(rows, 0, PIECE, CrossproductLayout.NO_RULE);
            destinationOf = new int[kindOf.length];
            int[] counts = new int[prefixes[0].size()];
            int[] sourceOf = new int[kindOf.length];
            for (int r = 0; r < kindOf.length; r++) {
                sourceOf[r] = prefixes[0].indexOf(prefixOf[0][r]);
                destinationOf[r] = prefixes[1].indexOf(prefixOf[1][r]);
                counts[sourceOf[r]]++;
            }
            rulesOf = new int[counts.length][];
            Arrays.setAll(rulesOf, s -> new int[counts[s]]);
            Arrays.fill(counts, 0);
            for (int r = 0; r < kindOf.length; r++) {
                rulesOf[sourceOf[r]][counts[sourceOf[r]]++] = r;
            }
        }

        /** Makes all rows; returns false if they become more than so many. */
        boolean paint(long mostRows) {
            int columns = prefixes[1].size() + 1;
            int[][] around = new int[prefixes[0].size()][];
            for (int s = 0; s < around.length && rowCount <= mostRows; s++) {
                int parent = prefixes[0].parent[s];
                // A parent comes before its children, and its rules hold for them, too.
                around[s] = parent < 0 ? rulesOf[s] : merged(around[parent], rulesOf[s]);
                meter.work(around[s].length);
                Arrays.fill(best, CrossproductLayout.NO_RULE);
                for (int r : around[s]) {
                    take(r);
                }
                int first = ((s + 1) * columns + 1) * pieces;
                for (int piece = 0; piece < prefixes[1].size() * pieces; piece++) {
                    cells[first + piece] = row(piece * PIECE);
                }
            }
            return rowCount <= mostRows;
        }

        /** The rows, row 0 first. */
        int[] rows() {
            return Arrays.copyOf(rows, rowCount * PIECE);
        }

        private static int[] merged(int[] a, int[] b) {
            int[] both = Arrays.copyOf(a, a.length + b.length);
            System.arraycopy(b, 0, both, a.length, b.length);
            Arrays.sort(both);
            return both;
        }

        /** Gives a rule what is open of its destinations and classes. */
        private void take(int rule) {
            int[] held = classesOf[kindOf[rule]];
            int from = destinationOf[rule];
            int to = prefixes[1].end[from];
            meter.work((long) (to - from) * held.length);
            for (int d = from; d < to; d++) {
                for (int c : held) {
                    int at = d * pieces * PIECE + c;
                    best[at] = Math.min(best[at], rule);
                }
            }
        }

        /** Number of the row at an offset of {@link #best}. */
        private int row(int at) {
            int least = CrossproductLayout.NO_RULE;
            for (int c = 0; c < PIECE; c++) {
                least = Math.min(least, best[at + c]);
            }
            if (least == CrossproductLayout.NO_RULE) {
                return 0;
            }
            int place = hash(best, at) & table.length - 1;
            while (table[place] != 0) {
                int other = table[place] * PIECE;
                if (Arrays.equals(rows, other, other + PIECE, best, at, at + PIECE)) {
                    return table[place];
                }
                place = place + 1 & table.length - 1;
            }
            if ((rowCount + 1) * PIECE > rows.length) {
                meter.hold(4L * rows.length);
                rows = Arrays.copyOf(rows, 2 * rows.length);
            }
            System.arraycopy(best, at, rows, rowCount * PIECE, PIECE);
            table[place] = rowCount++;
            if (2 * rowCount > table.length) {
                grow();
            }
            return rowCount - 1;
        }

        private void grow() {
            meter.hold(4L * table.length);
            table = new int[2 * table.length];
            for (int row = 1; row < rowCount; row++) {
                int to = hash(rows, row * PIECE) & table.length - 1;
                while (table[to] != 0) {
                    to = to + 1 & table.length - 1;
                }
                table[to] = row;
            }
        }

        private static int hash(int[] words, int at) {
            long hash = 0;
            for (int c = 0; c < PIECE; c++) {
                hash = (hash ^ words[at + c]) * 0x9e3779b97f4a7c15L;
                hash ^= hash >>> 29;
            }
            return (int) (hash >>> 32);
        }
    }
}
