package dev.sluice.engine.crossproduct;

import dev.sluice.engine.image.BuildMeter;
import dev.sluice.engine.image.WordWriter;
import dev.sluice.engine.prefix.Prefix;
import dev.sluice.engine.prefix.PrefixSet;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * One group of all rules for policies between few prefixes with few classes: a cell for every pair
 * of prefixes names a row, which has the best rule for each class. Equal rows are stored once. So a
 * look-up reads two words behind its prefixes and its class. Made source by source: of the rules
 * whose source contains it, best first, each takes the classes and destinations that are still
 * open. Immutable.
 */
final class VerdictMatrix implements GroupPrefixes {
    /** Classes at most: with more, rows are long and mostly alike. */
    static final int MOST_CLASSES = 96;

    private final PrefixSet[] prefixes;

    /** Number of the row of each cell, from 1 on; 0 where no rule matches. */
    private final int[] cells;

    private final int[] rows;
    private final int rowCount;
    private final int classes;

    private VerdictMatrix(
            PrefixSet[] prefixes, int[] cells, int[] rows, int rowCount, int classes) {
        this.prefixes = prefixes;
        this.cells = cells;
        this.rows = rows;
        this.rowCount = rowCount;
        this.classes = classes;
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
        long cells = (prefixes[0].size() + 1L) * (prefixes[1].size() + 1L);
        long mostRows = Math.min(limits.matrixBytes(), meter.budgetBytes()) / (4L * classes);
        if (classes > MOST_CLASSES || cells > limits.matrixCells() || mostRows < 2) {
            return null;
        }
        long held = 4 * (cells + (prefixes[1].size() + 1L) * classes);
        meter.hold(held);
        Painter painter =
                new Painter(prefixes, prefixOf, kindOf, classesOf, classes, mostRows, meter);
        boolean fits = painter.paint();
        meter.release(held + 4L * painter.rows.length);
        return fits
                ? new VerdictMatrix(
                        prefixes, painter.cells, painter.rows, painter.rowCount, classes)
                : null;
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
        int columns = prefixes[1].size() + 1;
        int table = out.append(cells, vector);
        out.set(record + CrossproductLayout.CELLS, table);
        out.set(record + CrossproductLayout.GROUP_FORM, CrossproductLayout.DIRECT);
        out.set(record + CrossproductLayout.BEST, 0);
        out.set(record + CrossproductLayout.WIDTH, columns);
        int first = out.append(Arrays.copyOf(rows, rowCount * classes), 1);
        for (int c = 0; c < cells.length; c++) {
            if (cells[c] > 0) {
                out.set(table + c, first + (cells[c] - 1) * classes);
            }
        }
    }

    /** The matrix while it is made. */
    private static final class Painter {
        private final PrefixSet[] prefixes;
        private final int[] kindOf;
        private final int[][] classesOf;
        private final int classes;
        private final long mostRows;
        private final BuildMeter meter;

        /** Positions of the rules of each source prefix, ascending. */
        private final int[][] rulesOf;

        /** Index of each rule's destination prefix. */
        private final int[] destinationOf;

        /** For the source at hand, for each destination prefix and class the best rule. */
        private final int[] best;

        final int[] cells;
        int[] rows;
        int rowCount;

        /** Numbers of rows by hash, 0 for none; at most half full. */
        private int[] table = new int[1 << 12];

        Painter(
                PrefixSet[] prefixes,
                Prefix[][] prefixOf,
                int[] kindOf,
                int[][] classesOf,
                int classes,
                long mostRows,
                BuildMeter meter) {
            this.prefixes = prefixes;
            this.kindOf = kindOf;
            this.classesOf = classesOf;
            this.classes = classes;
            this.mostRows = mostRows;
            this.meter = meter;
            int columns = prefixes[1].size() + 1;
            cells = new int[(prefixes[0].size() + 1) * columns];
            best = new int[prefixes[1].size() * classes];
            rows = new int[classes << 10];
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

        /** Whether all rows fit. */
        boolean paint() {
            int columns = prefixes[1].size() + 1;
            int[][] around = new int[prefixes[0].size()][];
            for (int s = 0; s < around.length; s++) {
                int parent = prefixes[0].parent[s];
                // A parent comes before its children, and its rules hold for them, too.
                around[s] = parent < 0 ? rulesOf[s] : merged(around[parent], rulesOf[s]);
                meter.work(around[s].length);
                Arrays.fill(best, CrossproductLayout.NO_RULE);
                for (int r : around[s]) {
                    take(r);
                }
                for (int d = 0; d < prefixes[1].size(); d++) {
                    int row = row(d * classes);
                    if (row < 0) {
                        return false;
                    }
                    cells[(s + 1) * columns + d + 1] = row;
                }
            }
            return true;
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
                    int at = d * classes + c;
                    best[at] = Math.min(best[at], rule);
                }
            }
        }

        /** Number of the row at an offset of {@link #best}; 0 for none, -1 if there is no room. */
        private int row(int at) {
            int least = CrossproductLayout.NO_RULE;
            for (int c = 0; c < classes; c++) {
                least = Math.min(least, best[at + c]);
            }
            if (least == CrossproductLayout.NO_RULE) {
                return 0;
            }
            int place = hash(best, at) & table.length - 1;
            while (table[place] != 0) {
                int other = (table[place] - 1) * classes;
                if (Arrays.equals(rows, other, other + classes, best, at, at + classes)) {
                    return table[place];
                }
                place = place + 1 & table.length - 1;
            }
            if (rowCount == mostRows) {
                return -1;
            }
            add(at, place);
            return rowCount;
        }

        private void add(int at, int place) {
            int end = (rowCount + 1) * classes;
            if (end > rows.length) {
                meter.hold(4L * rows.length);
                long words = Math.min(2L * rows.length, mostRows * classes);
                rows = Arrays.copyOf(rows, (int) Math.max(end, words));
            }
            System.arraycopy(best, at, rows, rowCount * classes, classes);
            table[place] = ++rowCount;
            if (2 * rowCount > table.length) {
                table = new int[2 * table.length];
                for (int row = 0; row < rowCount; row++) {
                    int to = hash(rows, row * classes) & table.length - 1;
                    while (table[to] != 0) {
                        to = to + 1 & table.length - 1;
                    }
                    table[to] = row + 1;
                }
            }
        }

        private int hash(int[] words, int at) {
            long hash = 0;
            for (int c = 0; c < classes; c++) {
                hash = (hash ^ words[at + c]) * 0x9e3779b97f4a7c15L;
                hash ^= hash >>> 29;
            }
            return (int) (hash >>> 32);
        }
    }
}
