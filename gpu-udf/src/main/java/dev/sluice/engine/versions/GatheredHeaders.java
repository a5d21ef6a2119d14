package dev.sluice.engine.versions;

import dev.sluice.schemas.header.HeaderBatch;
import dev.sluice.schemas.header.HeaderLayout;

/** Some headers of a batch, one behind the other in a batch of their own. Not thread-safe. */
final class GatheredHeaders {
    private HeaderBatch batch = new HeaderBatch(HeaderLayout.ofWordBits(0), 1);

    /**
     * Takes headers out of a batch.
     *
     * @param which indices of headers; {@code from} to {@code from + count - 1} of it are taken
     * @return the headers, valid until the next call
     */
    HeaderBatch take(HeaderBatch headers, int[] which, int from, int count) {
        if (batch.capacity() < count) {
            batch = new HeaderBatch(headers.layout(), Math.min(2 * count, headers.capacity()));
        }
        batch.clear(headers.layout());
        int[] to = batch.words();
        int[] words = headers.words();
        for (int p = 0; p < headers.layout().size(); p++) {
            int source = p * headers.capacity();
            int target = p * batch.capacity();
            for (int k = 0; k < count; k++) {
                to[target + k] = words[source + which[from + k]];
            }
        }
        batch.size(count);
        return batch;
    }
}
