package dev.sluice.job.capture;

import java.io.IOException;
import java.io.InputStream;
import org.jspecify.annotations.Nullable;

/**
 * The content of a compressed file. A defect of the compression ends the content, with {@link
 * #defect} set, so that everything before can be used; only a failure of the input throws.
 */
abstract class Unpacker extends InputStream {
    private CaptureEnd.@Nullable Kind defect;
    private String detail = "";

    /** Fault of the compressed file; null: none was met so far. */
    final CaptureEnd.@Nullable Kind defect() {
        return defect;
    }

    /** Words for the defect, with the offset in the compressed file. */
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

    /** Reads on, so that {@link #defect} is known; what is read is gone. */
    final void readToEnd() throws IOException {
        byte[] unused = new byte[1 << 13];
        int n;
        do {
            n = read(unused, 0, unused.length);
        } while (n >= 0);
    }
}
