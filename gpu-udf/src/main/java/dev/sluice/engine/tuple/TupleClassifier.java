package dev.sluice.engine.tuple;

import dev.sluice.engine.Classifier;
import dev.sluice.engine.VerdictBatch;
import dev.sluice.engine.image.Image;
import dev.sluice.engine.image.RuleTable;
import dev.sluice.schemas.header.HeaderBatch;
import dev.sluice.schemas.header.HeaderWord;

/** Probes the classes in the order of their best rule. */
public final class TupleClassifier implements Classifier {
    private final Image image;
    private final int[] words;
    private final int table;
    private final int stride;
    private final int classes;
    private final int classCount;
    private final int layoutSize;
    private final int portsPosition;

    /** A classifier over an image of this algorithm. */
    public TupleClassifier(Image image) {
        this.image = image;
        this.words = image.words();
        this.table = words[TupleCompiler.TABLE_AT];
        this.stride = words[TupleCompiler.STRIDE_AT];
        this.classes = words[TupleCompiler.CLASSES_AT];
        this.classCount = words[TupleCompiler.CLASS_COUNT_AT];
        this.layoutSize = image.layout().size();
        this.portsPosition =
                words[TupleCompiler.RANGES_AT] == 0
                        ? -1
                        : image.layout().position(HeaderWord.PORTS);
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
            out[i] = search(h, capacity, i);
        }
    }

    private int search(int[] h, int capacity, int i) {
        int w = layoutSize;
        int best = Integer.MAX_VALUE;
        int record = classes;
        for (int c = 0; c < classCount && words[record + TupleCompiler.BEST] < best; c++) {
            int hash = 0;
            for (int p = 0; p < w; p++) {
                hash =
                        TupleCompiler.hash(
                                hash,
                                h[p * capacity + i] & words[record + TupleCompiler.MASKS + p]);
            }
            int mask = words[record + TupleCompiler.SLOT_MASK];
            int slots = words[record + TupleCompiler.SLOTS];
            int slot = TupleCompiler.spread(hash) & mask;
            int first = words[slots + 2 * slot + 1];
            while (first != 0) {
                if (words[slots + 2 * slot] == hash) {
                    best = Math.min(best, bestOfChain(first, best, h, capacity, i));
                }
                slot = slot + 1 & mask;
                first = words[slots + 2 * slot + 1];
            }
            record += TupleCompiler.MASKS + w;
        }
        return best == Integer.MAX_VALUE ? VerdictBatch.MISS : best;
    }

    /** Rules of one key, best first: the first whose ranges hold, or MAX_VALUE. */
    private int bestOfChain(int first, int best, int[] h, int capacity, int i) {
        for (int next = first; next != 0 && next - 1 < best; ) {
            int rule = table + (next - 1) * stride;
            if (RuleTable.matches(words, rule, layoutSize, portsPosition, h, capacity, i)) {
                return next - 1;
            }
            next = words[rule + stride - 1];
        }
        return Integer.MAX_VALUE;
    }
}
