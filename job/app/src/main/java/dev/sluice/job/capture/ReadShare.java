package dev.sluice.job.capture;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.commons.io.input.ProxyInputStream;

/**
 * Share of the bytes of captures that was read, if all captures are files of known size.
 * Thread-safe.
 */
public final class ReadShare {
    private final long total;
    private final AtomicLong read = new AtomicLong();

    /** Creates the share of these files; for pipes and growing files it is unknown. */
    public ReadShare(List<Path> captures) {
        long sum = 0;
        for (Path file : captures) {
            long size = size(file);
            sum = size < 0 || sum < 0 ? -1 : sum + size;
        }
        total = sum;
    }

    private static long size(Path file) {
        try {
            return Files.isRegularFile(file) ? Files.size(file) : -1;
        } catch (IOException e) {
            return -1; // the reader that opens the file reports it
        }
    }

    /** Wraps a stream to count the bytes read from it. */
    public InputStream count(InputStream in) {
        return new ProxyInputStream(in) {
            @Override
            protected void afterRead(int n) {
                read.addAndGet(Math.max(0, n));
            }
        };
    }

    /** Returns the share, from 0 to 1; NaN if unknown. */
    public double part() {
        return total > 0 ? Math.min(1, (double) read.get() / total) : Double.NaN;
    }
}
