package dev.sluice.engine.crossproduct;

import dev.sluice.engine.image.Image;
import dev.sluice.engine.lookup.Branchless;
import dev.sluice.engine.lookup.CompiledClassifier;
import dev.sluice.engine.lookup.VerdictBatch;
import dev.sluice.engine.rfc.RfcTables;
import dev.sluice.schemas.header.HeaderBatch;
import java.util.Arrays;

/**
 * Looks a block of headers up phase by phase: the prefixes of both addresses, the class of the
 * other fields, then for each group its cells and their lists. Where a branch would often be
 * mispredicted, a header is appended to a list or not ({@link Branchless}). Thread-safe.
 */
public final class CrossproductClassifier extends CompiledClassifier {
    private static final int BLOCK = RfcTables.BLOCK;

    private final RfcTables tables;
    private final int classStep;
    private final AddressSearch source;
    private final AddressSearch destination;
    private final Group[] groups;

    /** The patterns' rows as 16-bit entries; empty where lists are tested rule by rule. */
    private final char[] patterns;

    private final int patternEntries;
    private final int listBits;
    private final int lists;
    private final int cellBits;
    private final int listForm;
    private final int portsPosition;

    private final IntervalSearch intervals;

    /** A group's cells, and where rows hold its prefixes. */
    private record Group(
            int cells,
            int form,
            int best,
            int width,
            int seeds,
            int bucketShift,
            int places,
            Field source,
            Field destination) {}

    private record Field(int word, int shift, int mask) {}

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
        source = new AddressSearch(words, head + CrossproductLayout.AXES);
        destination =
                new AddressSearch(words, head + CrossproductLayout.AXES + CrossproductLayout.AXIS);
        groups = new Group[words[head + CrossproductLayout.GROUP_COUNT]];
        for (int g = 0; g < groups.length; g++) {
            int record = words[head + CrossproductLayout.GROUPS] + g * CrossproductLayout.RECORD;
            groups[g] =
                    new Group(
                            words[record + CrossproductLayout.CELLS],
                            words[record + CrossproductLayout.GROUP_FORM],
                            words[record + CrossproductLayout.BEST],
                            words[record + CrossproductLayout.WIDTH],
                            words[record + CrossproductLayout.SEEDS],
                            words[record + CrossproductLayout.BUCKET_SHIFT],
                            words[record + CrossproductLayout.PLACES],
                            field(record + CrossproductLayout.FIELDS),
                            field(record + CrossproductLayout.FIELDS + CrossproductLayout.FIELD));
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
        cellBits = words[head + CrossproductLayout.CELL_BITS];
        listForm = words[head + CrossproductLayout.LIST_FORM];
        portsPosition = words[head + CrossproductLayout.PORTS_POSITION];
        intervals = new IntervalSearch(words);
    }

    private Field field(int at) {
        return new Field(
                words[at + CrossproductLayout.FIELD_WORD],
                words[at + CrossproductLayout.FIELD_SHIFT],
                words[at + CrossproductLayout.FIELD_MASK]);
    }

    @Override
    protected void search(HeaderBatch headers, int[] verdicts) {
        Scratch scratch = Scratch.OF_THREAD.get();
        scratch.rows(source.rowWords(), destination.rowWords());
        int[] h = headers.words();
        int capacity = headers.capacity();
        for (int from = 0; from < headers.size(); from += BLOCK) {
            int n = Math.min(BLOCK, headers.size() - from);
            int[][] steps = tables.read(h, capacity, from, n);
            source.rows(h, capacity, from, n, steps, scratch.search, scratch.source);
            destination.rows(h, capacity, from, n, steps, scratch.search, scratch.destination);
            int[] classes = steps[classStep];
            int[] services = scratch.services;
            int[] ports = scratch.ports;
            if (listForm == CrossproductLayout.BY_SERVICE) {
                services(h, portsPosition * capacity + from, n, classes, services, ports);
            }
            int[] best = scratch.best;
            Arrays.fill(best, 0, n, Integer.MAX_VALUE);
            for (int i = 0; i < n; i++) {
                scratch.alive[i] = i;
            }
            int alive = n;
            for (Group group : groups) {
                int found =
                        switch (group.form) {
                            case CrossproductLayout.DIRECT -> direct(group, alive, n, scratch);
                            case CrossproductLayout.HASHED -> hashed(group, alive, n, scratch);
                            default -> listed(group, alive, n, scratch);
                        };
                alive = scratch.left;
                int[] header = scratch.header;
                int[] at = scratch.at;
                switch (listForm) {
                    case CrossproductLayout.BY_PATTERN -> pick(found, classes, scratch);
                    case CrossproductLayout.BY_CLASS -> read(found, classes, scratch);
                    case CrossproductLayout.BY_SERVICE ->
                            intervals.search(found, header, at, services, ports, best);
                    default -> {
                        while (found > 0) {
                            found = test(found, classes, scratch);
                        }
                    }
                }
            }
            for (int i = 0; i < n; i++) {
                verdicts[from + i] = best[i] == Integer.MAX_VALUE ? VerdictBatch.MISS : best[i];
            }
        }
    }

