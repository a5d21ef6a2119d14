package dev.sluice.job.lab.gpu.check;

import dev.sluice.job.importers.HeaderTrace;
import dev.sluice.schemas.header.HeaderBatch;
import dev.sluice.schemas.header.HeaderLayout;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Batches of a trace's headers, cut once for each layout and size. Not thread-safe. */
final class TraceBatches {
    /** Batches of one size that are compared. */
    private static final int MOST_BATCHES = 20;

    private final HeaderTrace trace;
    private final Map<Kind, List<HeaderBatch>> batches = new HashMap<>();

    private record Kind(int wordBits, int size) {}

    TraceBatches(HeaderTrace trace) {
        this.trace = trace;
    }

    /** The first batches of a size. */
    List<HeaderBatch> get(HeaderLayout layout, int size) {
        return batches.computeIfAbsent(
                new Kind(layout.wordBits(), size), kind -> cut(layout, size));
    }

    private List<HeaderBatch> cut(HeaderLayout layout, int size) {
        List<HeaderBatch> all = new ArrayList<>();
        int headers = (int) Math.min(trace.size(), (long) MOST_BATCHES * size);
        for (int from = 0; from < headers; from += size) {
            HeaderBatch batch = new HeaderBatch(layout, size);
            for (int i = from; i < Math.min(headers, from + size); i++) {
                batch.add(trace.header(i));
            }
            all.add(batch);
        }
        return all;
    }
}
