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
    /** Below that the clock and the JVM's warming up tell more than the work. */
    private static final double SHORTEST = 0.1;

    private static final String TOO_FEW = "too few packets to tell a rate";

    /** The pace of work for which nothing was started. */
    public static Pace of(long packets, double seconds) {
        return new Pace(null, packets, seconds < SHORTEST ? 0 : seconds);
    }

    /** Packets a second, without the start; null: there is no telling. */
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
