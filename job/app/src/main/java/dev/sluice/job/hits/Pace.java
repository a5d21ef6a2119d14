package dev.sluice.job.hits;

import org.jspecify.annotations.Nullable;

/**
 * Rate at which packets were classified.
 *
 * @param startSeconds time until the first verdict; null: nothing had to be started
 * @param packets packets that arrived within the measured time
 * @param seconds measured time; 0: too short for a rate
 */
public record Pace(@Nullable Double startSeconds, long packets, double seconds) {
    /** Shortest measured time: below it the clock and the JVM's warm-up dominate. */
    private static final double SHORTEST = 0.1;

    private static final String TOO_FEW = "too few packets to tell a rate";

    /** Returns the pace of work for which nothing was started. */
    public static Pace of(long packets, double seconds) {
        return new Pace(null, packets, seconds < SHORTEST ? 0 : seconds);
    }

    /** Returns the packets a second, without the start; null: too few packets. */
    public @Nullable Double packetsPerSecond() {
        return packets > 0 && seconds > 0 ? Double.valueOf(packets / seconds) : null;
    }

    String describe() {
        Double rate = packetsPerSecond();
        String start =
                startSeconds == null
                        ? ""
                        : "the first verdicts came after %.1f s".formatted(startSeconds);
        if (rate == null) {
            return start.isEmpty() ? TOO_FEW : start + ", the last with them: " + TOO_FEW;
        }
        return (start.isEmpty() ? "" : start + ", from then on ")
                + "%,.0f packets/s".formatted(rate);
    }
}