    /**
     * Finds the rule of every list: the pattern tells which rule of the list it is. The cell itself
     * names the rule of a list of one; of other lists the rule's position is read.
     */
    private void pick(int found, int[] classes, Scratch scratch) {
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
            int[] h, int base, int n, int[] classes, int[] services, int[] ports) {
        for (int i = 0; i < n; i++) {
            int both = h[base + i];
            services[i] = classes[i] << CrossproductLayout.SERVICE_SHIFT | both & 0xffff;
            ports[i] = both >>> 16;
        }
    }

    /** Reads the rule of every cell's row. */
    private void read(int found, int[] classes, Scratch scratch) {
        int[] w = words;
        int[] best = scratch.best;
        int[] header = scratch.header;
        int[] at = scratch.at;
        for (int k = 0; k < found; k++) {
            int i = header[k];
            best[i] = Math.min(best[i], w[at[k] + classes[i]]);
        }
    }

    /**
     * Reads the cells of a plain table. Like {@link #listed} and {@link #hashed} it takes headers
     * off the list of those alive for which the group has no better rule: groups are in the order
     * of their best rules, so that later groups have none either.
     *
     * @param alive number of headers alive
     * @param n headers of the block
     * @return how many headers have a cell
     */
    private int direct(Group group, int alive, int n, Scratch scratch) {
        int[] w = words;
        int cells = group.cells;
        int width = group.width;
        int bestOfGroup = group.best;
        int[] groupSource = scratch.groupSource;
        int[] groupDestination = scratch.groupDestination;
        numbers(group, n, scratch);
        for (int i = 0; i < n; i++) {
            groupSource[i] = cells + groupSource[i] * width + groupDestination[i];
        }
        int[] best = scratch.best;
        int[] header = scratch.header;
        int[] at = scratch.at;
        int[] still = scratch.alive;
        int left = 0;
        int found = 0;
        for (int k = 0; k < alive; k++) {
            int i = still[k];
            int cell = w[groupSource[i]];
            int open = Branchless.lessThan(bestOfGroup, best[i]);
            still[left] = i;
            left += open;
            header[found] = i;
            at[found] = cell;
            found += Branchless.isPositive(cell) & open;
        }
        scratch.left = left;
        return found;
    }

    /** The numbers of both prefixes in a group, for all headers of the block. */
    private static void numbers(Group group, int n, Scratch scratch) {
        field(group.source, scratch.source, n, scratch.groupSource);
        field(group.destination, scratch.destination, n, scratch.groupDestination);
    }

    private static void field(Field field, int[][] rows, int n, int[] numbers) {
        int[] words = rows[field.word];
        int shift = field.shift;
        int mask = field.mask;
        for (int i = 0; i < n; i++) {
            numbers[i] = words[i] >>> shift & mask;
        }
    }

    /**
     * Collects the headers alive that have both prefixes in the group, and these prefixes' numbers.
     */
    private int prefixes(Group group, int alive, int n, Scratch scratch) {
        numbers(group, n, scratch);
        int bestOfGroup = group.best;
        int[] best = scratch.best;
        int[] header = scratch.header;
        int[] groupSource = scratch.groupSource;
        int[] groupDestination = scratch.groupDestination;
        int[] still = scratch.alive;
        int left = 0;
        int pending = 0;
        for (int k = 0; k < alive; k++) {
            int i = still[k];
            int s = groupSource[i];
            int d = groupDestination[i];
            int open = Branchless.lessThan(bestOfGroup, best[i]);
            still[left] = i;
            left += open;
            header[pending] = i;
            groupSource[pending] = s;
            groupDestination[pending] = d;
            pending += Branchless.isNegative(-s & -d) & open;
        }
        scratch.left = left;
        return pending;
    }

