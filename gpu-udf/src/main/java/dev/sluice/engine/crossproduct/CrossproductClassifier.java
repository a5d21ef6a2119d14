package dev.sluice.engine.crossproduct;

import dev.sluice.engine.image.Image;
import dev.sluice.engine.lookup.Branchless;
import dev.sluice.engine.lookup.CompiledClassifier;
import dev.sluice.engine.lookup.VerdictBatch;
import dev.sluice.engine.rfc.RfcTables;
import dev.sluice.schemas.header.HeaderBatch;

/**
 * Looks a block of headers up phase by phase: the prefixes of both addresses, the class of the
 * other fields, then for each group its cells and their lists. Where a branch would often be
 * mispredicted, a header is appended to a list or not ({@link Branchless}). Thread-safe.
 */
public final class CrossproductClassifier extends CompiledClassifier {
    /** Code of the algorithm in images. */
    static final int CODE = 13;

    private static final int BLOCK = RfcTables.BLOCK;

    private final RfcTables tables;
    private final int classStep;
    private final AddressRows source;
    private final AddressRows destination;
    private final CellGroup[] groups;

    /** The patterns' rows as 16-bit entries; empty in other forms of lists. */
    private final char[] patterns;

    private final int patternEntries;
    private final int listBits;
    private final int lists;
    private final CellSearch cells;
    private final int listForm;
    private final int portsPosition;
    private final IntervalSearch intervals;
    private final int catchAlls;

    /** A classifier over an image of this algorithm. */
    public CrossproductClassifier(Image image) {
        super(image);
        int head = words[CrossproductLayout.HEAD_AT];
        tables =
                new RfcTables(
                        words,
                        words[head + CrossproductLayout.STEPS],
                        words[head + CrossproductLayout.STEP_COUNT],
                        words[head + CrossproductLayout.STEPS_END]);
        classStep = words[head + CrossproductLayout.CLASS_STEP];
        source = new AddressRows(words, head + CrossproductLayout.AXES);
        destination =
                new AddressRows(words, head + CrossproductLayout.AXES + CrossproductLayout.AXIS);
        groups = new CellGroup[words[head + CrossproductLayout.GROUP_COUNT]];
        for (int g = 0; g < groups.length; g++) {
            int record = words[head + CrossproductLayout.GROUPS] + g * CrossproductLayout.RECORD;
            groups[g] = CellGroup.at(words, record);
        }
        int from = words[head + CrossproductLayout.PATTERNS];
        int to = words[head + CrossproductLayout.PATTERNS_END];
        patterns = new char[2 * (to - from)];
        for (int i = from; i < to; i++) {
            patterns[2 * (i - from)] = (char) words[i];
            patterns[2 * (i - from) + 1] = (char) (words[i] >>> 16);
        }
        patternEntries = words[head + CrossproductLayout.PATTERN_ENTRIES];
        listBits = words[head + CrossproductLayout.LIST_BITS];
        lists = words[head + CrossproductLayout.LISTS];
        cells = new CellSearch(words, words[head + CrossproductLayout.CELL_BITS]);
        listForm = words[head + CrossproductLayout.LIST_FORM];
        portsPosition = words[head + CrossproductLayout.PORTS_POSITION];
        intervals = new IntervalSearch(words, words[head + CrossproductLayout.LIST_FLAGS]);
        catchAlls = words[head + CrossproductLayout.CATCH_ALLS];
    }

    @Override
    protected void search(HeaderBatch headers, int[] verdicts) {
        CrossproductScratch scratch = CrossproductScratch.OF_THREAD.get();
        scratch.rows(source.rowWords(), destination.rowWords());
        int[] h = headers.words();
        int capacity = headers.capacity();
        for (int from = 0; from < headers.size(); from += BLOCK) {
            int n = Math.min(BLOCK, headers.size() - from);
            int[][] steps = tables.read(h, capacity, from, n);
            source.rows(h, capacity, from, n, steps, scratch.search, scratch.source);
            destination.rows(h, capacity, from, n, steps, scratch.search, scratch.destination);
            int[] classes = steps[classStep];
            if (listForm == CrossproductLayout.BY_CLASS) {
                matrix(groups[0], classes, n, scratch, verdicts, from);
                continue;
            }
            if (listForm == CrossproductLayout.BY_SERVICE) {
                services(h, portsPosition * capacity + from, n, classes, scratch);
            }
            int[] best = scratch.best;
            for (int i = 0; i < n; i++) {
                best[i] = words[catchAlls + classes[i]];
                scratch.alive[i] = i;
            }
            int alive = n;
            for (int g = 0; g < groups.length; g++) {
                int found = cells.find(groups[g], alive, n, scratch);
                alive = scratch.left;
                switch (listForm) {
                    case CrossproductLayout.BY_PATTERN -> pick(found, classes, scratch);
                    case CrossproductLayout.BY_SERVICE -> intervals.search(found, g == 0, scratch);
                    default -> {
                        while (found > 0) {
                            found = test(found, classes, scratch);
                        }
                    }
                }
            }
            verdicts(best, n, verdicts, from);
        }
    }

