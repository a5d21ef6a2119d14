package dev.sluice.lab.load;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sluice.job.cli.JsonOption;
import dev.sluice.policy.io.Amount;

/**
 * Totals of a load.
 *
 * @param headers sent
 * @param blocks sent
 * @param bytes of their messages, before any compression
 * @param nanos from the start to the last block that was sent; where no rate was set, until all was
 *     stored
 * @param rate headers a second that were wanted; 0: as fast as it can
 * @param movedNanos part of its lateness that the load did not make up for
 */
record LoadTotals(long headers, long blocks, long bytes, long nanos, double rate, long movedNanos) {
    /** Lateness that is none: timers and threads. */
    private static final double ON_TIME_SECONDS = 0.05;

    /** Lateness of the last block; 0 where no rate was set. */
    double lateSeconds() {
        return rate > 0 ? Math.max(0, nanos / 1e9 - headers / rate) : 0;
    }

    /** One line for a person. */
    String describe() {
        double seconds = Math.max(1, nanos) / 1e9;
        return "loaded %s in %s, %,.1f MB, in %.2f s: %,.0f headers/s, %,.1f MB/s%s"
                .formatted(
                        Amount.of(headers, "header"),
                        Amount.of(blocks, "block"),
                        bytes / 1e6,
                        seconds,
                        headers / seconds,
                        bytes / 1e6 / seconds,
                        rate > 0 ? pace() : "");
    }

    /** The same for a program. */
    ObjectNode json() {
        double seconds = Math.max(1, nanos) / 1e9;
        return JsonOption.object()
                .put("headers", headers)
                .put("blocks", blocks)
                .put("bytes", bytes)
                .put("seconds", seconds)
                .put("headers_per_second", headers / seconds)
                .put("wanted_per_second", rate > 0 ? Double.valueOf(rate) : null)
                .put("late_seconds", lateSeconds());
    }

    private String pace() {
        double late = lateSeconds();
        if (late < ON_TIME_SECONDS) {
            return "; on time by the set rate of %,.0f headers/s".formatted(rate);
        }
        return "; %.2f s (%,.0f headers) behind the set rate of %,.0f headers/s%s"
                .formatted(
                        late,
                        late * rate,
                        rate,
                        movedNanos > 0
                                ? ", %.2f s of them given up".formatted(movedNanos / 1e9)
                                : "");
    }
}
