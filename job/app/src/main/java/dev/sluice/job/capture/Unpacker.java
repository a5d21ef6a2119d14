package dev.sluice.job.capture;

import java.io.IOException;
import java.io.InputStream;
import org.jspecify.annotations.Nullable;

/**
 * Decompressed content of a file. A defect of the compression ends the content and sets {@link
 * #defect}, so that all content before it is usable. Only a failure of the input throws.
 */
abstract class Unpacker extends InputStream {
    private CaptureEnd.@Nullable Kind defect;
    private String detail = "";

    /** Returns the defect of the compressed file; null: none so far. */
    final CaptureEnd.@Nullable Kind defect() {
        return defect;
    }

    /** Describes the defect, with its offset in the compressed file. */
    final String detail() {
        return detail;
    }

    final void defect(CaptureEnd.Kind kind, String what, long at) {
        defect = kind;
        detail = what + ", byte " + at + " of the compressed file";
    }

    @Override
    public final int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public abstract int read(byte[] target, int offset, int length) throws IOException;

    /** Reads and discards the rest, so that {@link #defect} is known. */
    final void readToEnd() throws IOException {
        byte[] unused = new byte[1 << 13];
        int n;
        do {
            n = read(unused, 0, unused.length);
        } while (n >= 0);
    }
}
