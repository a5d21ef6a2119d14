package dev.sluice.lab.corridor;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Duration;
import java.util.List;

/**
 * CPU time that processes have used up to a moment, or between two moments.
 *
 * @param cpuNanos of the processes that run the job
 * @param brokerCpuNanos of the brokers
 */
record Usage(long cpuNanos, long brokerCpuNanos) {
    /** Reads what the processes of a site have used up to now. */
    static Usage of(Site site) {
        List<ProcessHandle> workers = site.workers();
        return new Usage(
                cpuNanos(workers.isEmpty() ? List.of(ProcessHandle.current()) : workers),
                cpuNanos(site.brokers()));
    }

    /** CPU time of processes so far, in ns; 0 of those of which it is not known. */
    static long cpuNanos(List<ProcessHandle> processes) {
        return processes.stream()
                .mapToLong(p -> p.info().totalCpuDuration().map(Duration::toNanos).orElse(0L))
                .sum();
    }

    /** Returns what was used after an earlier moment. */
    Usage since(Usage before) {
        return new Usage(cpuNanos - before.cpuNanos, brokerCpuNanos - before.brokerCpuNanos);
    }

    /** Returns a sum by headers; 0 where there were none. */
    static double perHeader(long sum, long headers) {
        return headers == 0 ? 0 : (double) sum / headers;
    }

    /** Adds the CPU time of a header to a record: the job's processes', and the brokers'. */
    void describe(ObjectNode node, long headers, String job, String brokers) {
        node.put(job + "MicrosPerHeader", perHeader(cpuNanos, headers) / 1e3);
        node.put(brokers + "MicrosPerHeader", perHeader(brokerCpuNanos, headers) / 1e3);
    }
}
