package dev.sluice.job.lab.corridor;

import com.fasterxml.jackson.databind.node.ObjectNode;

/**
 * How long verdicts took at one rate of packets.
 *
 * @param maxDelayMicros how long after its first header a batch's verdicts are to leave
 * @param offered headers a second that were to be loaded
 * @param judged headers a second that left the job
 * @param windows when they left, from the first that counts
 * @param millis for each verdict block the ms from the sending of its last packet to its own; none
 *     where verdicts do not carry the times of their packets
 * @param operatorP50Micros half of the blocks took at most this, from the classify operator's
 *     taking them to their last verdict's leaving it; of the slowest subtask
 * @param operatorP99Micros 99 of 100 did
 * @param overdue share of the blocks of all subtasks that took longer than that and half a
 *     millisecond; NaN: not known
 * @param fill share of the last batches that was full
 * @param deviceShare share of the headers that a device looked up, as far as it is known
 * @param used by this process and the broker's in that time
 * @param loaderCpuNanos CPU time of the process that loads packets
 */
record Delay(
        long maxDelayMicros,
        double offered,
        double judged,
        Windows windows,
        Millis millis,
        double operatorP50Micros,
        double operatorP99Micros,
        double overdue,
        double fill,
        double deviceShare,
        Usage used,
        long loaderCpuNanos) {
    /** Whether it is known how long verdicts took. */
    private boolean hasMillis() {
        return !Double.isNaN(millis.max());
    }

    /** Half, 99 of 100 and the longest of the times to verdicts, to be read. */
    String toVerdicts() {
        return hasMillis()
                ? "%.0f / %.0f / %.0f".formatted(millis.p50(), millis.p99(), millis.max())
                : "not told";
    }

    void describe(ObjectNode node) {
        node.put("maxDelayMicros", maxDelayMicros);
        node.put("offeredMpps", offered / 1e6);
        node.put("judgedMpps", judged / 1e6);
        if (hasMillis()) {
            node.put("p50Millis", millis.p50());
            node.put("p99Millis", millis.p99());
            node.put("maxMillis", millis.max());
        }
        node.put("operatorP50Micros", operatorP50Micros);
        node.put("operatorP99Micros", operatorP99Micros);
        if (Double.isFinite(overdue)) {
            node.put("overdueShare", overdue);
        }
        node.put("batchFill", fill);
        node.put("gpuShare", deviceShare);
        node.put("slowestSecondMpps", windows.quantile(0) / 1e6);
        node.put("medianSecondMpps", windows.quantile(0.5) / 1e6);
        node.put("cpuMicrosPerHeader", micros(used.cpuNanos()));
        node.put("brokerCpuMicrosPerHeader", micros(used.brokerCpuNanos()));
        node.put("loaderCpuMicrosPerHeader", micros(loaderCpuNanos));
        Usage.describe(
                used.cpuByGroup(), windows.total(), node.putObject("cpuNanosPerHeaderByGroup"));
        node.put("collections", used.collections());
        node.put("collectionMillis", used.collectionMillis());
    }

    private double micros(long nanos) {
        return Usage.perHeader(nanos, windows.total()) / 1e3;
    }
}
