package dev.sluice.job.archive;

import dev.sluice.job.capture.CaptureBatch;
import dev.sluice.job.capture.CaptureEnd;
import org.jspecify.annotations.Nullable;

/**
 * Packets of a capture that follow each other, with their verdicts once they are judged; the last
 * piece of a capture, which may have no packet, says how that ended. Whoever takes one has done
 * with it when it returns: its arrays are filled again.
 */
final class CapturePiece {
    private final CaptureBatch packets;
    private int[] verdicts = {};
    private @Nullable CaptureEnd end;

    CapturePiece(CaptureBatch packets) {
        this.packets = packets;
    }

    /** The packets. */
    CaptureBatch packets() {
        return packets;
    }

    /** How the capture ended; null: more follows. */
    @Nullable CaptureEnd end() {
        return end;
    }

    void end(@Nullable CaptureEnd how) {
        end = how;
    }

    /** The verdict of each header of the packets: a position in the rules, or a miss. */
    int[] verdicts() {
        return verdicts;
    }

    void judged(int[] found) {
        verdicts = found;
    }

    /** Packets that cannot be classified. */
    int deadLetters() {
        return packets.packets() - packets.headers().size();
    }

    /** Whether there is something to tell of packets or of the capture that was not judged. */
    boolean hasDeadLetters() {
        CaptureEnd how = end;
        return deadLetters() > 0 || how != null && !how.isClean();
    }
}
