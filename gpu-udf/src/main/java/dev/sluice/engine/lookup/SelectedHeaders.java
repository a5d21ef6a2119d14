package dev.sluice.engine.lookup;

import dev.sluice.schemas.header.HeaderBatch;
import dev.sluice.schemas.header.HeaderLayout;

/**
 * Some headers of a batch, one behind the other in a batch of their own, which may have fewer
 * words. Room for more headers is made where a batch needs it. Not thread-safe: one a thread.
 */
public final class SelectedHeaders {
    /** Keeps columns of a power of two of headers from sharing sets of a cache. */
    private static final int PAD = 16;

    private HeaderBatch selected;
    private VerdictBatch found;

    /**
     * Room for headers of any layout.
     *
     * @param expected headers at a time
     */
    public SelectedHeaders(int expected) {
        selected = new HeaderBatch(HeaderLayout.ofWordBits(0), expected + PAD);
        found = new VerdictBatch(expected + PAD);
    }

    /**
     * Takes headers out of a batch.
     *
     * @param layout words of the headers that are taken, all of which the batch has
     * @param which numbers of headers; {@code first} to {@code first + count - 1} of it are taken
     * @return the headers, one behind the other, until the next call
     */
    public HeaderBatch take(
            HeaderLayout layout, HeaderBatch from, int[] which, int first, int count) {
        if (selected.capacity() < count) {
            selected = new HeaderBatch(layout, Math.min(2 * count, from.capacity()) + PAD);
            found = new VerdictBatch(selected.capacity());
        }
        selected.clear(layout);
        int[] source = from.words();
        int[] target = selected.words();
        for (int p = 0; p < layout.size(); p++) {
            int column = from.layout().position(layout.word(p)) * from.capacity();
            int to = p * selected.capacity();
            for (int k = 0; k < count; k++) {
                target[to + k] = source[column + which[first + k]];
            }
        }
        selected.size(count);
        return selected;
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
        inner.classify(take(inner.layout(), from, which, 0, count), found);
        return found;
    }
}
