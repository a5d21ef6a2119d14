package dev.sluice.job.hits;

import dev.sluice.job.capture.CaptureEnd;
import org.jspecify.annotations.Nullable;

/**
 * Packets of a capture by outcome.
 *
 * @param capture its name
 * @param packets packets that were read
 * @param matched packets that matched a rule
 * @param missed packets that matched no rule of their version
 * @param deadLetters packets that cannot be classified
 * @param end label of how the capture ended; null: it was not read to an end
 */
public record CaptureSum(
        String capture,
        long packets,
        long matched,
        long missed,
        long deadLetters,
        @Nullable String end) {
    /** Tells whether the capture was read to its regular end. */
    boolean isClean() {
        return CaptureEnd.Kind.EOF.label().equals(end);
    }
}
