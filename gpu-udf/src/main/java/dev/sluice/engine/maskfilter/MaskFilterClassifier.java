package dev.sluice.engine.maskfilter;

import dev.sluice.engine.image.Image;
import dev.sluice.engine.tuplespace.TupleSearch;
import dev.sluice.engine.tuplespace.TupleSpaceClassifier;

/** Probes the tuples that the bit matrix leaves as candidates. Thread-safe. */
public final class MaskFilterClassifier extends TupleSpaceClassifier {
    /** A classifier over an image. */
    public MaskFilterClassifier(Image image) {
        super(image);
    }

    @Override
    protected void searchBlock(TupleSearch search, int count) {
        MatrixSearch.get().search(search, words, count);
    }
}
