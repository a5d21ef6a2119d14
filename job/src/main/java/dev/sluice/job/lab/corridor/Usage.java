package dev.sluice.job.lab.corridor;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Map;
import java.util.TreeMap;

/**
 * What this process, and the broker's, used up to a moment, since they began.
 *
 * @param nanos the moment, {@link System#nanoTime}
 * @param cpuNanos CPU time of this process
 * @param brokerCpuNanos CPU time of the broker's process; 0 where that is not known
 * @param cpuByGroup CPU time in ns by {@link ThreadGroups}
 * @param bytesByGroup bytes that threads allocated on the heap, by group
 * @param collections garbage collections
 * @param collectionMillis time that they took
 */
record Usage(
        long nanos,
        long cpuNanos,
        long brokerCpuNanos,
        Map<String, Long> cpuByGroup,
        Map<String, Long> bytesByGroup,
        long collections,
        long collectionMillis) {
    /** What was used after an earlier moment. */
    Usage since(Usage before) {
        return new Usage(
                nanos - before.nanos,
                cpuNanos - before.cpuNanos,
                brokerCpuNanos - before.brokerCpuNanos,
                minus(cpuByGroup, before.cpuByGroup),
                minus(bytesByGroup, before.bytesByGroup),
                collections - before.collections,
                collectionMillis - before.collectionMillis);
    }

    private static Map<String, Long> minus(Map<String, Long> after, Map<String, Long> before) {
        Map<String, Long> difference = new TreeMap<>();
        after.forEach(
                (group, value) -> difference.put(group, value - before.getOrDefault(group, 0L)));
        return difference;
    }

    /** A sum by headers; 0 where there were none. */
    static double perHeader(long sum, long headers) {
        return headers == 0 ? 0 : (double) sum / headers;
    }

    /** Adds to an object what each group has of a header. */
    static void describe(Map<String, Long> byGroup, long headers, ObjectNode node) {
        byGroup.forEach((group, sum) -> node.put(group, perHeader(sum, headers)));
    }

    /** Bytes that all threads allocated, the bench's own not counted. */
    long bytes() {
        return bytesByGroup.entrySet().stream()
                .filter(entry -> !entry.getKey().equals(ThreadGroups.BENCH))
                .mapToLong(Map.Entry::getValue)
                .sum();
    }
}
