package dev.sluice.engine.lookup;

import dev.sluice.engine.image.Image;
import dev.sluice.engine.rules.RuleDelta;
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

    /** The image that is looked into; of a live classifier, the last one that was compiled. */
    Image image();

    /** Header words that a batch must hold. */
    default HeaderLayout layout() {
        return image().layout();
    }

    /** Bytes that look-ups need, all copies counted. */
    default long bytes() {
        return image().bytes();
    }

    /** Whether the rules never change: two look-ups of one header give the same verdict. */
    default boolean isSealed() {
        return true;
    }

    /**
     * Changes the rules. Readers never wait, and each batch sees one version.
     *
     * @throws UnsupportedOperationException if this is a compiled image: those do not change
     * @throws IllegalArgumentException if the delta names an id that is not there, adds one that
     *     is, or a rule looks at words beyond the layout; nothing is changed then
     */
    default void apply(RuleDelta delta) {
        throw new UnsupportedOperationException(
                "a compiled image does not change; open the rules with Engine.live");
    }

    /** Throws unless a batch has the image's layout and the verdicts fit. */
    default void check(HeaderBatch headers, VerdictBatch verdicts) {
        if (!headers.layout().equals(layout())) {
            throw new LayoutMismatchException(headers.layout(), layout());
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
