package dev.sluice.lab.load;

import dev.sluice.policy.HeaderTrace;
import java.nio.file.Path;

/**
 * The headers of a trace, of packets of {@value #FRAME_LENGTH} bytes: of a file, in memory for one
 * header, or of one that is in memory.
 */
public final class TraceHeaders implements HeaderSource {
    private static final int FRAME_LENGTH = 64;

    private final Pass headers;

    /** Reads all headers, until no more are wanted. */
    private interface Pass {
        void each(HeaderTrace.Sink sink);
    }

    private TraceHeaders(Pass headers) {
        this.headers = headers;
    }

    /** Returns the headers of a file, which is read anew with each pass. */
    static TraceHeaders in(Path file) {
        return new TraceHeaders(sink -> HeaderTrace.each(file, sink));
    }

    /** Returns the headers of a trace, which has one at least. */
    public static TraceHeaders of(HeaderTrace trace) {
        return new TraceHeaders(
                sink -> {
                    boolean more = true;
                    for (int i = 0; more && i < trace.size(); i++) {
                        more = sink.header(trace.header(i));
                    }
                });
    }

    @Override
    public void pass(Sink sink) {
        headers.each(words -> sink.header(words, FRAME_LENGTH));
    }

    @Override
    public String remark() {
        return "";
    }
}
