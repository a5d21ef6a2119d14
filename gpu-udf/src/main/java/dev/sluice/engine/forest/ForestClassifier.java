package dev.sluice.engine.forest;

import dev.sluice.engine.image.Image;
import dev.sluice.engine.image.RuleTable;
import dev.sluice.engine.lookup.Branchless;
import dev.sluice.engine.lookup.CompiledClassifier;
import dev.sluice.engine.lookup.VerdictBatch;
import dev.sluice.engine.memory.ReadAhead;
import dev.sluice.schemas.header.HeaderBatch;
import dev.sluice.schemas.header.HeaderWord;
import java.util.Arrays;

/**
 * Walks a forest: from the root to a leaf, then from the rest of the nearest node passed, and so
 * on. Nodes whose best rule is worse than the one found so far are skipped. Thread-safe.
 */
public final class ForestClassifier extends CompiledClassifier {
    private static final int BLOCK = 1024;

    /** Above every position: no rule has matched. */
    private final int none;

    private final int table;
    private final int stride;
    private final int boundShift;
    private final int portsPosition;

    /** A classifier over an image of this algorithm. */
    public ForestClassifier(Image image) {
        super(image);
        this.table = words[ForestLayout.TABLE_AT];
        this.stride = words[ForestLayout.STRIDE_AT];
        this.boundShift = words[ForestLayout.BOUND_SHIFT_AT];
        this.none = DescriptorLayout.NO_RULE << boundShift;
        this.portsPosition =
                words[ForestLayout.RANGES_AT] == 0 ? -1 : image.layout().position(HeaderWord.PORTS);
    }

    /**
     * Goes through a block of headers level by level: every inner loop does the same few
     * instructions for all headers that have not yet reached a leaf. Where a branch would often be
     * mispredicted, a header is appended to a list or not ({@link Branchless}). When all have
     * reached a leaf or were stopped by a bound, each goes on with its next rest.
     */
    @Override
    protected void search(HeaderBatch headers, int[] verdicts) {
        Scratch scratch = Scratch.OF_THREAD.get();
        for (int from = 0; from < headers.size(); from += BLOCK) {
            int n = Math.min(BLOCK, headers.size() - from);
            Arrays.fill(scratch.best, 0, n, none);
            Arrays.fill(scratch.next, 0, n, RestLayout.NONE);
            int active = startAtRoot(n, scratch);
            while (active > 0) {
                scratch.done = 0;
                int leaves = descend(headers, from, active, scratch);
                while (leaves > 0) {
                    leaves = testRules(headers, from, leaves, scratch);
                }
                active = takeRests(scratch);
            }
            for (int i = 0; i < n; i++) {
                int best = scratch.best[i];
                verdicts[from + i] = best == none ? VerdictBatch.MISS : best;
            }
        }
    }

    /** Lets all headers begin at the root; returns their number, 0 where there are no rules. */
    private int startAtRoot(int n, Scratch scratch) {
        int node = words[ForestLayout.ROOT_AT + DescriptorLayout.NODE];
        if (node >>> DescriptorLayout.BOUND_SHIFT == DescriptorLayout.NO_RULE) {
            return 0;
        }
        Arrays.fill(scratch.offset, 0, n, words[ForestLayout.ROOT_AT + DescriptorLayout.TABLE]);
        Arrays.fill(scratch.node, 0, n, node);
        for (int i = 0; i < n; i++) {
            scratch.header[i] = i;
        }
        return n;
    }

    /**
     * Walks all active headers down to leaves, or as far as there may be a better rule; returns how
     * many have a leaf. Those and the others are then in {@link Scratch#doneHeader}.
     */
    private int descend(HeaderBatch headers, int from, int start, Scratch scratch) {
        int leaves = takeLeaves(start, scratch);
        int active = start - leaves;
        while (active > 0) {
            locate(headers, from, active, scratch);
            int[] at = scratch.at;
            int[] offset = scratch.offset;
            int[] node = scratch.node;
            for (int k = 0; k < active; k++) {
                offset[k] = words[at[k] + DescriptorLayout.TABLE];
                node[k] = words[at[k] + DescriptorLayout.NODE];
            }
            int left = keepInner(active, leaves, scratch);
            leaves = scratch.leaves;
            active = left;
        }
        return leaves;
    }

    /** Takes the headers out whose next rest is a leaf; returns their number. */
    private static int takeLeaves(int start, Scratch scratch) {
        int[] header = scratch.header;
        int[] offset = scratch.offset;
        int[] node = scratch.node;
        int leaves = 0;
        int left = 0;
        for (int k = 0; k < start; k++) {
            int inner = Branchless.isPositive(node[k] & DescriptorLayout.WIDTH_MASK);
            int i = header[k];
            int o = offset[k];
            scratch.leafHeader[leaves] = i;
            scratch.leafRule[leaves] = o;
            scratch.doneHeader[leaves] = i;
            leaves += 1 - inner;
            header[left] = i;
            offset[left] = o;
            node[left] = node[k];
            left += inner;
        }
        scratch.done = leaves;
        return leaves;
    }

