package dev.sluice.lab.load;

import java.util.function.LongConsumer;

/** Headers of a source, counted in its first pass. Not thread-safe. */
final class ReadHeaders implements HeaderSource {
    /** Headers from one report to the next. */
    private static final int REPORT = 1 << 16;

    private final HeaderSource source;
    private final LongConsumer listener;
    private long count;

    /**
     * Wraps a source.
     *
     * @param listener gets the count every 65,536 headers
     */
    ReadHeaders(HeaderSource source, LongConsumer listener) {
        this.source = source;
        this.listener = listener;
    }

    @Override
    public void pass(Sink sink) {
        if (count > 0) {
            source.pass(sink);
            return;
        }
        source.pass(
                (words, frameLength) -> {
                    if (++count % REPORT == 0) {
                        listener.accept(count);
                    }
                    return sink.header(words, frameLength);
                });
    }

    @Override
    public String remark() {
        return source.remark();
    }

    /** Headers of the first pass. */
    long count() {
        return count;
    }
}
