package dev.sluice.engine.tuple;

import dev.sluice.engine.image.Image;
import dev.sluice.engine.tuplespace.TupleSearch;
import dev.sluice.engine.tuplespace.TupleSpaceClassifier;

/** Probes the tuples of an image in the order of their best ranks. Thread-safe. */
public final class TupleClassifier extends TupleSpaceClassifier {
    /** A classifier over an image. */
    public TupleClassifier(Image image) {
        super(image);
    }

    @Override
    protected void searchBlock(TupleSearch search, int count) {
        search.inOrder();
    }
}
