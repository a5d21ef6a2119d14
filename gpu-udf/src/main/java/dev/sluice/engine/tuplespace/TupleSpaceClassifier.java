package dev.sluice.engine.tuplespace;

import dev.sluice.engine.image.Image;
import dev.sluice.engine.lookup.CompiledClassifier;
import dev.sluice.schemas.header.HeaderBatch;

/**
 * Looks batches up in a sealed image of tuples, block by block. Algorithms differ in how a block
 * finds the tuples that are worth a probe. Thread-safe.
 */
public final class TupleSpaceClassifier extends CompiledClassifier {
    private final BlockSearch blocks;

    /** Searches the tuples of an image for a block of headers. */
    public interface BlockSearch {
        /**
         * Searches for a block that the search was started for.
         *
         * @param count headers of the block
         */
        void search(TupleSearch search, Image image, int count);
    }

    /** A classifier over an image. */
    public TupleSpaceClassifier(Image image, BlockSearch blocks) {
        super(image);
        this.blocks = blocks;
    }

    /** A classifier that probes the tuples in the order of their best ranks. */
    public static TupleSpaceClassifier inOrder(Image image) {
        return new TupleSpaceClassifier(image, (search, its, count) -> search.inOrder());
    }

    @Override
    protected void search(HeaderBatch headers, int[] verdicts) {
        TupleSearch search = TupleSearch.get();
        for (int from = 0; from < headers.size(); from += TupleSearch.BLOCK) {
            int n = Math.min(TupleSearch.BLOCK, headers.size() - from);
            search.start(words, headers, from, n);
            blocks.search(search, image(), n);
            search.positions(verdicts);
        }
    }
}
