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
        MATRIX,
        LISTS
    }

    private final Way way;

    /**
     * A classifier over an image of classes that are searched in order, by lists if it has them.
     */
    public static SpaceClassifier inOrder(Image image) {
        boolean lists = image.words()[SpaceLayout.EXTRA_AT] != 0;
        return new SpaceClassifier(image, lists ? Way.LISTS : Way.IN_ORDER);
    }

    /** A classifier over an image. */
    public SpaceClassifier(Image image, Way way) {
        super(image);
        this.way = way;
    }

    @Override
    protected void search(HeaderBatch headers, int[] verdicts) {
        if (way == Way.LISTS) {
            ListSearch lists = ListSearch.get();
            for (int from = 0; from < headers.size(); from += ListSearch.BLOCK) {
                int n = Math.min(ListSearch.BLOCK, headers.size() - from);
                lists.search(words, headers, from, n, verdicts);
            }
            return;
        }
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
