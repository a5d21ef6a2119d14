package dev.sluice.engine.space;

import dev.sluice.engine.CompiledClassifier;
import dev.sluice.engine.image.Image;
import dev.sluice.schemas.header.HeaderBatch;

/** Looks into a sealed image of classes, whose ranks are positions. */
public final class SpaceClassifier extends CompiledClassifier {
    /** How an image is searched. */
    public enum Way {
        IN_ORDER,
        FILTERED,
        MATRIX
    }

    private final Way way;

    /** A classifier over an image. */
    public SpaceClassifier(Image image, Way way) {
        super(image);
        this.way = way;
    }

    @Override
    protected void search(HeaderBatch headers, int[] verdicts) {
        ClassSearch search = ClassSearch.get();
        for (int from = 0; from < headers.size(); from += ClassSearch.BLOCK) {
            int n = Math.min(ClassSearch.BLOCK, headers.size() - from);
            search.start(words, headers, from, n);
            switch (way) {
                case IN_ORDER -> search.inOrder();
                case FILTERED -> search.filtered();
                default -> MatrixSearch.get().search(search, words, n);
            }
            search.positions(verdicts);
        }
    }
}