    /**
     * Finds the rule of every list: the pattern tells which rule of the list it is. The cell itself
     * names the rule of a list of one; of other lists the rule's position is read.
     */
    private void pick(int found, int[] classes, CrossproductScratch scratch) {
        char[] rows = patterns;
        int entries = patternEntries;
        int shift = listBits;
        int mask = (1 << shift) - 1;
        int rules = image().rules();
        int[] best = scratch.best;
        int[] header = scratch.header;
        int[] at = scratch.at;
        int before = lists - rules - 2;
        int longer = 0;
        for (int k = 0; k < found; k++) {
            int i = header[k];
            int cell = at[k];
            int list = cell & mask;
            int number = rows[(cell >>> shift) * entries + classes[i]];
            int hit = Branchless.maskIfNegative(-number);
            int single = Branchless.maskIfNegative(list - 1 - rules);
            best[i] = Math.min(best[i], list - 1 | ~(hit & single) & Integer.MAX_VALUE);
            header[longer] = i;
            at[longer] = before + list + number;
            longer += hit & ~single & 1;
        }
        int[] w = words;
        for (int k = 0; k < longer; k++) {
            int i = header[k];
            best[i] = Math.min(best[i], w[at[k]]);
        }
    }

    /** Each header's service, as {@link CrossproductLayout#SERVICE_SHIFT} says, and source port. */
    private static void services(
            int[] h, int base, int n, int[] classes, CrossproductScratch scratch) {
        int[] services = scratch.services;
        int[] ports = scratch.ports;
        for (int i = 0; i < n; i++) {
            int both = h[base + i];
            services[i] = classes[i] << CrossproductLayout.SERVICE_SHIFT | both & 0xffff;
            ports[i] = both >>> 16;
        }
    }

    /** Reads the rule of each header's prefixes and class. */
    private void matrix(
            CellGroup group,
            int[] classes,
            int n,
            CrossproductScratch scratch,
            int[] verdicts,
            int from) {
        int[] w = words;
        int first = group.cells();
        int width = group.width();
        int pieces = group.places();
        int[] groupSource = scratch.groupSource;
        int[] groupDestination = scratch.groupDestination;
        int[] at = scratch.at;
        group.numbers(n, scratch);
        for (int i = 0; i < n; i++) {
            at[i] =
                    first
                            + (groupSource[i] * width + groupDestination[i]) * pieces
                            + (classes[i] >>> CrossproductLayout.PIECE_BITS);
        }
        for (int i = 0; i < n; i++) {
            at[i] = w[at[i]] + (classes[i] & CrossproductLayout.PIECE - 1);
        }
        for (int i = 0; i < n; i++) {
            at[i] = w[at[i]];
        }
        verdicts(at, n, verdicts, from);
    }

    private static void verdicts(int[] positions, int n, int[] verdicts, int from) {
        for (int i = 0; i < n; i++) {
            int position = positions[i];
            verdicts[from + i] =
                    position == CrossproductLayout.NO_RULE ? VerdictBatch.MISS : position;
        }
    }

    /** Tests one rule of every list; returns how many lists have another rule that may win. */
    private int test(int lists, int[] classes, CrossproductScratch scratch) {
        int[] w = words;
        int[] best = scratch.best;
        int[] header = scratch.header;
        int[] at = scratch.at;
        int left = 0;
        for (int k = 0; k < lists; k++) {
            int i = header[k];
            int entry = at[k];
            int row = w[entry + CrossproductLayout.LIST_ROW];
            int last = w[entry + CrossproductLayout.LIST_POSITION];
            int position = last & CrossproductLayout.UNMARKED;
            int c = classes[i];
            int better = Branchless.lessThan(position, best[i]);
            int hit = better & w[row + (c >>> 5)] >>> c;
            best[i] += position - best[i] & -hit;
            header[left] = i;
            at[left] = entry + CrossproductLayout.LISTED;
            left += better & ~hit & ~Branchless.isNegative(last);
        }
        return left;
    }
}
