package dev.sluice.lab.load;

import dev.sluice.policy.HeaderTrace;
import dev.sluice.schemas.header.HeaderWord;
import org.jspecify.annotations.Nullable;

/**
 * Headers that a load repeats, in memory.
 *
 * @param lengths of their packets on the wire in bytes; null: 64 each
 * @param remark for the user, in one line; empty for none
 */
public record LoadHeaders(HeaderTrace trace, int @Nullable [] lengths, String remark) {
    /** Most headers that are kept: those of a quarter of the heap. */
    static final int MOST =
            (int)
                    Math.min(
                            Integer.MAX_VALUE,
                            Runtime.getRuntime().maxMemory() / 4 / (4 * HeaderWord.COUNT + 32));

    private static final int FRAME_LENGTH = 64;

    /** Returns the headers of a trace, of packets of 64 bytes. */
    public static LoadHeaders of(HeaderTrace trace) {
        return new LoadHeaders(trace, null, "");
    }

    /** Returns the length of a header's packet on the wire in bytes. */
    int frameLength(int i) {
        return lengths == null ? FRAME_LENGTH : lengths[i];
    }
}
