package dev.sluice.job.hits;

import dev.sluice.job.capture.CaptureEnd;
import org.jspecify.annotations.Nullable;

/**
 * What became of the packets of a capture.
 *
 * @param capture its name
 * @param packets packets that were read
 * @param matched those that a rule matched
 * @param missed those that no rule of their version matched
 * @param deadLetters those that cannot be classified
 * @param end the label of how it ended; null: it was not read to an end
 */
public record CaptureSum(
        String capture,
        long packets,
        long matched,
        long missed,
        long deadLetters,
        @Nullable String end) {
    /** Whether it was read to its regular end. */
    boolean isClean() {
        return CaptureEnd.Kind.EOF.label().equals(end);
    }
}
