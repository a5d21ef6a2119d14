package dev.sluice.engine.pairs;

import dev.sluice.engine.CompiledClassifier;
import dev.sluice.engine.VerdictBatch;
import dev.sluice.engine.image.Image;
import dev.sluice.engine.rfc.RfcTables;
import dev.sluice.schemas.header.HeaderBatch;
import java.util.Arrays;

/**
 * Looks a block of headers up phase by phase: both addresses, the class of the other fields, then
 * for each group its cells and their lists. What branch prediction cannot know is done by appending
 * to a list or not.
 */
public final class PairClassifier extends CompiledClassifier {
    private static final int BLOCK = RfcTables.BLOCK;

    private final int head;
    private final RfcTables tables;

    /** Copy of the patterns' rows, or empty where lists are tested rule by rule. */
    private final char[] patterns;

    /** A classifier over an image of this algorithm. */
    public PairClassifier(Image image) {
        super(image);
        head = words[PairLayout.HEAD_AT];
        tables =
                new RfcTables(
                        words,
                        words[head + PairLayout.STEPS],
                        words[head + PairLayout.STEP_COUNT],
                        words[head + PairLayout.STEPS_END]);
        int from = words[head + PairLayout.PATTERNS];
        int to = words[head + PairLayout.PATTERNS_END];
        patterns = new char[2 * (to - from)];
        for (int i = from; i < to; i++) {
            patterns[2 * (i - from)] = (char) words[i];
            patterns[2 * (i - from) + 1] = (char) (words[i] >>> 16);
        }
    }

    @Override
    protected void search(HeaderBatch headers, int[] verdicts) {
        Scratch scratch = Scratch.OF_THREAD.get();
        int[] h = headers.words();
        int capacity = headers.capacity();
        int groups = words[head + PairLayout.GROUPS];
        int groupCount = words[head + PairLayout.GROUP_COUNT];
        for (int from = 0; from < headers.size(); from += BLOCK) {
            int n = Math.min(BLOCK, headers.size() - from);
            int[][] steps = tables.read(h, capacity, from, n);
            int[] classes = steps[words[head + PairLayout.CLASS_STEP]];
            int[] sources = scratch.source;
            int[] destinations = scratch.destination;
            if (words[head + PairLayout.SOURCE_STEP] >= 0) {
                sources = steps[words[head + PairLayout.SOURCE_STEP]];
            } else {
                walk(words[head + PairLayout.SOURCE_ROOT], h, capacity, from, n, scratch, sources);
            }
            if (words[head + PairLayout.DESTINATION_STEP] >= 0) {
                destinations = steps[words[head + PairLayout.DESTINATION_STEP]];
            } else {
                int root = words[head + PairLayout.DESTINATION_ROOT];
                walk(root, h, capacity, from, n, scratch, destinations);
            }
            int[] best = scratch.best;
            Arrays.fill(best, 0, n, Integer.MAX_VALUE);
            for (int g = 0; g < groupCount; g++) {
                int record = groups + g * PairLayout.RECORD;
                int found =
                        words[record + PairLayout.SLOT_MASK] < 0
                                ? direct(record, n, sources, destinations, scratch)
                                : hashed(record, n, sources, destinations, scratch);
                if (patterns.length > 0) {
                    pick(found, classes, scratch);
                } else {
                    while (found > 0) {
                        found = test(found, classes, scratch);
                    }
                }
            }
            for (int i = 0; i < n; i++) {
                verdicts[from + i] = best[i] == Integer.MAX_VALUE ? VerdictBatch.MISS : best[i];
            }
        }
    }

    /** Reads the rule of every list at once: first which it is, then, where there is one, it. */
    private void pick(int lists, int[] classes, Scratch scratch) {
        int[] w = words;
        char[] rows = patterns;
        int[] best = scratch.best;
        int[] header = scratch.header;
        int[] at = scratch.at;
        int[] row = scratch.row;
        int hits = 0;
        for (int k = 0; k < lists; k++) {
            int i = header[k];
            int number = rows[row[k] + classes[i]];
            header[hits] = i;
            at[hits] = at[k] + number;
            hits += -number >>> 31;
        }
        for (int k = 0; k < hits; k++) {
            int i = header[k];
            best[i] = Math.min(best[i], w[at[k]]);
        }
    }

