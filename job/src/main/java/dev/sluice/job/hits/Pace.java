package dev.sluice.job.hits;

import org.jspecify.annotations.Nullable;

/**
 * How fast packets were classified.
 *
 * @param startSeconds until the first verdict was there; null: nothing had to be started
 * @param packets packets that came in the time that counts
 * @param seconds that time; 0: too short to tell a rate by
 */
public record Pace(@Nullable Double startSeconds, long packets, double seconds) {
    private static final double SHORTEST = 1e-6;

    /** The pace of work for which nothing was started. */
    public static Pace of(long packets, double seconds) {
        return new Pace(null, packets, Math.max(SHORTEST, seconds));
    }

    /** Packets a second, without the start; null: there is no telling. */
    public @Nullable Double packetsPerSecond() {
        return seconds > 0 ? Double.valueOf(packets / seconds) : null;
    }

    String describe() {
        Double rate = packetsPerSecond();
        String start =
                startSeconds == null
                        ? ""
                        : "the first verdicts came after %.1f s".formatted(startSeconds);
        if (rate == null) {
            return start + ", the last with them: too few packets to tell a rate";
        }
        return (start.isEmpty() ? "" : start + ", from then on ")
                + "%,.0f packets/s".formatted(rate);
    }
}
