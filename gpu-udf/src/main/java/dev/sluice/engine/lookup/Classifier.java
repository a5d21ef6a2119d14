package dev.sluice.engine.lookup;

import dev.sluice.engine.image.Image;
import dev.sluice.schemas.header.HeaderBatch;
import dev.sluice.schemas.header.HeaderLayout;

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

    /** Header words that a batch must hold. */
    default HeaderLayout layout() {
        return image().layout();
    }

    /** Bytes that look-ups need, all copies counted. */
    default long bytes() {
        return image().bytes();
    }

    /** Throws unless a batch has the image's layout and the verdicts fit. */
    default void check(HeaderBatch headers, VerdictBatch verdicts) {
        check(layout(), headers, verdicts);
    }

    /** Throws unless a batch has a layout and the verdicts fit. */
    static void check(HeaderLayout layout, HeaderBatch headers, VerdictBatch verdicts) {
        if (!headers.layout().equals(layout)) {
            throw new LayoutMismatchException(headers.layout(), layout);
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
