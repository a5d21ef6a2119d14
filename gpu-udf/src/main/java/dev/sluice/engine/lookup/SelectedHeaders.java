package dev.sluice.engine.lookup;

import dev.sluice.schemas.header.HeaderBatch;
import dev.sluice.schemas.header.HeaderLayout;

/**
 * Some headers of a batch, looked up together in an image whose rules may look at fewer words. What
 * it needs is allocated at most once a layout. Not thread-safe: one a thread.
 */
public final class SelectedHeaders {
    /** Keeps columns of a power of two of headers from sharing sets of a cache. */
    private static final int PAD = 16;

    private final HeaderBatch selected;
    private final VerdictBatch found;

    /**
     * Room for headers of any layout.
     *
     * @param most headers at a time
     */
    public SelectedHeaders(int most) {
        selected = new HeaderBatch(HeaderLayout.ofWordBits(0), most + PAD);
        found = new VerdictBatch(most + PAD);
    }

    /**
     * Looks headers up.
     *
     * @param inner looks at words that the headers have
     * @param which numbers of the headers in the batch
     * @param count how many of them
     * @return the verdict on header {@code which[k]} at k, until the next call
     */
    public VerdictBatch classify(Classifier inner, HeaderBatch from, int[] which, int count) {
        HeaderLayout layout = inner.layout();
        selected.clear(layout);
        int[] source = from.words();
        int[] target = selected.words();
        for (int p = 0; p < layout.size(); p++) {
            int column = from.layout().position(layout.word(p)) * from.capacity();
            int to = p * selected.capacity();
            for (int k = 0; k < count; k++) {
                target[to + k] = source[column + which[k]];
            }
        }
        selected.size(count);
        inner.classify(selected, found);
        return found;
    }
}