    /**
     * Finds cells in the lists of one address's prefixes: compares the first cell of every list
     * with the other address's number, then the second cells of those left, and so on.
     */
    private int listed(Group group, int alive, int n, Scratch scratch) {
        int[] w = words;
        boolean bySource = group.form == CrossproductLayout.LISTED_BY_SOURCE;
        int[] start = bySource ? scratch.groupSource : scratch.groupDestination;
        int[] other = bySource ? scratch.groupDestination : scratch.groupSource;
        int[] header = scratch.header;
        int[] at = scratch.at;
        int[] moreHeader = scratch.moreHeader;
        int pending = prefixes(group, alive, n, scratch);
        int before = group.cells - CrossproductLayout.KEYED_CELL;
        for (int k = 0; k < pending; k++) {
            moreHeader[k] = header[k];
            start[k] = before + CrossproductLayout.KEYED_CELL * start[k];
        }
        int more = pending;
        int found = 0;
        while (more > 0) {
            int left = 0;
            for (int k = 0; k < more; k++) {
                int i = moreHeader[k];
                int cell = start[k];
                int key = w[cell + CrossproductLayout.CELL_KEY];
                int differs = key & CrossproductLayout.UNMARKED ^ other[k];
                int miss = Branchless.isPositive(differs);
                moreHeader[left] = i;
                start[left] = cell + CrossproductLayout.KEYED_CELL;
                other[left] = other[k];
                left += miss & Branchless.isNotNegative(key);
                header[found] = i;
                at[found] = w[cell + CrossproductLayout.CELL_NAMED];
                found += 1 - miss;
            }
            more = left;
        }
        return found;
    }

    /** Reads the one cell that a pair of prefixes may have; a key tells whether it is theirs. */
    private int hashed(Group group, int alive, int n, Scratch scratch) {
        int[] w = words;
        int cells = group.cells;
        int width = group.width;
        int seeds = group.seeds;
        int shift = group.bucketShift;
        int places = group.places;
        int[] header = scratch.header;
        int[] at = scratch.at;
        int[] place = scratch.moreHeader;
        int[] groupSource = scratch.groupSource;
        int[] groupDestination = scratch.groupDestination;
        int pending = prefixes(group, alive, n, scratch);
        for (int k = 0; k < pending; k++) {
            int s = groupSource[k];
            int d = groupDestination[k];
            int bucket = CrossproductLayout.bucket(s, d, shift);
            int seed = w[seeds + (bucket >> 1)] >>> (bucket << 4) & 0xffff;
            place[k] =
                    cells
                            + CrossproductLayout.KEYED_CELL
                                    * CrossproductLayout.place(s, d, seed, places);
        }
        int bits = cellBits;
        int found = 0;
        for (int k = 0; k < pending; k++) {
            int s = groupSource[k];
            int lower = s << width | groupDestination[k];
            int upper = (int) ((long) s << width >>> 32);
            int entry = w[place[k] + CrossproductLayout.CELL_NAMED];
            int differs =
                    w[place[k] + CrossproductLayout.CELL_KEY] ^ lower | entry >>> bits ^ upper;
            header[found] = header[k];
            at[found] = entry & (1 << bits) - 1;
            found += 1 - Branchless.isNotZero(differs);
        }
        return found;
    }

    /** Tests one rule of every list; returns how many lists have another rule that may win. */
    private int test(int lists, int[] classes, Scratch scratch) {
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

    private static final class Scratch {
        static final ThreadLocal<Scratch> OF_THREAD = ThreadLocal.withInitial(Scratch::new);
        final int[] best = new int[BLOCK];
        final int[] header = new int[BLOCK + 1];
        final int[] at = new int[BLOCK + 1];
        final int[] alive = new int[BLOCK + 1];
        final int[] moreHeader = new int[BLOCK + 1];
        final int[] groupSource = new int[BLOCK + 1];
        final int[] groupDestination = new int[BLOCK + 1];
        final int[] services = new int[BLOCK];
        final int[] ports = new int[BLOCK];
        final AddressSearch.Scratch search = new AddressSearch.Scratch();
        int left;
        int[][] source = {};
        int[][] destination = {};

        /** Makes room for rows of so many words. */
        void rows(int ofSource, int ofDestination) {
            if (source.length < ofSource) {
                source = new int[ofSource][BLOCK];
            }
            if (destination.length < ofDestination) {
                destination = new int[ofDestination][BLOCK];
            }
        }
    }
}
