package dev.sluice.engine.forest;

import dev.sluice.engine.Classifier;
import dev.sluice.engine.VerdictBatch;
import dev.sluice.engine.image.Image;
import dev.sluice.engine.image.RuleTable;
import dev.sluice.schemas.header.HeaderBatch;
import dev.sluice.schemas.header.HeaderWord;

/** Walks the trees of a forest, skipping what cannot beat the best match so far. */
public final class ForestClassifier implements Classifier {
    private final Image image;
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
        this.layoutSize = image.layout().size();
        this.portsPosition =
                words[ForestLayout.RANGES_AT] == 0 ? -1 : image.layout().position(HeaderWord.PORTS);
    }

    @Override
    public Image image() {
        return image;
    }

    @Override
    public void classify(HeaderBatch headers, VerdictBatch verdicts) {
        check(headers, verdicts);
        int[] h = headers.words();
        int capacity = headers.capacity();
        int[] out = verdicts.rules();
        for (int i = 0; i < headers.size(); i++) {
            int best = Integer.MAX_VALUE;
            for (int t = 0; t < trees; t++) {
                best = search(h, capacity, i, roots + 2 * t, best);
            }
            out[i] = best == Integer.MAX_VALUE ? VerdictBatch.MISS : best;
        }
    }

    private int search(int[] h, int capacity, int i, int root, int best) {
        int[] w = words;
        int offset = w[root];
        int node = w[root + 1];
        while ((node >>> Descriptor.BOUND_SHIFT) << boundShift < best) {
            int width = node & Descriptor.WIDTH_MASK;
            if (width == 0) {
                return offset == 0 ? best : leaf(offset, h, capacity, i, best);
            }
            int position = node >>> Descriptor.POSITION_SHIFT & Descriptor.FIVE_BITS;
            int shift = node >>> Descriptor.SHIFT_SHIFT & Descriptor.FIVE_BITS;
            int child = h[position * capacity + i] >>> shift & (1 << width) - 1;
            node = w[offset + 2 * child + 1];
            offset = w[offset + 2 * child];
        }
        return best;
    }

    private int leaf(int offset, int[] h, int capacity, int i, int best) {
        int end = offset + 1 + words[offset];
        for (int at = offset + 1; at < end; at++) {
            int position = words[at];
            if (position >= best) {
                return best;
            }
            if (RuleTable.matches(
                    words, table + position * stride, layoutSize, portsPosition, h, capacity, i)) {
                return position;
            }
        }
        return best;
    }

    /** Nodes read plus twice the rules read for one header: what builds are compared by. */
    int countReads(HeaderBatch headers, int i) {
        int[] h = headers.words();
        int capacity = headers.capacity();
        int reads = 0;
        int best = Integer.MAX_VALUE;
        for (int t = 0; t < trees; t++) {
            int offset = words[roots + 2 * t];
            int node = words[roots + 2 * t + 1];
            reads++;
            while ((node >>> Descriptor.BOUND_SHIFT) << boundShift < best
                    && (node & Descriptor.WIDTH_MASK) != 0) {
                int position = node >>> Descriptor.POSITION_SHIFT & Descriptor.FIVE_BITS;
                int shift = node >>> Descriptor.SHIFT_SHIFT & Descriptor.FIVE_BITS;
                int child =
                        h[position * capacity + i] >>> shift
                                & (1 << (node & Descriptor.WIDTH_MASK)) - 1;
                node = words[offset + 2 * child + 1];
                offset = words[offset + 2 * child];
                reads++;
            }
            if (offset != 0 && (node >>> Descriptor.BOUND_SHIFT) << boundShift < best) {
                int found = leaf(offset, h, capacity, i, best);
                for (int at = offset + 1;
                        at <= offset + words[offset] && words[at] <= found;
                        at++) {
                    reads += 2;
                }
                best = found;
            }
        }
        return reads;
    }
}
