package dev.sluice.engine;

import dev.sluice.engine.image.Image;
import dev.sluice.schemas.header.HeaderBatch;

/**
 * Look-ups in one compiled rule set.
 *
 * <p>Thread-safe: an image never changes while a batch looks into it, and a look-up keeps its
 * intermediate results on the stack.
 */
public interface Classifier {
    /**
     * Finds, for every header of a batch, the best rule that matches it.
     *
     * @param headers a batch of the image's layout
     * @param verdicts room for at least {@code headers.size()} verdicts
     * @throws LayoutMismatchException if the batch was built for another layout
     */
    void classify(HeaderBatch headers, VerdictBatch verdicts);

    /** The image that is looked into. */
    Image image();

    /** Throws unless a batch has the image's layout and the verdicts fit. */
    default void check(HeaderBatch headers, VerdictBatch verdicts) {
        if (!headers.layout().equals(image().layout())) {
            throw new LayoutMismatchException(headers.layout(), image().layout());
        }
        if (verdicts.rules().length < headers.size()) {
            throw new IllegalArgumentException(
                    "room for "
                            + verdicts.rules().length
                            + " verdicts, "
                            + headers.size()
                            + " headers");
        }
    }
}
