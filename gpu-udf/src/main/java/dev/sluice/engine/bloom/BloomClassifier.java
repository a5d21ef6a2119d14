package dev.sluice.engine.bloom;

import dev.sluice.engine.image.Image;
import dev.sluice.engine.tuplespace.TupleSearch;
import dev.sluice.engine.tuplespace.TupleSpaceClassifier;

/** Tests the Bloom filters of 32 tuples before any of their tables is touched. Thread-safe. */
public final class BloomClassifier extends TupleSpaceClassifier {
    /** A classifier over an image. */
    public BloomClassifier(Image image) {
        super(image);
    }

    @Override
    protected void searchBlock(TupleSearch search, int count) {
        BloomSearch.get().search(search, words, count);
    }
}
