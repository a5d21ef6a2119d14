package dev.sluice.engine.merged;

import dev.sluice.engine.image.Image;
import dev.sluice.engine.lookup.CompiledClassifier;
import dev.sluice.schemas.header.HeaderBatch;

/** Searches an image of merged tuples by the lists beside their cells. Thread-safe. */
public final class MergedTupleClassifier extends CompiledClassifier {
    private final PackedLists packed;

    /** A classifier over an image that has lists. */
    public MergedTupleClassifier(Image image) {
        super(image);
        packed = new PackedLists(image);
    }

    @Override
    public long bytes() {
        return image().bytes() + packed.bytes();
    }

    @Override
    protected void search(HeaderBatch headers, int[] verdicts) {
        KeyListSearch lists = KeyListSearch.get();
        for (int from = 0; from < headers.size(); from += KeyListSearch.BLOCK) {
            int n = Math.min(KeyListSearch.BLOCK, headers.size() - from);
            lists.search(packed, headers, from, n, verdicts);
        }
    }
}
