package dev.sluice.job.lab.gpu.measure;

import dev.sluice.job.importers.HeaderTrace;
import dev.sluice.schemas.header.HeaderBatch;
import dev.sluice.schemas.header.HeaderLayout;
import java.util.SplittableRandom;

/** Headers of a trace, drawn at random, the same ones each time. */
final class DrawnHeaders {
    private DrawnHeaders() {}

    /** One batch of so many headers. */
    static HeaderBatch batch(HeaderTrace trace, HeaderLayout layout, int count) {
        HeaderBatch batch = new HeaderBatch(layout, count);
        SplittableRandom random = new SplittableRandom(2);
        for (int i = 0; i < count; i++) {
            batch.add(trace.header(random.nextInt(trace.size())));
        }
        return batch;
    }
}
