package dev.sluice.engine.forest;

import dev.sluice.engine.image.Image;
import dev.sluice.engine.image.RuleTable;
import dev.sluice.engine.lookup.Branchless;
import dev.sluice.engine.lookup.Classifier;
import dev.sluice.engine.lookup.VerdictBatch;
import dev.sluice.schemas.header.HeaderBatch;
import dev.sluice.schemas.header.HeaderWord;
import java.util.Arrays;

/**
 * Walks the trees of a forest, and skips nodes whose best rule is worse than the one found so far.
 * Thread-safe.
 */
public final class ForestClassifier implements Classifier {
    private static final int BLOCK = 1024;

    private final Image image;

    /** Above every position: no rule has matched. */
    private final int none;

    private final int[] words;
    private final int table;
    private final int stride;
    private final int roots;
    private final int trees;
    private final int boundShift;
    private final int layoutSize;
    private final int portsPosition;

    /** A classifier over an image of this algorithm. */
    public ForestClassifier(Image image) {
        this.image = image;
        this.words = image.words();
        this.table = words[ForestLayout.TABLE_AT];
        this.stride = words[ForestLayout.STRIDE_AT];
        this.roots = words[ForestLayout.ROOTS_AT];
        this.trees = words[ForestLayout.TREES_AT];
        this.boundShift = words[ForestLayout.BOUND_SHIFT_AT];
        this.none = DescriptorLayout.NO_RULE << boundShift;
        this.layoutSize = image.layout().size();
        this.portsPosition =
                words[ForestLayout.RANGES_AT] == 0 ? -1 : image.layout().position(HeaderWord.PORTS);
    }

    @Override
    public Image image() {
        return image;
    }

    /**
     * Goes through a block of headers tree by tree and level by level: every inner loop does the
     * same few instructions for all headers that have not yet reached a leaf. Where a branch would
     * often be mispredicted, a header is appended to a list or not ({@link Branchless}).
     */
    @Override
    public void classify(HeaderBatch headers, VerdictBatch verdicts) {
        check(headers, verdicts);
        Scratch scratch = Scratch.OF_THREAD.get();
        for (int from = 0; from < headers.size(); from += BLOCK) {
            int n = Math.min(BLOCK, headers.size() - from);
            Arrays.fill(scratch.best, 0, n, none);
            for (int t = 0; t < trees; t++) {
                int leaves = descend(headers, from, n, roots + DescriptorLayout.WORDS * t, scratch);
                while (leaves > 0) {
                    leaves = testRules(headers, from, leaves, scratch);
                }
            }
            int[] out = verdicts.rules();
            for (int i = 0; i < n; i++) {
                int best = scratch.best[i];
                out[from + i] = best == none ? VerdictBatch.MISS : best;
            }
        }
    }

    /**
     * Finds the leaf of every header for which the tree may have a better rule; returns how many
     * headers have one.
     */
    private int descend(HeaderBatch headers, int from, int n, int root, Scratch scratch) {
        int[] w = words;
        int[] h = headers.words();
        int capacity = headers.capacity();
        int[] best = scratch.best;
        int[] header = scratch.header;
        int[] offset = scratch.offset;
        int[] node = scratch.node;
        int[] leafHeader = scratch.leafHeader;
        int[] leafRule = scratch.leafRule;
        int bound =
                (w[root + DescriptorLayout.NODE] >>> DescriptorLayout.BOUND_SHIFT) << boundShift;
        int active = 0;
        for (int i = 0; i < n; i++) {
            header[active] = i;
            active += Branchless.lessThan(bound, best[i]);
        }
        int leaves = 0;
        if ((w[root + DescriptorLayout.NODE] & DescriptorLayout.WIDTH_MASK) == 0) {
            for (int k = 0; k < active; k++) {
                leafHeader[k] = header[k];
                leafRule[k] = w[root + DescriptorLayout.OFFSET];
            }
            return active;
        }
        Arrays.fill(offset, 0, active, w[root + DescriptorLayout.OFFSET]);
        Arrays.fill(node, 0, active, w[root + DescriptorLayout.NODE]);
        while (active > 0) {
            int next = 0;
            for (int k = 0; k < active; k++) {
                int i = header[k];
                int d = node[k];
                int word =
                        h[
                                (d >>> DescriptorLayout.POSITION_SHIFT & DescriptorLayout.FIVE_BITS)
                                                * capacity
                                        + from
                                        + i];
                int child =
                        word >>> (d >>> DescriptorLayout.SHIFT_SHIFT)
                                & ~(-1 << (d & DescriptorLayout.WIDTH_MASK));
                int at = offset[k] + DescriptorLayout.WORDS * child;
                int o = w[at + DescriptorLayout.OFFSET];
                int e = w[at + DescriptorLayout.NODE];
                int alive =
                        Branchless.lessThan(
                                (e >>> DescriptorLayout.BOUND_SHIFT) << boundShift, best[i]);
                int inner = Branchless.isPositive(e & DescriptorLayout.WIDTH_MASK);
                leafHeader[leaves] = i;
                leafRule[leaves] = o;
                leaves += alive & ~inner;
                header[next] = i;
                offset[next] = o;
                node[next] = e;
                next += alive & inner;
            }
            active = next;
        }
        return leaves;
    }

