package dev.sluice.engine.tuplespace;

import dev.sluice.engine.image.Image;
import dev.sluice.engine.lookup.CompiledClassifier;
import dev.sluice.schemas.header.HeaderBatch;

/**
 * Looks batches up in a sealed image of tuples, block by block. Algorithms differ in how a block
 * finds the tuples that are worth a probe. Thread-safe.
 */
public abstract class TupleSpaceClassifier extends CompiledClassifier {
    /** A classifier over an image. */
    protected TupleSpaceClassifier(Image image) {
        super(image);
    }

    @Override
    protected void search(HeaderBatch headers, int[] verdicts) {
        TupleSearch search = TupleSearch.get();
        for (int from = 0; from < headers.size(); from += TupleSearch.BLOCK) {
            int n = Math.min(TupleSearch.BLOCK, headers.size() - from);
            search.start(words, headers, from, n);
            searchBlock(search, n);
            search.positions(verdicts);
        }
    }

    /**
     * Searches the tuples for a block that the search was started for.
     *
     * @param count headers of the block
     */
    protected abstract void searchBlock(TupleSearch search, int count);
}
