package dev.sluice.engine.lookup;

import dev.sluice.schemas.header.HeaderLayout;

/** A header batch that was built for another rule set than the one it is looked up in. */
public final class LayoutMismatchException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    LayoutMismatchException(HeaderLayout batch, HeaderLayout image) {
        super(
                "the batch holds "
                        + batch
                        + ", the image looks at "
                        + image
                        + "; clear the batch with the image's layout");
    }
}