    /** Compares one rule of every leaf; returns how many leaves have another that may win. */
    private int testRules(HeaderBatch headers, int from, int leaves, Scratch scratch) {
        int[] w = words;
        int[] h = headers.words();
        int capacity = headers.capacity();
        int[] best = scratch.best;
        int[] leafHeader = scratch.leafHeader;
        int[] leafRule = scratch.leafRule;
        boolean fourWords = layoutSize == 4;
        int left = 0;
        for (int k = 0; k < leaves; k++) {
            int i = leafHeader[k];
            int at = leafRule[k];
            int entry = w[at];
            int position = entry & ForestLayout.LEAF_POSITION;
            int better = Branchless.lessThan(position, best[i]);
            int rule = table + position * stride;
            int differs =
                    fourWords
                            ? RuleTable.differs4(w, rule, portsPosition, h, capacity, from + i)
                            : RuleTable.matches(
                                            w,
                                            rule,
                                            layoutSize,
                                            portsPosition,
                                            h,
                                            capacity,
                                            from + i)
                                    ? 0
                                    : 1;
            int hit = better & ~Branchless.isNotZero(differs);
            best[i] += (position - best[i]) & -hit;
            leafHeader[left] = i;
            leafRule[left] = at + 1;
            left += better & ~hit & ~Branchless.isNegative(entry);
        }
        return left;
    }

    /** Lists of headers between the steps of a look-up. One for each thread. */
    private static final class Scratch {
        static final ThreadLocal<Scratch> OF_THREAD = ThreadLocal.withInitial(Scratch::new);

        final int[] best = new int[BLOCK];
        final int[] header = new int[BLOCK + 1];
        final int[] offset = new int[BLOCK + 1];
        final int[] node = new int[BLOCK + 1];
        final int[] leafHeader = new int[BLOCK + 1];
        final int[] leafRule = new int[BLOCK + 1];
    }

    /** Nodes read plus twice the rules read for one header: the measure that compares forests. */
    int countReads(HeaderBatch headers, int i) {
        int[] h = headers.words();
        int capacity = headers.capacity();
        int reads = 0;
        int best = none;
        for (int t = 0; t < trees; t++) {
            int root = roots + DescriptorLayout.WORDS * t;
            int offset = words[root + DescriptorLayout.OFFSET];
            int node = words[root + DescriptorLayout.NODE];
            reads++;
            while ((node >>> DescriptorLayout.BOUND_SHIFT) << boundShift < best
                    && (node & DescriptorLayout.WIDTH_MASK) != 0) {
                int position =
                        node >>> DescriptorLayout.POSITION_SHIFT & DescriptorLayout.FIVE_BITS;
                int shift = node >>> DescriptorLayout.SHIFT_SHIFT & DescriptorLayout.FIVE_BITS;
                int child =
                        h[position * capacity + i] >>> shift
                                & (1 << (node & DescriptorLayout.WIDTH_MASK)) - 1;
                int entry = offset + DescriptorLayout.WORDS * child;
                node = words[entry + DescriptorLayout.NODE];
                offset = words[entry + DescriptorLayout.OFFSET];
                reads++;
            }
            if ((node >>> DescriptorLayout.BOUND_SHIFT) << boundShift >= best) {
                continue;
            }
            for (int at = offset; ; at++) {
                int position = words[at] & ForestLayout.LEAF_POSITION;
                if (position >= best) {
                    break;
                }
                reads += 2;
                if (RuleTable.matches(
                        words,
                        table + position * stride,
                        layoutSize,
                        portsPosition,
                        h,
                        capacity,
                        i)) {
                    best = position;
                    break;
                }
                if (words[at] < 0) {
                    break;
                }
            }
        }
        return reads;
    }
}