    /** Finds the descriptors that the headers' windows choose, and notes the rests passed. */
    private static void locate(HeaderBatch headers, int from, int active, Scratch scratch) {
        int[] h = headers.words();
        int capacity = headers.capacity();
        int[] next = scratch.next;
        int[] header = scratch.header;
        int[] offset = scratch.offset;
        int[] node = scratch.node;
        int[] at = scratch.at;
        for (int k = 0; k < active; k++) {
            int i = header[k];
            int d = node[k];
            int o = offset[k];
            int children = o & DescriptorLayout.OFFSET_MASK;
            next[i] += (children - next[i]) & o >> DescriptorLayout.REST_SHIFT;
            int position = d >>> DescriptorLayout.POSITION_SHIFT & DescriptorLayout.FIVE_BITS;
            int child =
                    h[position * capacity + from + i] >>> (d >>> DescriptorLayout.SHIFT_SHIFT)
                            & ~(-1 << (d & DescriptorLayout.WIDTH_MASK));
            at[k] = children + DescriptorLayout.WORDS * child;
        }
    }

    /** Parts the headers at nodes, whose number it returns, from those that are done. */
    private int keepInner(int active, int leavesBefore, Scratch scratch) {
        int[] best = scratch.best;
        int[] header = scratch.header;
        int[] offset = scratch.offset;
        int[] node = scratch.node;
        int[] leafHeader = scratch.leafHeader;
        int[] leafRule = scratch.leafRule;
        int[] doneHeader = scratch.doneHeader;
        int leaves = leavesBefore;
        int done = scratch.done;
        int left = 0;
        for (int k = 0; k < active; k++) {
            int i = header[k];
            int o = offset[k];
            int e = node[k];
            int bound = (e >>> DescriptorLayout.BOUND_SHIFT) << boundShift;
            int alive = Branchless.lessThan(bound, best[i]);
            int inner = alive & Branchless.isPositive(e & DescriptorLayout.WIDTH_MASK);
            leafHeader[leaves] = i;
            leafRule[leaves] = o;
            leaves += alive & ~inner;
            doneHeader[done] = i;
            done += 1 - inner;
            header[left] = i;
            offset[left] = o;
            node[left] = e;
            left += inner;
        }
        scratch.leaves = leaves;
        scratch.done = done;
        return left;
    }

    /**
     * Lets the headers that are done with a leaf go on with their next rest that may have a better
     * rule; returns how many have one.
     */
    private int takeRests(Scratch scratch) {
        int[] w = words;
        int[] best = scratch.best;
        int[] next = scratch.next;
        int[] doneHeader = scratch.doneHeader;
        int[] header = scratch.header;
        int[] offset = scratch.offset;
        int[] node = scratch.node;
        int[] at = scratch.at;
        int active = 0;
        int done = scratch.done;
        while (done > 0) {
            int waiting = 0;
            for (int k = 0; k < done; k++) {
                int i = doneHeader[k];
                doneHeader[waiting] = i;
                waiting += Branchless.isNotZero(next[i] ^ RestLayout.NONE);
            }
            for (int k = 0; k < waiting; k++) {
                int root = next[doneHeader[k]] - RestLayout.ROOT_BEFORE;
                offset[active + k] = w[root + DescriptorLayout.TABLE];
                node[active + k] = w[root + DescriptorLayout.NODE];
                at[k] = w[root + RestLayout.ROOT_BEFORE - RestLayout.NEXT_BEFORE];
            }
            done = 0;
            int taken = active;
            for (int k = 0; k < waiting; k++) {
                int i = doneHeader[k];
                int o = offset[active + k];
                int e = node[active + k];
                int bound = (e >>> DescriptorLayout.BOUND_SHIFT) << boundShift;
                int alive = Branchless.lessThan(bound, best[i]);
                next[i] = at[k];
                header[taken] = i;
                offset[taken] = o;
                node[taken] = e;
                taken += alive;
                doneHeader[done] = i;
                done += 1 - alive;
            }
            active = taken;
        }
        return active;
    }

    /** Compares one rule of every leaf; returns how many leaves have another that may win. */
    private int testRules(HeaderBatch headers, int from, int leaves, Scratch scratch) {
        int[] w = words;
        int[] h = headers.words();
        int capacity = headers.capacity();
        int[] best = scratch.best;
        int[] leafHeader = scratch.leafHeader;
        int[] leafRule = scratch.leafRule;
        int[] entries = scratch.at;
        for (int k = 0; k < leaves; k++) {
            entries[k] = w[leafRule[k]];
        }
        int seen = 0;
        for (int k = 0; k < leaves; k++) {
            seen += w[table + (entries[k] & ForestLayout.LEAF_POSITION) * stride];
        }
        scratch.ahead.see(seen);
        boolean fourWords = layoutSize == 4;
        int left = 0;
        for (int k = 0; k < leaves; k++) {
            int i = leafHeader[k];
            int at = leafRule[k];
            int entry = entries[k];
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

        /** For each header the rest that follows, as {@link RestLayout#NONE} says. */
        final int[] next = new int[BLOCK];

        final int[] header = new int[BLOCK + 1];
        final int[] offset = new int[2 * BLOCK];
        final int[] node = new int[2 * BLOCK];
        final int[] leafHeader = new int[BLOCK + 1];
        final int[] leafRule = new int[BLOCK + 1];

        /** Headers that are at a leaf or were stopped by a bound. */
        final int[] doneHeader = new int[BLOCK + 1];

        int done;

        /** How many leaves {@link #leafRule} has after a level. */
        int leaves;

        /** Places to read at, then what was read there. */
        final int[] at = new int[BLOCK + 1];

        final ReadAhead ahead = new ReadAhead();
    }
}
