package dev.sluice.engine.hashtree;

import dev.sluice.engine.image.Image;
import dev.sluice.engine.lookup.CompiledClassifier;
import dev.sluice.engine.tuplespace.TupleSearch;
import dev.sluice.schemas.header.HeaderBatch;

/** Looks batches up in a sealed hash tree, where ranks are positions. Thread-safe. */
public final class HashTreeClassifier extends CompiledClassifier {
    /** A classifier over an image of this algorithm. */
    public HashTreeClassifier(Image image) {
        super(image);
    }

    @Override
    protected void search(HeaderBatch headers, int[] verdicts) {
        TupleSearch search = TupleSearch.get();
        for (int from = 0; from < headers.size(); from += TupleSearch.BLOCK) {
            int n = Math.min(TupleSearch.BLOCK, headers.size() - from);
            search.start(words, headers, from, n);
            HashTreeSearch.get().search(search, words, headers.layout(), n);
            search.positions(verdicts);
        }
    }
}
