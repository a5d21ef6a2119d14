package dev.sluice.lab.corridor;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Map;
import java.util.TreeMap;

/**
 * Resources that processes have used up to a moment, or between two moments.
 *
 * @param cpuNanos CPU time of the processes that run the job
 * @param brokerCpuNanos of the brokers
 * @param cpuByGroup CPU time by group of threads, where threads can be asked
 * @param bytesByGroup heap that was allocated, by group of threads
 * @param collections garbage collections of this process
 * @param collectionMillis time that they took
 */
record Usage(
        long cpuNanos,
        long brokerCpuNanos,
        Map<String, Long> cpuByGroup,
        Map<String, Long> bytesByGroup,
        long collections,
        long collectionMillis) {
    /** Group of the measurement's own threads. */
    static final String BENCH = "bench";

    /** Beginning of the names of these threads. */
    static final String BENCH_THREAD = "corridor bench";

    /** Returns what was used after an earlier moment. */
    Usage since(Usage before) {
        return new Usage(
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

    /** Returns a sum by headers; 0 where there were none. */
    static double perHeader(long sum, long headers) {
        return headers == 0 ? 0 : (double) sum / headers;
    }

    /** Adds the CPU time of a header to a record: the job's processes', and the brokers'. */
    void describeCpu(ObjectNode node, long headers, String job, String brokers) {
        node.put(job + "MicrosPerHeader", perHeader(cpuNanos, headers) / 1e3);
        node.put(brokers + "MicrosPerHeader", perHeader(brokerCpuNanos, headers) / 1e3);
    }

    /** Adds the garbage collections, and the CPU time of a header by group of threads. */
    void describe(ObjectNode node, long headers, String byGroup) {
        node.put("collections", collections);
        node.put("collectionMillis", collectionMillis);
        describe(node.putObject(byGroup), cpuByGroup, headers);
    }

    /** Adds to a record what each group has of a header. */
    static void describe(ObjectNode node, Map<String, Long> byGroup, long headers) {
        byGroup.forEach((group, sum) -> node.put(group, perHeader(sum, headers)));
    }

    /** Bytes that all threads allocated but those of the bench. */
    long bytes() {
        return bytesByGroup.entrySet().stream()
                .filter(entry -> !entry.getKey().equals(BENCH))
                .mapToLong(Map.Entry::getValue)
                .sum();
    }
}
