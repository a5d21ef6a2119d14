package dev.sluice.engine.crossproduct;

import dev.sluice.engine.crossproduct.model.CrossproductLayout;
import dev.sluice.engine.crossproduct.model.CrossproductLimits;
import dev.sluice.engine.crossproduct.model.GroupPrefixes;
import dev.sluice.engine.crossproduct.model.RuleKinds;
import dev.sluice.engine.image.BuildMeter;
import dev.sluice.engine.image.WordWriter;
import dev.sluice.engine.memory.NumberedLists;
import dev.sluice.engine.prefix.PrefixSet;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * One group of all rules for policies between few prefixes: a cell for every pair of prefixes and
 * {@link CrossproductLayout#PIECE} classes names a row, which has the best rule for each of these
 * classes. Equal rows are stored once. So a look-up reads two words behind its prefixes and its
 * class, however many kinds there are. Made source by source: each rule whose source contains it
 * lowers the best rule of its destinations and classes. Immutable.
 *
 * @param cells number of the row of each cell; row 0 has no rule
 */
record VerdictMatrix(PrefixSet[] prefixes, int[] cells, int[] rows, int pieces)
        implements GroupPrefixes {
    /**
     * Part of a build's remaining work that painting may take, as a divisor: else lists are made,
     * as quickly.
     */
    private static final int WORK_SHARE = 4;

    private static final int PIECE = CrossproductLayout.PIECE;

    /**
     * Returns whether a matrix over so many classes may be small enough: what {@link #of} asks
     * first.
     *
     * @param prefixes source and destination prefixes of all rules
     */
    static boolean mayFit(
            PrefixSet[] prefixes, int classes, CrossproductLimits limits, BuildMeter meter) {
        return 4 * cells(prefixes, classes) <= most(limits, meter) / 2;
    }

    private static long cells(PrefixSet[] prefixes, int classes) {
        return (prefixes[0].size() + 1L) * (prefixes[1].size() + 1L) * pieces(classes);
    }

    private static int pieces(int classes) {
        return (classes + PIECE - 1) / PIECE;
    }

    private static long most(CrossproductLimits limits, BuildMeter meter) {
        return Math.min(limits.matrixBytes(), meter.budgetBytes());
    }

    /**
     * Makes the matrix of all rules.
     *
     * @param kinds prefixes and kind of each rule
     * @param classesOf for each kind the classes in which it holds
     * @param classes number of classes
     * @param limits decide how large it may become
     * @param meter counts what is done and held
     * @return null if it would become larger, or take too much of the work that is left
     */
    static @Nullable VerdictMatrix of(
            RuleKinds kinds,
            int[][] classesOf,
            int classes,
            CrossproductLimits limits,
            BuildMeter meter) {
        PrefixSet[] prefixes = kinds.prefixes;
        if (!mayFit(prefixes, classes, limits, meter)
                || work(kinds, classesOf) > meter.workLeft() / WORK_SHARE) {
            return null;
        }
        int pieces = pieces(classes);
        long columns = (prefixes[1].size() + 1L) * pieces;
        long cells = cells(prefixes, classes);
        long most = most(limits, meter);
        long held = 4 * (cells + columns * PIECE);
        meter.hold(held);
        Painter painter = new Painter(kinds, classesOf, pieces, meter);
        boolean fits = painter.paint((most / 4 - cells) / PIECE);
        meter.release(held);
        painter.rows.forget();
        return fits
                ? new VerdictMatrix(prefixes, painter.cells, painter.rows.items(), pieces)
                : null;
    }

    /** Verdicts that the rules lower together: each for its sources, destinations and classes. */
    private static long work(RuleKinds kinds, int[][] classesOf) {
        long work = 0;
        for (int r = 0; r < kinds.kindOf.length; r++) {
            work +=
                    (long) kinds.prefixes[0].descendants(kinds.prefixOf[0][r])
                            * kinds.prefixes[1].descendants(kinds.prefixOf[1][r])
                            * classesOf[kinds.kindOf[r]].length;
        }
        return work;
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
        final NumberedLists rows;

        Painter(RuleKinds kinds, int[][] classesOf, int pieces, BuildMeter meter) {
            this.prefixes = kinds.prefixes;
            this.kindOf = kinds.kindOf;
            this.classesOf = classesOf;
            this.pieces = pieces;
            this.meter = meter;
            cells = new int[(prefixes[0].size() + 1) * (prefixes[1].size() + 1) * pieces];
            best = new int[prefixes[1].size() * pieces * PIECE];
            rows = new NumberedLists(meter);
            Arrays.fill(best, CrossproductLayout.NO_RULE);
            rows.number(best, 0, PIECE);
            destinationOf = kinds.prefixOf[1];
            int[] sourceOf = kinds.prefixOf[0];
            int[] counts = new int[prefixes[0].size()];
            for (int source : sourceOf) {
                counts[source]++;
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
            for (int s = 0; s < around.length && rows.count() <= mostRows; s++) {
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
                    cells[first + piece] = rows.number(best, piece * PIECE, (piece + 1) * PIECE);
                }
            }
            return rows.count() <= mostRows;
        }

        private static int[] merged(int[] a, int[] b) {
            int[] both = Arrays.copyOf(a, a.length + b.length);
            System.arraycopy(b, 0, both, a.length, b.length);
            Arrays.sort(both);
            return both;
        }

        /** Lowers the best rule of a rule's destinations and classes to it. */
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
    }
}