    /** Longest-prefix match of each header of the block: 1 + index of the prefix, 0 for none. */
    private void walk(
            int root, int[] h, int capacity, int from, int n, Scratch scratch, int[] result) {
        if (root < 0) {
            Arrays.fill(result, 0, n, ~root);
            return;
        }
        int[] w = words;
        int[] header = scratch.header;
        int[] node = scratch.at;
        // The root is a table: the same bits of every header.
        int packed = w[root];
        int base = (packed & PrefixTrie.FIVE_BITS) * capacity + from;
        int shift = packed >>> PrefixTrie.SHIFT_AT & PrefixTrie.FIVE_BITS;
        int mask = -1 >>> 32 - (packed >>> PrefixTrie.WIDTH_AT & PrefixTrie.SIX_BITS);
        int active = 0;
        for (int i = 0; i < n; i++) {
            int next = w[root + 2 + (h[base + i] >>> shift & mask)];
            result[i] = ~next;
            header[active] = i;
            node[active] = next;
            active += ~next >>> 31;
        }
        while (active > 0) {
            int left = 0;
            for (int k = 0; k < active; k++) {
                int i = header[k];
                int at = node[k];
                int p = w[at];
                int word = h[(p & PrefixTrie.FIVE_BITS) * capacity + from + i];
                int bits =
                        (word ^ w[at + 1]) >>> (p >>> PrefixTrie.SHIFT_AT & PrefixTrie.FIVE_BITS)
                                & -1 >>> 32 - (p >>> PrefixTrie.WIDTH_AT & PrefixTrie.SIX_BITS);
                int differs = (bits | -bits) >>> 31;
                int compare = -(p >>> 16);
                int next = w[at + 2 + (bits + (differs - bits & compare))];
                result[i] = ~next;
                header[left] = i;
                node[left] = next;
                left += ~next >>> 31;
            }
            active = left;
        }
    }

    /** Lists of the cells in a plain table; returns how many headers have one. */
    private int direct(int record, int n, int[] source, int[] destination, Scratch scratch) {
        int[] w = words;
        int stride = w[head + PairLayout.MAP_STRIDE];
        int g = (record - w[head + PairLayout.GROUPS]) / PairLayout.RECORD;
        int sources = w[head + PairLayout.SOURCES] + g;
        int destinations = w[head + PairLayout.DESTINATIONS] + g;
        int cells = w[record + PairLayout.CELLS];
        int bestOfGroup = w[record + PairLayout.BEST];
        int[] best = scratch.best;
        int[] header = scratch.header;
        int[] at = scratch.at;
        int[] row = scratch.row;
        int found = 0;
        for (int i = 0; i < n; i++) {
            int cell =
                    cells
                            + PairLayout.CELL
                                    * (w[sources + source[i] * stride]
                                            + w[destinations + destination[i] * stride]);
            int list = w[cell];
            header[found] = i;
            at[found] = list;
            row[found] = w[cell + 1];
            found += -list >>> 31 & bestOfGroup - best[i] >>> 31;
        }
        return found;
    }

    private int hashed(int record, int n, int[] source, int[] destination, Scratch scratch) {
        int[] w = words;
        int stride = w[head + PairLayout.MAP_STRIDE];
        int g = (record - w[head + PairLayout.GROUPS]) / PairLayout.RECORD;
        int sources = w[head + PairLayout.SOURCES] + g;
        int destinations = w[head + PairLayout.DESTINATIONS] + g;
        int cells = w[record + PairLayout.CELLS];
        int mask = w[record + PairLayout.SLOT_MASK];
        int bestOfGroup = w[record + PairLayout.BEST];
        int[] best = scratch.best;
        int[] header = scratch.header;
        int[] at = scratch.at;
        int[] row = scratch.row;
        int[] s = scratch.groupSource;
        int[] d = scratch.groupDestination;
        int pending = 0;
        for (int i = 0; i < n; i++) {
            int a = w[sources + source[i] * stride];
            int b = w[destinations + destination[i] * stride];
            header[pending] = i;
            s[pending] = a;
            d[pending] = b;
            pending += (-a & -b) >>> 31 & bestOfGroup - best[i] >>> 31;
        }
        int found = 0;
        for (int k = 0; k < pending; k++) {
            int a = s[k];
            int b = d[k];
            int slot = PairLayout.hash(a, b) & mask;
            int cell = cells + slot * PairLayout.SLOT;
            while (w[cell] != 0 && (w[cell] != a || w[cell + 1] != b)) {
                slot = slot + 1 & mask;
                cell = cells + slot * PairLayout.SLOT;
            }
            header[found] = header[k];
            at[found] = w[cell + 2];
            row[found] = w[cell + 3];
            found += -w[cell] >>> 31;
        }
        return found;
    }

    /** Tests one rule of every list; returns how many lists have rules left worth testing. */
    private int test(int lists, int[] classes, Scratch scratch) {
        int[] w = words;
        int[] best = scratch.best;
        int[] header = scratch.header;
        int[] at = scratch.at;
        int left = 0;
        for (int k = 0; k < lists; k++) {
            int i = header[k];
            int entry = at[k];
            int row = w[entry];
            int last = w[entry + 1];
            int position = last & Integer.MAX_VALUE;
            int c = classes[i];
            int better = position - best[i] >>> 31;
            int hit = better & w[row + (c >>> 5)] >>> c;
            best[i] += position - best[i] & -hit;
            header[left] = i;
            at[left] = entry + 2;
            left += better & ~hit & ~(last >>> 31);
        }
        return left;
    }

    private static final class Scratch {
        static final ThreadLocal<Scratch> OF_THREAD = ThreadLocal.withInitial(Scratch::new);
        final int[] best = new int[BLOCK];
        final int[] source = new int[BLOCK];
        final int[] destination = new int[BLOCK];
        final int[] header = new int[BLOCK + 1];
        final int[] at = new int[BLOCK + 1];
        final int[] row = new int[BLOCK + 1];
        final int[] groupSource = new int[BLOCK + 1];
        final int[] groupDestination = new int[BLOCK + 1];
    }
}
