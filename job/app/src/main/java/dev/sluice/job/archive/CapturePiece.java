package dev.sluice.job.archive;

import dev.sluice.engine.lookup.VerdictBatch;
import dev.sluice.job.capture.CaptureBatch;
import dev.sluice.job.capture.CaptureEnd;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.jspecify.annotations.Nullable;

/**
 * Consecutive packets of a capture, with their verdicts once they are classified.
 *
 * <p>The last piece of a capture, which may have no packet, holds how the capture ended. A receiver
 * must not use a piece after it has returned, since its arrays are reused. Pieces stay in their
 * task: nothing serializes them.
 */
final class CapturePiece {
    /** Flink's type of pieces. */
    static final TypeInformation<CapturePiece> TYPE = Types.GENERIC(CapturePiece.class);

    private final CaptureBatch packets;
    private VerdictBatch verdicts = new VerdictBatch(0);
    private @Nullable CaptureEnd end;

    CapturePiece(CaptureBatch packets) {
        this.packets = packets;
    }

    /** Returns the packets. */
    CaptureBatch packets() {
        return packets;
    }

    /** Returns how the capture ended; null: more pieces follow. */
    @Nullable CaptureEnd end() {
        return end;
    }

    void end(@Nullable CaptureEnd how) {
        end = how;
    }

    /** Returns the verdict of each header of the packets: a position in the rules, or a miss. */
    VerdictBatch verdicts() {
        return verdicts;
    }

    void judged(VerdictBatch found) {
        verdicts = found;
    }

    /** Counts the packets that cannot be classified. */
    int deadLetters() {
        return packets.packets() - packets.headers().size();
    }

    /** Tells whether the piece has dead letters, or a capture that did not end cleanly. */
    boolean hasDeadLetters() {
        CaptureEnd how = end;
        return deadLetters() > 0 || how != null && !how.isClean();
    }
}
