package dev.sluice.job.lab.corridor;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sluice.job.lab.backend.Classified;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One contender's run.
 *
 * @param windows when their verdicts left
 * @param lastCommitSeconds from the contender's start until its last verdict could be read
 * @param whole what was used from the start to the end
 * @param steady the same without the first quarter of the verdicts
 * @param steadyHeaders packets of {@code steady}
 * @param storedIn bytes that the packets take on the broker's disk, compressed or not
 * @param storedOut bytes that the verdicts take there
 * @param bytesIn bytes of the packets' messages, as they were written
 * @param bytesOut bytes of the verdicts' messages
 * @param seconds what was used in each second, or a little more, from the start on
 * @param classified who classified the packets; null where nobody counts that
 */
record Heat(
        String name,
        Windows windows,
        double lastCommitSeconds,
        Usage whole,
        Usage steady,
        long steadyHeaders,
        long storedIn,
        long storedOut,
        long bytesIn,
        long bytesOut,
        List<Usage> seconds,
        @Nullable Classified classified) {
    /** Packets judged. */
    long headers() {
        return windows.total();
    }

    /** Headers a second from the start to the last commit. */
    double overall() {
        return headers() / lastCommitSeconds;
    }

    /** Headers a second without the first quarter. */
    double steadyRate() {
        return windows.rateAfter(0.25);
    }

    /** µs of CPU of the job's process a header, without the first quarter. */
    double steadyCpuMicros() {
        return Usage.perHeader(steady.cpuNanos(), steadyHeaders) / 1e3;
    }

    /** Adds its steady rates to an object. */
    void describeRates(ObjectNode node) {
        node.put("steadyMpps", steadyRate() / 1e6);
        node.put("medianSecondMpps", windows.medianAfter(0.25) / 1e6);
    }

    /** Seconds from the start to the first second that reached nine tenths of the full rate. */
    double fullRateSeconds() {
        return windows.secondsToReach(0.9 * windows.medianAfter(0.25));
    }
}
