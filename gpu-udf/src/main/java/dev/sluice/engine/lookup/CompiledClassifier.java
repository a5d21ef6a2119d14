package dev.sluice.engine.lookup;

import dev.sluice.engine.image.Image;
import dev.sluice.schemas.header.HeaderBatch;

/** Base of the classifiers of all static images. Thread-safe. */
public abstract class CompiledClassifier implements Classifier {
    /** The image's memory. */
    protected final int[] words;

    /** Size of a header in words. */
    protected final int layoutSize;

    private final Image image;

    /** A classifier over an image. */
    protected CompiledClassifier(Image image) {
        this.image = image;
        this.words = image.words();
        this.layoutSize = image.layout().size();
    }

    @Override
    public final Image image() {
        return image;
    }

    @Override
    public final void classify(HeaderBatch headers, VerdictBatch verdicts) {
        check(headers, verdicts);
        search(headers, verdicts.rules());
    }

    /**
     * Looks up a checked batch.
     *
     * @param verdicts gets positions, {@link VerdictBatch#MISS} for none
     */
    protected abstract void search(HeaderBatch headers, int[] verdicts);
}
